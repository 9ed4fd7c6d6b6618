// The newest payments and refusals; new ones appear at the top by themselves.
import { Anchor, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { AgentPicture } from '../../shared/ui/AgentPicture.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { EmptyState } from '../../shared/ui/EmptyState.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useAgentNames } from '../../shared/agent-names.ts';
import type { Outcome, Shown } from '../../shared/status.ts';
import { OutcomeBadge, StatusBadge } from '../../shared/ui/StatusBadge.tsx';
import { useOwner } from '../../stores/queries.ts';
import type { Snapshot } from '../../stores/treasury.ts';
import styles from './overview.module.css';

type Entry = Snapshot['recentActivity'][number];

const mostShown = 8;

/** The snapshot does not tell apart what is paid, settling and not delivered: the activity does. */
export const useOutcomes = (): { of: (id: string) => Shown | undefined; isKnown: boolean } => {
  const { data, error } = useOwner('activity', { query: { limit: '25' } });
  const byId = new Map(data?.entries.map((entry) => [entry.id, entry]));
  return { of: (id) => byId.get(id), isKnown: data !== undefined || error !== null };
};

export const RecentActivity = ({ entries }: { entries: readonly Entry[] }) => {
  const shown = entries.slice(0, mostShown);
  const { of, isKnown } = useOutcomes();
  const nameOf = useAgentNames(shown.map(({ agent }) => agent));
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
      {entries.length === 0 ? (
        <EmptyState icon={<IconHistory size={32} />} title="No payments yet">
          As soon as an agent pays, or is refused, it appears here by itself.
        </EmptyState>
      ) : (
        <Stack component="ul" gap={0} m={0} p={0}>
          {shown.map((entry) => (
            <Row key={entry.id} entry={entry} agent={nameOf(entry.agent)}>
              <Became status={entry.status} transfer={of(entry.id)} isKnown={isKnown} />
            </Row>
          ))}
        </Stack>
      )}
    </Panel>
  );
};

interface RowProps {
  entry: Entry;
  agent: string;
  children: ReactNode;
}

const Row = ({ entry: { id, agent: agentId, venue, amount, timestamp }, agent, children }: RowProps) => (
  <li className={styles['row']}>
    <UnstyledButton component={Link} href={`/activity/${encodeURIComponent(id)}`} className={styles['link']}>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Stack gap={0} miw={0}>
          <Text fw={600} truncate title={venue}>
            {venue}
          </Text>
          <Text size="xs" c="dimmed" truncate title={agent}>
            <AgentPicture agentId={agentId} size={14} /> {agent} · <Moment iso={timestamp} />
          </Text>
        </Stack>
        <div className={styles['end']}>
          {children}
          <Text ta="right" w={104} className="may-wrap">
            <Amount value={amount} />
          </Text>
        </div>
      </Group>
    </UnstyledButton>
  </li>
);

interface OutcomeProps {
  status: string;
  transfer: Shown | undefined;
  isKnown: boolean;
}

/** By the snapshot's own words. */
const roughly: Record<string, Outcome> = {
  approved: 'paid',
  awaiting_approval: 'waiting',
  denied: 'refused',
  failed: 'failed',
};

const Became = ({ status, transfer, isKnown }: OutcomeProps) => {
  if (transfer !== undefined) return <StatusBadge of={transfer} />;
  return isKnown ? <OutcomeBadge outcome={roughly[status] ?? 'unknown'} /> : null;
};
