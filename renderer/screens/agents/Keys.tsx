// An agent's API keys: listed without their secret, added, rotated and revoked; and what an API key is for.
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { useAgentName } from '../../shared/agent-names.ts';
import { EmptyState } from '../../shared/ui/EmptyState.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { QueryState } from '../../shared/ui/Screen.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { NewKeyDialog } from '../connect/NewKeyDialog.tsx';
import { useOwner, reread } from '../../stores/queries.ts';
import { DelegatedKeys } from './DelegatedKeys.tsx';
import { KeyList } from './KeyList.tsx';

type Issued = Reply<'addKey'>;

export const Keys = ({ agentId }: { agentId: string }) => {
  const read = useOwner('listKeys', { params: { agentId } });
  const keys = read.data?.keys;
  const name = useAgentName(agentId);
  const [issued, setIssued] = useState<Issued | null>(null);
  const add = useCommand(async () => {
    setIssued(await ask('addKey', { params: { agentId }, body: {} }));
    await reread('listKeys');
  });
  const addButton = (
    <Button
      variant="default"
      leftSection={<IconPlus size={16} aria-hidden />}
      loading={add.isBusy}
      onClick={() => void add.run()}
    >
      Add a key
    </Button>
  );
  return (
    <Stack gap="lg">
      <Panel
        title="Keys"
        note="Anyone with a key can act as this agent. Keys are shown only once."
        actions={addButton}
      >
        <ErrorNote error={add.error} notDone="No key was added." />
        <QueryState of={read} />
        {keys?.length === 0 && (
          <EmptyState icon={<IconKey size={32} />} title="No keys">
            No program can reach this agent until you add a key.
          </EmptyState>
        )}
        {keys !== undefined && keys.length > 0 && (
          <KeyList
            agentId={agentId}
            keys={keys}
            onIssued={setIssued}
            onChanged={() => void reread('listKeys')}
          />
        )}
      </Panel>
      <DelegatedKeys agentId={agentId} />
      <Panel title="Connect a program">
        <Text>
          A key is shown only when it is created, so each program that you connect gets its own. Keys that you
          have keep working until you revoke them.
        </Text>
        <Group>
          <Button
            leftSection={<IconKey size={16} aria-hidden />}
            loading={add.isBusy}
            onClick={() => void add.run()}
          >
            Add a key to connect
          </Button>
        </Group>
      </Panel>
      <NewKeyDialog
        title={`A new key for ${name}`}
        size="lg"
        config={issued?.mcpConfig ?? null}
        onClose={() => setIssued(null)}
      />
    </Stack>
  );
};
