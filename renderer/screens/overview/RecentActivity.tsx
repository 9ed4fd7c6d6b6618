// The newest transfers and refusals; new ones appear at the top by themselves.
import { Anchor, Group, Skeleton, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { Link } from 'wouter';
import type { Reply } from '../../../server/contract/schemas.ts';
import { useAgentNames } from '../../shared/agent-names.ts';
import { placesOf } from '../../shared/format.ts';
import { titleOf } from '../../shared/status.ts';
import { AgentPicture } from '../../shared/ui/AgentPicture.tsx';
import { EmptyState } from '../../shared/ui/EmptyState.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { SignedAmount } from '../../shared/ui/Amount.tsx';
import { StatusBadge } from '../../shared/ui/StatusBadge.tsx';
import { useOwner } from '../../stores/queries.ts';
import styles from './overview.module.css';

type Entry = Reply<'activity'>['entries'][number];

export const useRecent = () => useOwner('activity', { query: { limit: '6' } });

export const RecentActivity = () => {
  const { data, error, refetch } = useRecent();
  const entries = data?.entries ?? [];
  const nameOf = useAgentNames(entries.map(({ agentId }) => agentId ?? ''));
  return (
    <Panel
      title="Recent activity"
      actions={
        entries.length > 0 && (
          <Anchor component={Link} href="/activity" size="sm">
            All activity
          </Anchor>
        )
      }
    >
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data === undefined && error === null && <Skeleton h={320} radius="md" />}
      {data?.entries.length === 0 && (
        <EmptyState icon={<IconHistory size={32} />} title="No payments yet">
          Payments and refusals appear here as they happen.
        </EmptyState>
      )}
      <Stack component="ul" gap={0} m={0} p={0}>
        {entries.map((entry) => (
          <TransferRow key={entry.id} entry={entry} nameOf={nameOf} places={placesOf(entries)} />
        ))}
      </Stack>
    </Panel>
  );
};

interface TransferRowProps {
  entry: Entry;
  places: number;
  nameOf: (agentId: string) => string;
  /** In the history of one agent, which is not named in each row: why nothing was paid, or delivered. */
  reason?: string | null;
}

export const TransferRow = ({ entry, nameOf, places, reason }: TransferRowProps) => {
  const { id, agentId, timestamp } = entry;
  const title = titleOf(entry, nameOf);
  const agent = agentId === null ? 'Treasury' : nameOf(agentId);
  return (
    <li className={styles['row']}>
      <UnstyledButton component={Link} href={`/activity/${id}`} className={styles['link']}>
        <Group justify="space-between" wrap="nowrap" gap="sm">
          <Stack gap={0} miw={0}>
            <Text fw={600} truncate title={title}>
              {title}
            </Text>
            <Text size="xs" c="dimmed" truncate title={agent}>
              {reason === undefined && (
                <>
                  {agentId !== null && <AgentPicture agentId={agentId} size={14} />} {agent} ·{' '}
                </>
              )}
              <Moment iso={timestamp} />
            </Text>
            {reason != null && (
              <Text size="xs" c="dimmed" className="break-anywhere">
                {reason}
              </Text>
            )}
          </Stack>
          <div className={styles['end']}>
            <StatusBadge of={entry} />
            <Text component="div" ta="right" w={{ sm: 112 }} className="may-wrap">
              <SignedAmount of={entry} places={places} />
            </Text>
          </div>
        </Group>
      </UnstyledButton>
    </li>
  );
};
