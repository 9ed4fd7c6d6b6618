// An agent's name, which links to its page.
import { Anchor, Text, type AnchorProps } from '@mantine/core';
import { Link } from 'wouter';
import { AgentPicture } from './AgentPicture.tsx';
import { pathOfAgent, useAgentName } from '../agent-names.ts';

interface AgentNameProps extends AnchorProps {
  agentId: string;
  /** Shows the id too, where the owner decides something: the agent may have chosen its own name. */
  withId?: boolean;
}

export const AgentName = ({ agentId, withId = false, ...anchor }: AgentNameProps) => {
  const name = useAgentName(agentId);
  return (
    <Text span inherit className="break-anywhere">
      <AgentPicture agentId={agentId} />{' '}
      <Anchor component={Link} href={pathOfAgent(agentId)} inherit c="inherit" fw={600} {...anchor}>
        {name}
      </Anchor>
      {withId && name !== agentId && (
        <>
          {' '}
          <Text span inherit c="dimmed" ff="monospace" fz="0.85em" display="inline-block">
            {agentId}
          </Text>
        </>
      )}
    </Text>
  );
};
