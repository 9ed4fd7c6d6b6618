// Adds a service to an agent's allowed services: the choice of the agent, and what that means for it.
import { Anchor, Modal, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { namesOf } from '../../../server/contract/agents/agent-names.ts';
import { useTreasury, type AgentSummary } from '../../stores/treasury.ts';
import { AllowingForm } from './AllowingForm.tsx';
import type { Service } from './use-catalog.ts';

interface AllowForAgentProps {
  /** Null while it is closed. */
  service: Service | null;
  onClose: () => void;
}

export const AllowForAgent = ({ service, onClose }: AllowForAgentProps) => (
  <Modal opened={service !== null} onClose={onClose} title={`Allow ${service?.name ?? ''} for an agent`}>
    {service !== null && <Choice service={service} onDone={onClose} />}
  </Modal>
);

const none: readonly AgentSummary[] = [];

const Choice = ({ service, onDone }: { service: Service; onDone: () => void }) => {
  const agents = useTreasury(({ snapshot }) => snapshot?.agents) ?? none;
  const [agentId, setAgentId] = useState(agents.length === 1 ? (agents[0]?.agentId ?? null) : null);
  if (agents.length === 0)
    return (
      <Text size="sm">
        You have no agents yet.{' '}
        <Anchor component={Link} href="/agents" inherit>
          Create one
        </Anchor>
        : a new agent may pay every service until you give it a list.
      </Text>
    );
  return (
    <Stack gap="md">
      <Select
        label="Agent"
        placeholder="Which one?"
        data={[...namesOf(agents)].map(([value, label]) => ({ value, label }))}
        value={agentId}
        onChange={setAgentId}
        searchable={agents.length > 8}
        allowDeselect={false}
        data-autofocus
      />
      {agentId !== null && <AllowingForm key={agentId} agentId={agentId} service={service} onDone={onDone} />}
    </Stack>
  );
};
