// One agent: its balance, policy, API keys and history.
import { Anchor, Card, SimpleGrid, Stack, Tabs, Text } from '@mantine/core';
import { IconHistory, IconRobotOff } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { pathOfAgent, useAgentName } from '../../shared/agent-names.ts';
import { agentTabs } from '../../parts.ts';
import { AgentPicture } from '../../shared/ui/AgentPicture.tsx';
import { EmptyState, ToAgents } from '../../shared/ui/EmptyState.tsx';
import { QueryState, Screen } from '../../shared/ui/Screen.tsx';
import { type AgentSummary, useTreasury } from '../../stores/treasury.ts';
import { groupOf, pathOfGroup, useGroups } from './groups/use-groups.ts';
import { AgentActions } from './AgentActions.tsx';
import { AgentStatus } from './nodes/NodeStatus.tsx';
import { Keys } from './Keys.tsx';
import { PolicyEditor } from './limits/PolicyEditor.tsx';
import { Seen, Tags, Waiting } from './Seen.tsx';
import { Watch } from './Watch.tsx';
import { refusalOf } from '../../../server/contract/refusals/refused-transfer.ts';
import { usePages } from '../../shared/hooks/use-pages.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
import { MorePages } from '../../shared/ui/ShowMore.tsx';
import { TransferRow } from '../overview/RecentActivity.tsx';
import { Address } from '../../shared/ui/Address.tsx';
import { sumOf } from '../../shared/amounts.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { BudgetGauge } from '../../shared/ui/Gauge.tsx';
import { Figure } from '../../shared/ui/Figure.tsx';
import { countedUse, placesOf } from '../../shared/format.ts';
import { Moment } from '../../shared/ui/Moment.tsx';
import { dayOf } from '../../shared/time.ts';
import { useSettling } from '../../shared/hooks/use-settling.ts';
import { RefillLine } from './Refill.tsx';

interface AgentDetailProps {
  agentId: string;
  /** As the address names it. */
  tab?: string | undefined;
}

