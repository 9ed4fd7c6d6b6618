// The agents of a group, and the way of others into it.
import { Anchor, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { AgentPicture } from '../../../shared/ui/AgentPicture.tsx';
import { pathOfAgent, useAgentNames } from '../../../shared/agent-names.ts';
import { Amount } from '../../../shared/ui/Amount.tsx';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { useAgents, type AgentSummary } from '../../../stores/treasury.ts';
import { AgentStatus } from '../nodes/NodeStatus.tsx';
import { MoveToGroup } from './MoveToGroup.tsx';
import { useMembers, type AgentGroup } from './use-groups.ts';

export const Members = ({ group }: { group: AgentGroup }) => {
  const members = useMembers(group);
  const [moved, setMoved] = useState<AgentSummary | null>(null);
  return (
    <Panel title="Agents">
      {members.length === 0 && <Text c="dimmed">There are no agents in it yet.</Text>}
      {members.length > 0 && (
        <Stack component="ul" gap={0} m={0} p={0} aria-label="Agents of the group">
          {members.map((agent) => (
            <Member key={agent.agentId} agent={agent} onMove={() => setMoved(agent)} />
          ))}
        </Stack>
      )}
      <AddAgent group={group} onAdd={setMoved} />
      <MoveToGroup
        agents={moved === null ? [] : [moved]}
        {...(moved !== null && group.agents.includes(moved.agentId) ? {} : { to: group.groupId })}
        opened={moved !== null}
        onClose={() => setMoved(null)}
      />
    </Panel>
  );
};

const Member = ({ agent, onMove }: { agent: AgentSummary; onMove: () => void }) => (
  <Group component="li" justify="space-between" gap="xs" wrap="nowrap" py="xs" className="divided">
    <Stack gap={2} miw={0}>
      <Anchor
        component={Link}
        href={pathOfAgent(agent.agentId)}
        fw={600}
        c="inherit"
        className="break-anywhere"
      >
        <AgentPicture agentId={agent.agentId} /> {agent.displayName}
      </Anchor>
      <Text size="xs" c="dimmed">
        Spent <Amount value={agent.spentToday} /> in 24 hours
      </Text>
    </Stack>
    <Group gap="xs" wrap="nowrap" flex="none">
      {agent.status === 'suspended' && <AgentStatus agent={agent} />}
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={`Move to… ${agent.displayName}`}
        aria-haspopup="dialog"
        onClick={onMove}
      >
        Move to…
      </Button>
    </Group>
  </Group>
);

const AddAgent = ({ group, onAdd }: { group: AgentGroup; onAdd: (agent: AgentSummary) => void }) => {
  const agents = useAgents();
  const others = agents.filter(({ agentId }) => !group.agents.includes(agentId));
  const nameOf = useAgentNames(others.map(({ agentId }) => agentId));
  if (others.length === 0) return null;
  return (
    <Select
      label="Add an agent"
      placeholder={group.stoppedAt === null ? 'Choose an agent' : 'Not while the group is stopped'}
      disabled={group.stoppedAt !== null}
      data={others.map(({ agentId }) => ({ value: agentId, label: nameOf(agentId) }))}
      searchable={others.length > 8}
      value={null}
      onChange={(id) => {
        const agent = others.find(({ agentId }) => agentId === id);
        if (agent !== undefined) onAdd(agent);
      }}
    />
  );
};
