// Adds a service to an agent's allowed services: the choice of the agent, and what that means for it.
import { Anchor, Modal, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { agentChoices } from '../../shared/choices.ts';
import { useAgents } from '../../stores/treasury.ts';
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

const Choice = ({ service, onDone }: { service: Service; onDone: () => void }) => {
  const agents = useAgents();
  const [agentId, setAgentId] = useState(agents.length === 1 ? (agents[0]?.agentId ?? null) : null);
  if (agents.length === 0)
    return (
      <Text>
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
        data={agentChoices(agents)}
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
