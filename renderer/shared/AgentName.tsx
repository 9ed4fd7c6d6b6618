// An agent's name and id. The id is shown too, since the agent may have chosen its own name.
import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useTreasury } from '../stores/treasury.ts';

export const useAgentName = (agentId: string): string =>
  useTreasury(
    ({ snapshot }) => snapshot?.agents.find((agent) => agent.agentId === agentId)?.displayName ?? agentId,
  );

export const AgentName = ({ agentId }: { agentId: string }) => {
  const name = useAgentName(agentId);
  return (
    <Text span inherit className="break-anywhere">
      <Anchor component={Link} href={`/agents/${encodeURIComponent(agentId)}`} inherit c="inherit" fw={600}>
        {name}
      </Anchor>
      {name !== agentId && (
        <Text span inherit c="dimmed" ff="monospace" fz="0.85em">
          {' '}
          {agentId}
        </Text>
      )}
    </Text>
  );
};
