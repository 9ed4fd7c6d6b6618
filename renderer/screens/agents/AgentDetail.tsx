// One agent: its balance, policy, API keys and history.
import { Anchor, Tabs, Text } from '@mantine/core';
import { IconRobotOff } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { pathOfAgent } from '../../shared/agent-names.ts';
import { agentTabs } from '../../parts.ts';
import { AgentPicture } from '../../shared/ui/AgentPicture.tsx';
import { Back } from '../../shared/ui/Back.tsx';
import { EmptyState, ToAgents } from '../../shared/ui/EmptyState.tsx';
import { Screen } from '../../shared/ui/Screen.tsx';
import { useTreasury, type AgentSummary } from '../../stores/treasury.ts';
import { groupOf, pathOfGroup, useGroups } from './groups/use-groups.ts';
import { AgentActions } from './AgentActions.tsx';
import { AgentFigures } from './AgentFigures.tsx';
import { AgentHistory } from './AgentHistory.tsx';
import { AgentStatus } from './nodes/NodeStatus.tsx';
import { Keys } from './Keys.tsx';
import { PolicyEditor } from './limits/PolicyEditor.tsx';
import { Seen, Tags, Waiting } from './Seen.tsx';
import { Watch } from './Watch.tsx';

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
    >
      <Head agent={agent} />
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
  <Back to="/agents" name="Agents">
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
  </Back>
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