export default function AgentDetail({ agentId, tab = '' }: AgentDetailProps) {
  const agent = useTreasury(({ snapshot }) => snapshot?.agents.find((one) => one.agentId === agentId));
  const [, go] = useLocation();
  const shown = Object.hasOwn(agentTabs, tab) ? tab : 'policy';
  const [wasPolicy, setWasPolicy] = useState(false);
  if (shown === 'policy' && !wasPolicy) setWasPolicy(true);
  if (agent === undefined) return <NoSuchAgent agentId={agentId} />;
  return (
    <Screen
      title={
        <>
          <AgentPicture agentId={agentId} size={28} /> {agent.displayName}
        </>
      }
      name={agent.displayName}
      actions={<AgentActions agent={agent} />}
      back={['/agents', 'Agents']}
      below={<Head agent={agent} />}
    >
      <AgentFigures agent={agent} />
      <Tabs
        value={shown}
        // Back leaves the agent.
        onChange={(next) =>
          go(pathOfAgent(agentId, next === 'policy' ? '' : (next ?? '')), { replace: true })
        }
        keepMounted={false}
      >
        <Tabs.List>
          {Object.entries(agentTabs).map(([id, one]) => (
            <Tabs.Tab key={id} value={id}>
              <Text span inherit visibleFrom="xs">
                {one.label}
              </Text>
              <Text span inherit hiddenFrom="xs">
                {'short' in one ? one.short : one.label}
              </Text>
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {/* Once it was shown, it stays mounted behind the other tabs, so that edits are kept. */}
        <Tabs.Panel value="policy" pt="md" keepMounted={wasPolicy}>
          <PolicyEditor agentId={agentId} />
        </Tabs.Panel>
        <Tabs.Panel value="watch" pt="md">
          <Watch agentId={agentId} />
        </Tabs.Panel>
        <Tabs.Panel value="keys" pt="md">
          <Keys agentId={agentId} />
        </Tabs.Panel>
        <Tabs.Panel value="history" pt="md">
          <AgentHistory agentId={agentId} />
        </Tabs.Panel>
      </Tabs>
    </Screen>
  );
}

const Head = ({ agent }: { agent: AgentSummary }) => (
  <>
    <Text c="dimmed" ff="monospace" className="break-anywhere">
      {agent.agentId}
    </Text>
    <AgentStatus agent={agent} />
    <Waiting {...agent} />
    <GroupOf agentId={agent.agentId} />
    <Text c="dimmed">
      <Seen {...agent} />
    </Text>
    <Tags tags={agent.tags} />
    {agent.asking !== null && (
      <Text c="orange" className="break-anywhere">
        Each payment waits for you. {agent.asking}{' '}
        <Anchor component={Link} href={pathOfAgent(agent.agentId, 'watch')} inherit underline="always">
          Decide
        </Anchor>
      </Text>
    )}
    {agent.statusReason !== null && (
      <Text c="dimmed" className="break-anywhere">
        {agent.statusReason}
      </Text>
    )}
  </>
);

/** The group that it is in, if it is in one. */
const GroupOf = ({ agentId }: { agentId: string }) => {
  const group = groupOf(useGroups(), agentId);
  return group === undefined ? null : (
    <Text c="dimmed" className="break-anywhere">
      In{' '}
      <Anchor component={Link} href={pathOfGroup(group)} inherit>
        {group.name}
      </Anchor>
    </Text>
  );
};

const NoSuchAgent = ({ agentId }: { agentId: string }) => (
  <Screen title="No such agent">
    <EmptyState icon={<IconRobotOff size={40} />} title="This agent is not here" action={<ToAgents />}>
      There is no agent {agentId}, or it was archived. Its payments stay in the activity.
    </EmptyState>
  </Screen>
);

/** An agent's history, newest first. */
const AgentHistory = ({ agentId }: { agentId: string }) => {
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
            places={placesOf(history.rows)}
            reason={refusalOf(entry, () => name)?.sentence ?? entry.note}
          />
        ))}
      </Stack>
      <MorePages of={history} />
    </Panel>
  );
};

/** An agent's balance and spending, in figures. */
const AgentFigures = ({ agent }: { agent: AgentSummary }) => (
  <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'xs', sm: 'md' }}>
    <Figure
      label="Balance"
      note={
        <>
          <Address value={agent.walletAddress} what="wallet address" />
          <RefillLine agent={agent} />
        </>
      }
      amount={agent.balance}
    />
    <Card withBorder bg="var(--card)" p={{ base: 'sm', sm: 'md' }}>
      <Stack gap={8}>
        <Text c="dimmed">Spent in 24 hours</Text>
        <BudgetGauge spent={agent.spentToday} budget={agent.inForce} mayEnd of={agent.displayName} />
      </Stack>
    </Card>
    <SpentInAll agent={agent} />
    <Figure label="Last payment" note={`Agent created ${dayOf(agent.createdAt)}`}>
      {agent.lastPaymentAt === null ? 'None yet' : <Moment iso={agent.lastPaymentAt} />}
    </Figure>
  </SimpleGrid>
);

/** With what is settling, as in the figure of 24 hours beside it. */
const SpentInAll = ({
  agent: { agentId, lifetimeSpent, lifetimePayments, lifetimeRequests },
}: {
  agent: AgentSummary;
}) => {
  const settling = useSettling().filter((payment) => payment.agentId === agentId);
  return (
    <Figure
      label="Spent in total"
      note={
        <>
          {countedUse({ payments: lifetimePayments + settling.length, requests: lifetimeRequests })}
          {settling.length > 0 && (
            <>
              , <Amount value={sumOf(settling)} /> still settling
            </>
          )}
        </>
      }
      amount={sumOf([{ amount: lifetimeSpent }, ...settling])}
    />
  );
};
