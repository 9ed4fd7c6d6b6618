// The keys that an agent delegated to sub-agents and tasks, each under the key that made it: what each may still spend,
// until when, and its end.
import { Group, Stack, Switch, Text } from '@mantine/core';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { useAgentName } from '../../shared/agent-names.ts';
import { counted } from '../../shared/format.ts';
import { useChange } from '../../shared/hooks/use-command.ts';
import { notifyFailure } from '../../shared/notify.ts';
import { whenOf } from '../../shared/time.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { AskFirst } from '../../shared/ui/AskFirst.tsx';
import { confirmFirst } from '../../shared/ui/confirm-first.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { QueryState } from '../../shared/ui/Screen.tsx';
import { outdate, useOwner } from '../../stores/queries.ts';
import { Gauges, isLimited } from './limits/LimitGauges.tsx';

type DelegatedKey = Reply<'listDelegatedKeys'>['keys'][number];

/** Each key, followed by those that it delegated. */
const inTree = (keys: readonly DelegatedKey[]): DelegatedKey[] => {
  const below = (parentId: string): DelegatedKey[] =>
    keys.filter((key) => key.parentId === parentId).flatMap((key) => [key, ...below(key.keyId)]);
  const ids = new Set(keys.map(({ keyId }) => keyId));
  return keys.filter(({ parentId }) => !ids.has(parentId)).flatMap((key) => [key, ...below(key.keyId)]);
};

const descendantsOf = (keys: readonly DelegatedKey[], keyId: string): number =>
  keys
    .filter(({ parentId }) => parentId === keyId)
    .reduce((sum, child) => sum + 1 + descendantsOf(keys, child.keyId), 0);

export const DelegatedKeys = ({ agentId }: { agentId: string }) => {
  const read = useOwner('listDelegatedKeys', { params: { agentId } });
  const { keys, mayDelegate } = read.data ?? { keys: [], mayDelegate: false };
  return (
    <Panel
      title="Delegated keys"
      note="An agent gives these to its sub-agents and tasks. Each spends this agent’s money, within its own limits and all those above it."
      actions={
        read.data !== undefined && (
          <MayDelegate agentId={agentId} isAllowed={mayDelegate} count={keys.length} />
        )
      }
    >
      <QueryState of={read} />
      {mayDelegate && keys.length === 0 && <Text c="dimmed">No delegated keys in use.</Text>}
      <Stack component="ul" gap={0} m={0} p={0} aria-label="Delegated keys">
        {inTree(keys).map((key) => (
          <Row key={key.keyId} agentId={agentId} of={key} below={descendantsOf(keys, key.keyId)} />
        ))}
      </Stack>
    </Panel>
  );
};

interface RowProps {
  agentId: string;
  of: DelegatedKey;
  /** How many keys end with it. */
  below: number;
}

const Row = ({ agentId, of: key, below }: RowProps) => {
  const { keyId, label, level, used } = key;
  return (
    <Stack component="li" gap="xs" py="sm" pl={(level - 1) * 24} className="divided">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Stack gap={2} miw={0}>
          <Text fw={600} className="break-anywhere">
            {label}
          </Text>
          <Text size="xs" c="dimmed" className="break-anywhere">
            It can spend <Amount value={key.spendable} /> now. It ends {whenOf(key.expiresAt)},{' '}
            {key.lastSeenAt === null ? (
              'and was never used.'
            ) : (
              <>
                and was last used <Moment iso={key.lastSeenAt} />.
              </>
            )}
          </Text>
        </Stack>
        <AskFirst
          variant="outline"
          flex="none"
          label={`End ${label} ${keyId}`}
          title={`End “${label}”?`}
          means={ending(below)}
          confirm="End"
          run={() =>
            ask('endDelegatedKey', { params: { agentId, delegatedKeyId: keyId } }).finally(() =>
              outdate(['listDelegatedKeys']),
            )
          }
          done={`${label} has ended.`}
          notDone={`${label} was not ended`}
        >
          End
        </AskFirst>
      </Group>
      {isLimited(used) && <Gauges used={used} of={label} />}
    </Stack>
  );
};

const ending = (below: number): string =>
  `${below === 0 ? 'It stops' : `It and the ${counted(below, 'key')} below it stop`} working at once, and approvals that were asked for with ${below === 0 ? 'it' : 'them'} are declined. This cannot be undone.`;

interface MayDelegateProps {
  agentId: string;
  isAllowed: boolean;
  /** Of keys that end when it is turned off. */
  count: number;
}

const MayDelegate = ({ agentId, isAllowed, count }: MayDelegateProps) => {
  const name = useAgentName(agentId);
  const change = useChange(['listDelegatedKeys'], (allowed: boolean) =>
    ask('setDelegation', { params: { agentId }, body: { allowed } }).catch(
      notifyFailure('Nothing was changed'),
    ),
  );
  return (
    <Switch
      label="Let it delegate keys"
      checked={isAllowed}
      disabled={change.isBusy}
      onChange={({ currentTarget: { checked } }) => {
        if (checked || count === 0) return void change.run(checked);
        confirmFirst({
          title: `End the ${counted(count, 'delegated key')} of ${name}?`,
          means: ending(count - 1),
          confirm: 'End them',
          isRed: true,
          run: () => change.run(false),
        });
      }}
    />
  );
};
