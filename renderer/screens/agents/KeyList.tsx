// The API keys of one agent, valid ones first.
import { Button, Group, Menu, Stack, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { Moment } from '../../shared/ui/Moment.tsx';
import { notifyFailure } from '../../shared/notify.ts';
import { whenOf } from '../../shared/time.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { AskFirst } from '../../shared/ui/AskFirst.tsx';
import { Dot } from '../../shared/ui/StatusBadge.tsx';

interface KeyListProps {
  agentId: string;
  keys: readonly Key[];
  onIssued: (issued: Reply<'addKey'>) => void;
  onChanged: () => void;
}

const colors: Record<KeyState, string> = {
  'in force': 'teal',
  ending: 'yellow',
  ended: 'gray',
  revoked: 'gray',
};
const labels: Record<KeyState, string> = {
  'in force': 'Active',
  ending: 'Ending soon',
  ended: 'Ended',
  revoked: 'Revoked',
};
const isUsable = (state: KeyState): boolean => state === 'in force' || state === 'ending';

export const KeyList = ({ agentId, keys, onIssued, onChanged }: KeyListProps) => {
  const now = Date.now();
  const rows = keys
    .map((key) => ({ key, state: keyStateOf(key, now) }))
    .toSorted((a, b) => Number(isUsable(b.state)) - Number(isUsable(a.state)));
  return (
    <Stack component="ul" gap={0} m={0} p={0} aria-label="Keys">
      {rows.map(({ key, state }) => (
        <Group key={key.keyId} component="li" justify="space-between" py="sm" className="divided">
          <Stack gap={2}>
            <Group gap="xs">
              <Text fw={600}>{key.label}</Text>
              <Dot color={colors[state]}>{labels[state]}</Dot>
            </Group>
            <Text size="xs" c="dimmed" className="break-anywhere">
              <Text span inherit ff="monospace">
                {key.keyId}
              </Text>
              , created <Moment iso={key.createdAt} />,{' '}
              {key.lastSeenAt === null ? (
                'never used'
              ) : (
                <>
                  last used <Moment iso={key.lastSeenAt} />
                </>
              )}
              {state === 'ending' && key.expiresAt !== null && <>, ends {whenOf(key.expiresAt)}</>}
            </Text>
          </Stack>
          {isUsable(state) && (
            <Actions agentId={agentId} apiKey={key} onIssued={onIssued} onChanged={onChanged} />
          )}
        </Group>
      ))}
    </Stack>
  );
};

type ActionsProps = Omit<KeyListProps, 'keys'> & { apiKey: Key };

const Actions = ({ agentId, apiKey: { keyId, label }, onIssued, onChanged }: ActionsProps) => {
  const params = { agentId, keyId };
  const rotate = useCommand(async (now: boolean) => {
    const issued = await ask('rotateKey', { params, body: { now } }).catch(
      notifyFailure('The key was not rotated'),
    );
    if (issued !== undefined) onIssued(issued);
    onChanged();
  });
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={14} aria-hidden />}
            loading={rotate.isBusy}
            aria-label={`Rotate ${label} ${keyId}`}
          >
            Rotate
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void rotate.run(false)}>New key; this one ends in 24 hours</Menu.Item>
          <Menu.Item onClick={() => void rotate.run(true)}>New key; this one ends now</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <AskFirst
        variant="outline"
        label={`Revoke ${label} ${keyId}`}
        title={`Revoke “${label}”?`}
        means="Programs that use this key lose their access at once, and approvals that it asked for are declined. This cannot be undone."
        confirm="Revoke"
        run={() => ask('revokeKey', { params }).finally(onChanged)}
        notDone="The key was not revoked"
      >
        Revoke
      </AskFirst>
    </Group>
  );
};

/** Whether an API key is still valid. */
type Key = Reply<'listKeys'>['keys'][number];
type KeyState = 'in force' | 'ending' | 'ended' | 'revoked';

const keyStateOf = ({ expiresAt, revokedAt }: Key, now: number): KeyState => {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'in force';
  return Date.parse(expiresAt) > now ? 'ending' : 'ended';
};
