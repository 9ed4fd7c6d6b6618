// The agents that paid a service in the last 90 days, the largest first.
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { AgentName } from '../../shared/ui/AgentName.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { counted } from '../../shared/format.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
import { sinceDays } from '../../shared/time.ts';
import { useOwner } from '../../stores/queries.ts';

const days = 90;
const mostShown = 10;

/** The filter of its totals, or of those of all services. */
export const paymentsOf = (serviceId?: string) =>
  serviceId === undefined ? { from: sinceDays(days) } : { serviceId, from: sinceDays(days) };

export const ServiceUsers = ({ serviceId }: { serviceId: string }) => {
  const { data, error, refetch } = useOwner('totals', { query: paymentsOf(serviceId) });
  const all = (
    <Anchor component={Link} href={`/activity?service=${encodeURIComponent(serviceId)}`}>
      See in Activity
    </Anchor>
  );
  return (
    <Panel title="Used by" note={`Last ${days} days`} actions={all}>
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data !== undefined && data.agents.length === 0 && <Text c="dimmed">No agent has paid it.</Text>}
      {data !== undefined && data.agents.length > 0 && (
        <Stack gap="xs" component="ul" m={0} p={0}>
          {data.agents.slice(0, mostShown).map(({ agentId, amount, payments }) => (
            <Group
              key={agentId}
              component="li"
              justify="space-between"
              wrap="nowrap"
              gap="sm"
              style={{ listStyle: 'none' }}
            >
              <AgentName agentId={agentId} />
              <Text ta="right" className="may-wrap">
                <Amount value={amount} />{' '}
                <Text span inherit c="dimmed">
                  in {counted(payments, 'payment')}
                </Text>
              </Text>
            </Group>
          ))}
          {data.agents.length > mostShown && (
            <Text component="li" c="dimmed" style={{ listStyle: 'none' }}>
              {counted(data.agents.length - mostShown, 'further agent')}
            </Text>
          )}
        </Stack>
      )}
    </Panel>
  );
};
