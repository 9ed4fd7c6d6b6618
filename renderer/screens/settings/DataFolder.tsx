// The data folder on this machine.
import { Button, Group, Text } from '@mantine/core';
import { IconFolderOpen } from '@tabler/icons-react';
import { useState } from 'react';
import type { Reply } from '../../../server/contract/schemas.ts';
import { askDesktop } from '../../api/desktop.ts';
import { Command } from '../../shared/ui/CopyButton.tsx';
import { ask } from '../../api/owner.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { notifyFailure } from '../../shared/notify.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useWork } from '../../shared/hooks/use-work.ts';
import { isDesktop } from '../../stores/connection.ts';
import { useOwner } from '../../stores/queries.ts';

export const DataFolder = () => {
  const { data: about, error } = useOwner('about');
  const backup = useWork(() => ask('backup'));
  const [made, setMade] = useState<Reply<'backup'>>();
  return (
    <Panel title="Data folder" note="Payments, policies and the protected keys are in this folder.">
      <ErrorNote error={error} />
      {about !== undefined && <Command text={about.dataFolder} what="path" />}
      <Group>
        {isDesktop && (
          <Button
            variant="default"
            leftSection={<IconFolderOpen size={18} aria-hidden />}
            onClick={() => {
              askDesktop('openDataFolder', {}).catch(notifyFailure('The folder was not opened'));
            }}
          >
            Open folder
          </Button>
        )}
        <Button variant="default" loading={backup.isBusy} onClick={() => void backup.run().then(setMade)}>
          Back up now
        </Button>
      </Group>
      <ErrorNote error={backup.error} />
      {made !== undefined && (
        <Text role="status" className="break-anywhere">
          Backed up to {made.file}. {made.note}
        </Text>
      )}
      <Text c="dimmed">Copying this folder doesn’t back up your money. Only the recovery phrase does.</Text>
    </Panel>
  );
};
