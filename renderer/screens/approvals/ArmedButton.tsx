// A deciding button. Until it is armed it looks and reads as disabled, and says why.
import { Button, Tooltip, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './approvals.module.css';
import type { DecidingKey } from './use-card-keys.ts';

interface ArmedButtonProps extends ButtonProps {
  isArmed: boolean;
  icon: ReactNode;
  onClick: () => void;
  'aria-expanded'?: boolean;
  /** The single key that goes to it. */
  at?: DecidingKey;
}

const reason = 'Ready in a moment, so that a stray click decides nothing';

export const ArmedButton = ({ isArmed, icon, onClick, at, children, ...button }: ArmedButtonProps) => (
  <Tooltip label={reason} disabled={isArmed}>
    <Button
      variant="default"
      {...button}
      {...(at === undefined ? {} : { 'data-key': at, 'aria-keyshortcuts': at.toUpperCase() })}
      leftSection={isArmed ? icon : <Ring />}
      onClick={isArmed ? onClick : undefined}
      onKeyDown={(event) => {
        // Otherwise Enter, held down, would decide one request after another.
        if (event.repeat) event.preventDefault();
      }}
      {...(isArmed ? {} : { 'data-disabled': true, 'aria-disabled': true, 'aria-description': reason })}
    >
      {children}
    </Button>
  </Tooltip>
);

const Ring = () => (
  <svg className={styles['ring']} width="16" height="16" viewBox="0 0 16 16" aria-hidden>
    <circle cx="8" cy="8" r="6" />
  </svg>
);
