// The default answer. It has the focus when a request appears, so that Enter denies.
import { Button } from '@mantine/core';
import styles from './approvals.module.css';

interface DenyButtonProps {
  isBusy: boolean;
  isDisabled: boolean;
  onDeny: () => void;
}

export const DenyButton = ({ isBusy, isDisabled, onDeny }: DenyButtonProps) => (
  <Button
    color="gray.7"
    className={styles['deny']}
    data-deny
    loading={isBusy}
    disabled={isDisabled}
    onClick={onDeny}
    onKeyDown={(event) => {
      // Otherwise Enter, held down, would deny one request after another.
      if (event.repeat) event.preventDefault();
    }}
  >
    Deny
  </Button>
);
