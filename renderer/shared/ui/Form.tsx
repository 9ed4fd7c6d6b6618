// A form: its fields in a column, and the end of one in a dialog.
import { Button, Group, Stack, type ButtonProps, type ElementProps, type StackProps } from '@mantine/core';
import type { SyntheticEvent } from 'react';
import type { Work } from '../hooks/use-work.ts';
import { ErrorNote } from './ErrorNote.tsx';

interface FormProps extends Omit<StackProps, 'onSubmit'> {
  /** Without it, Enter in a field does nothing. */
  onSubmit?: (event: SyntheticEvent<HTMLFormElement>) => void;
  noValidate?: boolean;
}

export const Form = ({ onSubmit, ...stack }: FormProps) => (
  <Stack
    component="form"
    gap="md"
    {...stack}
    onSubmit={(event: SyntheticEvent<HTMLElement>) => {
      event.preventDefault();
      onSubmit?.(event as SyntheticEvent<HTMLFormElement>);
    }}
  />
);

/** Of the button that carries it out, which submits the form without an `onClick` of its own. */
interface FormEndProps extends ButtonProps, ElementProps<'button', keyof ButtonProps> {
  of: Pick<Work<never, unknown>, 'isBusy' | 'error'>;
  /** As the note of its error has it. */
  notDone?: string;
  /** Without it there is no button that cancels. */
  onCancel?: () => void;
  cancel?: string;
}

/** What cannot be undone is red, and has the focus on Cancel. */
export const FormEnd = ({ of: { isBusy, error }, notDone, onCancel, cancel, ...button }: FormEndProps) => (
  <>
    <ErrorNote error={error} {...(notDone === undefined ? {} : { notDone })} />
    <Group justify={onCancel === undefined ? 'flex-start' : 'flex-end'}>
      {onCancel !== undefined && (
        <Button variant="default" onClick={onCancel} data-autofocus={button.color === 'red' || undefined}>
          {cancel ?? 'Cancel'}
        </Button>
      )}
      <Button type={button.onClick === undefined ? 'submit' : 'button'} loading={isBusy} {...button} />
    </Group>
  </>
);
