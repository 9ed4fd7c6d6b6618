// The dialog that changes a name.
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ErrorNote } from './ErrorNote.tsx';
import { fieldErrors } from '../field-errors.ts';
import { useCommand } from '../hooks/use-command.ts';

interface RenameProps {
  name: string;
  note?: string;
  /** The field of the request, for its refusal. */
  field: string;
  rename: (name: string) => Promise<unknown>;
}

interface RenameDialogProps extends RenameProps {
  opened: boolean;
  onClose: () => void;
}

export const RenameDialog = ({ opened, onClose, ...rename }: RenameDialogProps) => (
  <Modal opened={opened} onClose={onClose} title={`Rename ${rename.name}`}>
    {opened && <RenameForm {...rename} onDone={onClose} />}
  </Modal>
);

const RenameForm = ({ name: before, note, field, rename, onDone }: RenameProps & { onDone: () => void }) => {
  const [name, setName] = useState(before);
  const isEmpty = name.trim() === '';
  const command = useCommand(async () => {
    if (isEmpty) return;
    await rename(name.trim());
    onDone();
  });
  const refused = fieldErrors(command.error, [field])?.[field];
  return (
    <Stack
      gap="md"
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        void command.run();
      }}
    >
      <TextInput
        label="Name"
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
      {refused === undefined && <ErrorNote error={command.error} notDone="It was not renamed." />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
        <Button type="submit" loading={command.isBusy}>
          Rename
        </Button>
      </Group>
    </Stack>
  );
};
