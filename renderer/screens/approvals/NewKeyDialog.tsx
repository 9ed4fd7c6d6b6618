// The API key of an agent created by an approval: shown once, and kept only in this dialog.
import { Button, Group, Modal, Stack } from '@mantine/core';
import { NewKey } from '../connect/NewKey.tsx';
import type { Created } from './granted.ts';

interface NewKeyDialogProps {
  created: Created | null;
  onClose: () => void;
}

export const NewKeyDialog = ({ created, onClose }: NewKeyDialogProps) => (
  <Modal
    opened={created !== null}
    onClose={onClose}
    title={`The key of ${created?.agentId ?? ''}`}
    size="xl"
    closeOnClickOutside={false}
    closeOnEscape={false}
    withCloseButton={false}
  >
    {created !== null && (
      <Stack>
        <NewKey config={created.mcpConfig} />
        <Group justify="flex-end">
          <Button onClick={onClose}>I have it</Button>
        </Group>
      </Stack>
    )}
  </Modal>
);
