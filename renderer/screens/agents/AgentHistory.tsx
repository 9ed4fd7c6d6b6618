// An agent's history, newest first.
import { Anchor, Button, Group, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconHistory } from '@tabler/icons-react';
import { Link } from 'wouter';
import { ask } from '../../api/owner.ts';
import { useAgentName } from '../../shared/agent-names.ts';
import { Amount } from '../../shared/Amount.tsx';
import { EmptyState } from '../../shared/EmptyState.tsx';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { Moment } from '../../shared/Moment.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Loading } from '../../shared/Screen.tsx';
import { refusalOf } from '../../shared/refusal.ts';
import { kinds, type Kind } from '../../shared/status.ts';
import { StatusBadge } from '../../shared/StatusBadge.tsx';

const page = 20;
/** An agent’s own list names these by kind, instead of repeating the agent. */
const isOwnMove = (kind: Kind): boolean => kind === 'allocation' || kind === 'recall';

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
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useHistory(agentId);
  const name = useAgentName(agentId);
  const entries = data?.pages.flatMap((one) => one.entries) ?? [];
  const all = (
    <Anchor component={Link} href={`/activity?agent=${encodeURIComponent(agentId)}`} size="sm">
      All of it in Activity
    </Anchor>
  );
  return (
    <Panel title="History" actions={entries.length > 0 && all}>
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data === undefined && error === null && <Loading />}
      {data !== undefined && entries.length === 0 && (
        <EmptyState icon={<IconHistory size={32} />} title="Nothing yet">
          Payments, refusals, and funds that you add or take back appear here.
        </EmptyState>
      )}
      {entries.length > 0 && (
        <Table.ScrollContainer minWidth={480}>
          <Table verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Time</Table.Th>
                <Table.Th>What</Table.Th>
                <Table.Th>Status</Table.Th>
                <Table.Th ta="right">Amount</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {entries.map((entry) => (
                <Table.Tr key={entry.id}>
                  <Table.Td>
                    <Anchor component={Link} href={`/activity/${encodeURIComponent(entry.id)}`} size="sm">
                      <Moment iso={entry.timestamp} />
                    </Anchor>
                  </Table.Td>
                  <Table.Td>
                    <Text size="sm">{isOwnMove(entry.kind) ? kinds[entry.kind] : entry.service}</Text>
                    {entry.failure !== null && (
                      <Text size="xs" c="dimmed" className="break-anywhere">
                        {refusalOf(entry, () => name)?.sentence}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>
                    <StatusBadge of={entry} />
                  </Table.Td>
                  <Table.Td ta="right">
                    <Amount value={entry.amount} currency={entry.currency} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {hasNextPage && (
        <Group justify="center">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </Group>
      )}
    </Panel>
  );
};
