// A button that removes something, after explaining the consequences and asking for confirmation.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { notifyDone, notifyFailure } from '../notify.ts';
import { useCommand } from '../hooks/use-command.ts';
import { confirmFirst } from './confirm-first.tsx';

interface AskFirstProps {
  children: ReactNode;
  /** The action and its object: `Remove My API`. */
  label: string;
  /** The consequences. */
  means: string;
  confirm: string;
  run: () => Promise<unknown>;
  done: string;
}

export const AskFirst = ({ children, label, means, confirm, run, done }: AskFirstProps) => {
  const command = useCommand(() => run().then(() => notifyDone(done), notifyFailure(`Not done: ${label}`)));
  return (
    <Button
      size="xs"
      variant="subtle"
      color="red"
      loading={command.isBusy}
      aria-label={label}
      onClick={() => confirmFirst({ title: `${label}?`, means, confirm, isRed: true, run: command.run })}
    >
      {children}
    </Button>
  );
};
