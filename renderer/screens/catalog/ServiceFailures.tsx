// The recent failures of a service: not delivered, refused, failed.
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Reply } from '../../../server/contract/schemas.ts';
import { useAgentNames } from '../../shared/agent-names.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { refusalOf } from '../../../server/contract/refusals/refused-transfer.ts';
import { outcomeOf, type Outcome } from '../../shared/status.ts';
import { StatusBadge } from '../../shared/ui/StatusBadge.tsx';

type Entry = Reply<'activity'>['entries'][number];

const mostShown = 8;
const bad: readonly Outcome[] = ['undelivered', 'refused', 'declined', 'failed', 'unknown'];

interface ServiceFailuresProps {
  serviceId: string;
  entries: readonly Entry[];
  note: string;
}

export const ServiceFailures = ({ serviceId, entries, note }: ServiceFailuresProps) => {
  const failed = entries.filter((entry) => bad.includes(outcomeOf(entry)));
  const nameOf = useAgentNames(failed.flatMap(({ agentId }) => (agentId === null ? [] : [agentId])));
  if (failed.length === 0) return null;
  return (
    <Panel title="What went wrong" note={note}>
      <Stack gap="sm" component="ul" m={0} p={0}>
        {failed.slice(0, mostShown).map((entry) => (
          <Stack key={entry.id} component="li" gap={2} style={{ listStyle: 'none' }}>
            <Group justify="space-between" gap="xs">
              <Anchor
                component={Link}
                href={`/activity/${encodeURIComponent(entry.id)}`}
                c="inherit"
                className="break-anywhere"
              >
                <Amount value={entry.amount} currency={entry.currency} /> by{' '}
                {entry.agentId === null ? 'the treasury' : nameOf(entry.agentId)}
              </Anchor>
              <StatusBadge of={entry} />
            </Group>
            <Text size="xs" c="dimmed" className="break-anywhere">
              <Moment iso={entry.timestamp} /> · {refusalOf(entry, nameOf)?.sentence ?? entry.note}
            </Text>
          </Stack>
        ))}
        {failed.length > mostShown && (
          <Anchor component={Link} href={`/activity?service=${encodeURIComponent(serviceId)}`}>
            See all in Activity
          </Anchor>
        )}
      </Stack>
    </Panel>
  );
};
