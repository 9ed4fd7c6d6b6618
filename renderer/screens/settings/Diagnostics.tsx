// A report for support, without secrets: shown first, then saved.
import { Button, Group, Text } from '@mantine/core';
import { IconDeviceFloppy, IconStethoscope } from '@tabler/icons-react';
import { useState } from 'react';
import { askDesktop } from '../../api/desktop.ts';
import { ask } from '../../api/owner.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { CodeBlock } from '../../shared/ui/CopyButton.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { notifyDone } from '../../shared/notify.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
import { saveFile } from '../../shared/save-file.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { isDesktop } from '../../stores/connection.ts';

export const Diagnostics = () => {
  const [bundle, setBundle] = useState<Reply<'diagnostics'> | null>(null);
  const collect = useCommand(async () => setBundle(await ask('diagnostics')));
  const text = bundle === null ? '' : JSON.stringify(bundle, null, 2);
  const save = useCommand(() => saved(text));
  return (
    <Panel
      title="Diagnostics"
      note="Versions, counts, open transfers and the last lines of the log. No keys, no recovery phrase, no passphrase."
    >
      {bundle !== null && (
        <>
          <CodeBlock label="What is in the file" fz="xs">
            {text}
          </CodeBlock>
          <Text>It includes the IDs of your agents’ payments. Read it before you share it.</Text>
        </>
      )}
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={<IconStethoscope size={18} aria-hidden />}
          loading={collect.isBusy}
          onClick={() => void collect.run()}
        >
          {bundle === null ? 'Show diagnostics' : 'Refresh'}
        </Button>
        {bundle !== null && (
          <Button
            leftSection={<IconDeviceFloppy size={18} aria-hidden />}
            loading={save.isBusy}
            onClick={() => void save.run()}
          >
            Download
          </Button>
        )}
      </Group>
      <ErrorNote error={collect.error ?? save.error} notDone="Nothing was saved." />
    </Panel>
  );
};

const saved = async (text: string): Promise<void> => {
  if (!isDesktop)
    return saveFile('treasury-diagnostics.json', new Blob([text], { type: 'application/json' }));
  const { path } = await askDesktop('saveDiagnostics', {});
  if (path !== null) notifyDone(`Saved as ${path}`);
};
