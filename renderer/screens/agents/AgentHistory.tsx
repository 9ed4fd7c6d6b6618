// An agent's history, newest first.
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { Link } from 'wouter';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { useAgentName } from '../../shared/agent-names.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { EmptyState } from '../../shared/ui/EmptyState.tsx';
import { QueryState } from '../../shared/ui/Screen.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { refusalOf } from '../../../server/contract/refusals/refused-transfer.ts';
import { ShowMore } from '../../shared/ui/ShowMore.tsx';
import { isOwnMove, kinds } from '../../shared/status.ts';
import { StatusBadge } from '../../shared/ui/StatusBadge.tsx';

const page = 20;

const useHistory = (agentId: string) =>
  useInfiniteQuery({
    queryKey: ['activity', { agentId, page }],
    queryFn: ({ pageParam }) =>
      ask('activity', {
        query: { agentId, limit: String(page), ...(pageParam === null ? {} : { before: String(pageParam) }) },
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  });

export const AgentHistory = ({ agentId }: { agentId: string }) => {
  const history = useHistory(agentId);
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage } = history;
  const name = useAgentName(agentId);
  const entries = data?.pages.flatMap((one) => one.entries) ?? [];
  const all = (
    <Anchor component={Link} href={`/activity?agent=${encodeURIComponent(agentId)}`}>
      All of it in Activity
    </Anchor>
  );
  return (
    <Panel title="History" actions={entries.length > 0 && all}>
      <QueryState of={history} />
      {data !== undefined && entries.length === 0 && (
        <EmptyState icon={<IconHistory size={32} />} title="Nothing yet">
          Payments, refusals, and funds that you add or take back appear here.
        </EmptyState>
      )}
      {entries.length > 0 && (
        <Stack component="ul" gap={0} m={0} p={0} aria-label="History, newest first">
          {entries.map((entry) => (
            <Line
              key={entry.id}
              entry={entry}
              reason={refusalOf(entry, () => name)?.sentence ?? entry.note}
            />
          ))}
        </Stack>
      )}
      {hasNextPage && <ShowMore isBusy={isFetchingNextPage} onMore={fetchNextPage} />}
    </Panel>
  );
};

type Entry = Reply<'activity'>['entries'][number];

const Line = ({ entry, reason }: { entry: Entry; reason: string | null }) => (
  <Group component="li" justify="space-between" wrap="nowrap" align="flex-start" py="xs" className="divided">
    <Stack gap={0} miw={0}>
      <Anchor
        component={Link}
        href={`/activity/${encodeURIComponent(entry.id)}`}
        fw={600}
        c="inherit"
        className="break-anywhere"
      >
        {isOwnMove(entry.kind) ? kinds[entry.kind] : entry.service}
      </Anchor>
      <Text size="xs" c="dimmed">
        <Moment iso={entry.timestamp} />
      </Text>
      {reason !== null && (
        <Text size="xs" c="dimmed" className="break-anywhere">
          {reason}
        </Text>
      )}
    </Stack>
    <Stack gap={4} align="flex-end" className="may-wrap" ta="right">
      <Text>
        <Amount value={entry.amount} currency={entry.currency} />
      </Text>
      <StatusBadge of={entry} />
    </Stack>
  </Group>
);
