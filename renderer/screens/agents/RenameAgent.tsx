// Changes an agent's display name; its id stays.
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ask } from '../../api/owner.ts';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { useCommand } from '../../shared/use-command.ts';
import type { AgentSummary } from '../../stores/treasury.ts';

interface RenameAgentProps {
  agent: AgentSummary;
  opened: boolean;
  onClose: () => void;
}

export const RenameAgent = ({ agent, opened, onClose }: RenameAgentProps) => (
  <Modal opened={opened} onClose={onClose} title={`Rename ${agent.displayName}`}>
    {opened && <RenameForm agent={agent} onDone={onClose} />}
  </Modal>
);

const RenameForm = ({ agent, onDone }: { agent: AgentSummary; onDone: () => void }) => {
  const [name, setName] = useState(agent.displayName);
  const isEmpty = name.trim() === '';
  const rename = useCommand(async () => {
    if (isEmpty) return;
    await ask('rename', { params: { agentId: agent.agentId }, body: { displayName: name.trim() } });
    onDone();
  });
  return (
    <Stack
      gap="md"
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        void rename.run();
      }}
    >
      <TextInput
        label="Name"
        description={`Its ID, ${agent.agentId}, stays the same.`}
        maxLength={80}
        data-autofocus
        value={name}
        error={isEmpty ? 'Give it a name.' : null}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <ErrorNote error={rename.error} notDone="It was not renamed." />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          Cancel
        </Button>
        <Button type="submit" loading={rename.isBusy}>
          Rename
        </Button>
      </Group>
    </Stack>
  );
};
