// A button that takes something away, after explaining the consequences and asking for confirmation.
import { Button, type ButtonProps } from '@mantine/core';
import { notifyDone, notifyFailure } from '../notify.ts';
import { useCommand } from '../hooks/use-command.ts';
import { confirmFirst } from './confirm-first.tsx';

interface AskFirstProps extends ButtonProps {
  /** The action and its object: `Remove My API`. */
  label: string;
  /** The question; by default the label. */
  title?: string;
  /** The consequences. */
  means: string;
  confirm: string;
  run: () => Promise<unknown>;
  /** Said when it is done, unless the screen shows it by itself. */
  done?: string;
  notDone?: string;
}

export const AskFirst = ({ label, title, means, confirm, run, done, notDone, ...button }: AskFirstProps) => {
  const command = useCommand(() =>
    run().then(() => done !== undefined && notifyDone(done), notifyFailure(notDone ?? `Not done: ${label}`)),
  );
  return (
    <Button
      size="xs"
      variant="subtle"
      color="red"
      c="var(--mantine-color-error)"
      loading={command.isBusy}
      aria-label={label}
      onClick={() =>
        confirmFirst({ title: title ?? `${label}?`, means, confirm, isRed: true, run: command.run })
      }
      {...button}
    />
  );
};
