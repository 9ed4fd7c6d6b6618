// The dialog of an API key that is shown only once: it closes only by the button that says so.
import { Button, Group, Modal, Stack } from '@mantine/core';
import type { McpConfig } from './mcp-hosts.ts';
import { NewKey } from './NewKey.tsx';

interface NewKeyDialogProps {
  title: string;
  size: 'lg' | 'xl';
  /** Null while it is closed. */
  config: McpConfig | null;
  onClose: () => void;
}

export const NewKeyDialog = ({ title, size, config, onClose }: NewKeyDialogProps) => (
  <Modal
    opened={config !== null}
    onClose={onClose}
    title={title}
    size={size}
    closeOnClickOutside={false}
    closeOnEscape={false}
    withCloseButton={false}
  >
    {config !== null && (
      <Stack gap="md">
        <NewKey config={config} />
        <Group justify="flex-end">
          <Button onClick={onClose}>I have it</Button>
        </Group>
      </Stack>
    )}
  </Modal>
);
