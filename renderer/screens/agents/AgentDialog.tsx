// The dialog of a form that creates an agent: once there is one, it shows the agent's API key, and does so only once.
import { Button, Group, Modal, Stack } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { pathOfAgent } from '../../shared/agent-names.ts';
import { Created } from './new/Created.tsx';
import type { CreatedAgent } from './new/new-agent.ts';
import type { DialogProps } from '../../shared/ui/form-dialog.tsx';

interface AgentDialogProps extends DialogProps {
  title: string;
  form: (onCreated: (created: CreatedAgent) => void) => ReactNode;
}

export const AgentDialog = ({ title, opened, onClose, form }: AgentDialogProps) => {
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
      title={created === null ? title : `${created.name} is ready`}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={created === null}
    >
      {created === null ? (
        form(setCreated)
      ) : (
        <Stack gap="md">
          <Created created={created} />
          <Group justify="flex-end">
            <Button
              onClick={() => {
                go(pathOfAgent(created.agentId));
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
