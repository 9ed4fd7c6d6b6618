// A button that removes something, after explaining the consequences and asking for confirmation.
import { Button, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';
import { notifyDone, notifyFailure } from '../notify.ts';
import { useCommand } from '../hooks/use-command.ts';

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
      onClick={() =>
        void modals.openConfirmModal({
          title: `${label}?`,
          children: <Text size="sm">{means}</Text>,
          labels: { confirm, cancel: 'Cancel' },
          confirmProps: { color: 'red' },
          onConfirm: () => void command.run(),
        })
      }
    >
      {children}
    </Button>
  );
};
