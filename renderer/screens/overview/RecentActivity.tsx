// The newest payments and refusals; new ones appear at the top by themselves.
import { Anchor, Badge, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { Link } from 'wouter';
import { Amount } from '../../shared/Amount.tsx';
import { EmptyState } from '../../shared/EmptyState.tsx';
import { Moment } from '../../shared/Moment.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { statuses, type Status } from '../../shared/status.ts';
import { StatusBadge } from '../../shared/StatusBadge.tsx';
import type { Snapshot } from '../../stores/treasury.ts';
import styles from './overview.module.css';

type Entry = Snapshot['recentActivity'][number];

const mostShown = 8;

export const RecentActivity = ({ entries }: { entries: readonly Entry[] }) => (
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
        {entries.slice(0, mostShown).map((entry) => (
          <Row key={entry.id} entry={entry} />
        ))}
      </Stack>
    )}
  </Panel>
);

const Row = ({ entry: { id, agent, venue, amount, timestamp, status } }: { entry: Entry }) => (
  <li className={styles['row']}>
    <UnstyledButton component={Link} href={`/activity/${encodeURIComponent(id)}`} className={styles['link']}>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Stack gap={0} miw={0}>
          <Text size="sm" fw={600} truncate>
            {venue}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {agent} · <Moment iso={timestamp} />
          </Text>
        </Stack>
        <Group gap="sm" wrap="nowrap" justify="flex-end" flex="none">
          <Said status={status} />
          <Text size="sm" ta="right" miw={88}>
            <Amount value={amount} />
          </Text>
        </Group>
      </Group>
    </UnstyledButton>
  </li>
);

const isStatus = (status: string): status is Status => Object.hasOwn(statuses, status);

/** The dashboard's status `approved` covers pending and paid. */
const Said = ({ status }: { status: string }) =>
  isStatus(status) ? (
    <StatusBadge status={status} />
  ) : (
    <Badge variant="dot" color="teal" tt="none" fw={600} title="Paid, or on its way.">
      Approved
    </Badge>
  );
