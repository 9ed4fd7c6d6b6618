// Where everything is kept on this machine.
import { Button, Code, Group, Text } from '@mantine/core';
import { IconFolderOpen } from '@tabler/icons-react';
import { askDesktop } from '../../api/desktop.ts';
import { CopyButton } from '../../shared/CopyButton.tsx';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { notifyFailure } from '../../shared/notify.ts';
import { Panel } from '../../shared/Panel.tsx';
import { isDesktop } from '../../stores/connection.ts';
import { useOwner } from '../../stores/queries.ts';

export const DataFolder = () => {
  const { data: about, error } = useOwner('about');
  return (
    <Panel title="Data folder" note="Payments, policies and the protected keys are in this folder.">
      <ErrorNote error={error} />
      {about !== undefined && (
        <Group gap="xs" wrap="nowrap" justify="space-between">
          <Code className="break-anywhere">{about.dataFolder}</Code>
          <CopyButton text={about.dataFolder} what="path" />
        </Group>
      )}
      {isDesktop && (
        <Group>
          <Button
            variant="default"
            leftSection={<IconFolderOpen size={18} aria-hidden />}
            onClick={() => {
              askDesktop('openDataFolder', {}).catch(notifyFailure('The folder was not opened'));
            }}
          >
            Open folder
          </Button>
        </Group>
      )}
      <Text size="sm" c="dimmed">
        A copy of the folder is no backup of the money: the recovery phrase is.
      </Text>
    </Panel>
  );
};
