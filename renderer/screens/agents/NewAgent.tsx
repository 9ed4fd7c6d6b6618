// The dialog that creates an agent and then shows its API key once.
import { Button, Group, Modal, Stack } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Created } from './Created.tsx';
import { NewAgentForm } from './NewAgentForm.tsx';
import type { CreatedAgent } from './new-agent.ts';

interface NewAgentProps {
  opened: boolean;
  onClose: () => void;
}

export const NewAgent = ({ opened, onClose }: NewAgentProps) => {
  const [created, setCreated] = useState<CreatedAgent | null>(null);
  const [, go] = useLocation();
  const close = (): void => {
    setCreated(null);
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={created === null ? 'New agent' : `${created.name} is ready`}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={created === null}
    >
      {created === null ? (
        <NewAgentForm onCreated={setCreated} />
      ) : (
        <Stack gap="md">
          <Created created={created} />
          <Group justify="flex-end">
            <Button
              onClick={() => {
                go(`/agents/${encodeURIComponent(created.agentId)}`);
                close();
              }}
            >
              Show the agent
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
};
