// An agent's history, newest first.
import { Anchor, Stack } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { Link } from 'wouter';
import { refusalOf } from '../../../server/contract/refusals/refused-transfer.ts';
import { useAgentName } from '../../shared/agent-names.ts';
import { usePages } from '../../shared/hooks/use-pages.ts';
import { EmptyState } from '../../shared/ui/EmptyState.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { QueryState } from '../../shared/ui/Screen.tsx';
import { MorePages } from '../../shared/ui/ShowMore.tsx';
import { TransferRow } from '../overview/RecentActivity.tsx';

export const AgentHistory = ({ agentId }: { agentId: string }) => {
  const history = usePages(
    'activity',
    { agentId, limit: '20' },
    ({ entries }) => entries,
    ({ next }) => next,
  );
  const name = useAgentName(agentId);
  const all = (
    <Anchor component={Link} href={`/activity?agent=${encodeURIComponent(agentId)}`}>
      See all in Activity
    </Anchor>
  );
  return (
    <Panel title="History" actions={history.rows.length > 0 && all}>
      <QueryState of={history} />
      {history.data !== undefined && history.rows.length === 0 && (
        <EmptyState icon={<IconHistory size={32} />} title="Nothing yet">
          Payments, refusals, and funds that you add or take back appear here.
        </EmptyState>
      )}
      <Stack component="ul" gap={0} m={0} p={0} aria-label="History, newest first">
        {history.rows.map((entry) => (
          <TransferRow
            key={entry.id}
            entry={entry}
            nameOf={() => name}
            reason={refusalOf(entry, () => name)?.sentence ?? entry.note}
          />
        ))}
      </Stack>
      <MorePages of={history} />
    </Panel>
  );
};
