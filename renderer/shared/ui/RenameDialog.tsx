// The dialog that changes a name.
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { fieldErrors } from '../field-errors.ts';
import { useCommand } from '../hooks/use-command.ts';
import { formDialog, type Done } from './form-dialog.tsx';
import { Form, FormEnd } from './Form.tsx';

interface RenameProps {
  /** Of what has no name yet, or needs none. */
  title?: string;
  name: string;
  note?: string;
  /** The field of the request, for its refusal. */
  field: string;
  rename: (name: string) => Promise<unknown>;
}

export const RenameDialog = formDialog(({ name, title }) => title ?? `Rename ${name}`, RenameForm);

function RenameForm({ title, name: before, note, field, rename, onDone }: RenameProps & Done) {
  const [name, setName] = useState(before);
  const isEmpty = title === undefined && name.trim() === '';
  const command = useCommand(async () => {
    if (isEmpty) return;
    await rename(name.trim());
    onDone();
  });
  const refused = fieldErrors(command.error, [field])?.[field];
  return (
    <Form onSubmit={() => void command.run()}>
      <TextInput
        label={title === undefined ? 'Name' : 'Label'}
        description={note}
        maxLength={80}
        data-autofocus
        value={name}
        error={isEmpty ? 'Give it a name.' : refused}
        onChange={(event) => {
          command.reset();
          setName(event.currentTarget.value);
        }}
      />
      <FormEnd
        of={refused === undefined ? command : { ...command, error: null }}
        notDone={title === undefined ? 'It was not renamed.' : 'The label was not changed.'}
        onCancel={onDone}
      >
        {title === undefined ? 'Rename' : 'Save'}
      </FormEnd>
    </Form>
  );
}
