// One agent in the list: its balance, its spending, and its kill switch.
import { Anchor, type AnchorProps, Card, Checkbox, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { pathOfAgent, useAgentName } from '../../shared/agent-names.ts';
import { AgentPicture } from '../../shared/ui/AgentPicture.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { BudgetGauge } from '../../shared/ui/Gauge.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';
import type { AgentSummary } from '../../stores/treasury.ts';
import { AgentStatus } from './nodes/NodeStatus.tsx';
import { PauseAgent } from './nodes/StopNode.tsx';
import { Seen, Tags, Waiting } from './Seen.tsx';

export interface AgentCardProps {
  agent: AgentSummary;
  /** Null: it cannot be chosen now. */
  isChosen: boolean | null;
  onChoose: (isChosen: boolean) => void;
}

interface PickedAgentProps extends AgentCardProps, AnchorProps {
  /** The size of its picture, in pixels. */
  picture: number;
  title?: string;
}

/** The box that chooses an agent, its picture, and its name, which leads to its page. */
export const PickedAgent = ({
  agent: { agentId },
  isChosen,
  onChoose,
  picture,
  ...looks
}: PickedAgentProps) => {
  const name = useAgentName(agentId);
  return (
    <>
      {isChosen !== null && (
        <Checkbox
          size="sm"
          aria-label={`Select ${name}`}
          checked={isChosen}
          onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
        />
      )}
      <AgentPicture agentId={agentId} size={picture} />
      <Anchor
        component={Link}
        href={pathOfAgent(agentId)}
        c="inherit"
        miw={0}
        className="break-anywhere"
        {...looks}
      >
        {name}
      </Anchor>
    </>
  );
};

export const AgentCard = ({ agent, isChosen, onChoose }: AgentCardProps) => (
  <Card withBorder bg="var(--card)" padding="md" component="li" h="100%">
    <Stack gap="sm" h="100%">
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
        <Group gap="xs" wrap="nowrap" miw={0} align="flex-start">
          <PickedAgent
            {...{ agent, isChosen, onChoose }}
            picture={24}
            size="md"
            fw={650}
            title={agent.agentId}
          />
        </Group>
        <AgentStatus agent={agent} />
      </Group>
      <Tags tags={agent.tags} />
      <Labeled label="Balance">
        <Text fz="h3" fw={650} className="may-wrap" size="md">
          <Amount value={agent.balance} />
        </Text>
      </Labeled>
      <Labeled label="Last 24 hours">
        <BudgetGauge spent={agent.spentToday} budget={agent.inForce} of={agent.displayName} />
      </Labeled>
      <Group justify="space-between" align="flex-end" wrap="nowrap" gap="xs" mt="auto">
        <Stack gap={0}>
          <Text size="xs" c="dimmed">
            <Seen {...agent} />
            {agent.lastPaymentAt === null ? (
              ', no payment yet'
            ) : (
              <>
                , last payment <Moment iso={agent.lastPaymentAt} />
              </>
            )}
          </Text>
          <Waiting {...agent} />
        </Stack>
        <PauseAgent agent={agent} size="xs" flex="none" />
      </Group>
    </Stack>
  </Card>
);

const Labeled = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    {children}
  </div>
);
