// The list of agents, under the names of their groups where there are any. With many agents the groups are folded.
import { ActionIcon, Anchor, Box, Collapse, Group, Stack, Text, Title } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { fieldNamed } from '../../../server/contract/limits/policy-fields.ts';
import { Gauge } from '../../shared/ui/Gauge.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { counted } from '../../shared/format.ts';
import type { AgentSummary } from '../../stores/treasury.ts';
import { troubleOf } from './agent-order.ts';
import { GroupStatus } from './nodes/NodeStatus.tsx';
import { StopGroup } from './nodes/StopNode.tsx';
import { groupOf, pathOfGroup, useGroups, type AgentGroup } from './groups/use-groups.ts';

/** A group of more agents than this is folded until the owner opens it, unless one of them is in trouble. */
const few = 20;

/** Few, or in trouble. */
const isUrgent = (agents: readonly AgentSummary[]): boolean =>
  agents.length > 0 && (agents.length <= few || agents.some((agent) => troubleOf(agent) > 0));

interface GroupedAgentsProps {
  /** In their order, after the search. */
  shown: readonly AgentSummary[];
  /** Whether these are all agents. Groups without a match are left out otherwise, and the others are open. */
  isWhole: boolean;
  /** The owner chooses among them, so that all are open. */
  isChoosing: boolean;
  list: (agents: readonly AgentSummary[], label: string) => ReactNode;
}

export const GroupedAgents = ({ shown, isWhole, isChoosing, list }: GroupedAgentsProps) => {
  const groups = useGroups();
  if (groups.length === 0) return list(shown, 'Agents');
  const sections = groups.map((group) => ({
    group,
    agents: shown.filter(({ agentId }) => group.agents.includes(agentId)),
  }));
  const others = shown.filter(({ agentId }) => groupOf(groups, agentId) === undefined);
  // A list of closed headings alone would show nothing.
  const isAllOpen =
    !isWhole || isChoosing || ![others, ...sections.map(({ agents }) => agents)].some(isUrgent);
  const isOpen = (agents: readonly AgentSummary[]): boolean => isAllOpen || isUrgent(agents);
  return (
    <Stack gap="lg">
      {sections
        .filter(({ agents }) => isWhole || agents.length > 0)
        .map(({ group, agents }) => (
          <Section
            key={`${group.groupId} ${isAllOpen}`}
            id={group.groupId}
            name={group.name}
            heading={<Heading group={group} />}
            isOpen={isOpen(agents)}
          >
            {agents.length === 0 ? (
              <Text c="dimmed">No agent is in it yet.</Text>
            ) : (
              list(agents, `Agents of ${group.name}`)
            )}
          </Section>
        ))}
      {others.length > 0 && (
        <Section
          key={`${isAllOpen}`}
          id="no-group"
          name="the agents without a group"
          heading={<Heading count={others.length} />}
          isOpen={isOpen(others)}
        >
          {list(others, 'Agents without a group')}
        </Section>
      )}
    </Stack>
  );
};

interface SectionProps {
  id: string;
  name: string;
  heading: ReactNode;
  /** At first. */
  isOpen: boolean;
  children: ReactNode;
}

const Section = ({ id, name, heading, isOpen: isOpenFirst, children }: SectionProps) => {
  const [isOpen, setOpen] = useState(isOpenFirst);
  const Icon = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <section aria-label={name}>
      <Group gap="xs" wrap="nowrap" pb="xs">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Show ${name}`}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon size={18} aria-hidden />
        </ActionIcon>
        {heading}
      </Group>
      <Collapse id={id} expanded={isOpen}>
        {children}
      </Collapse>
    </section>
  );
};

/** The budget of 24 hours first. */
const budgetOf = ({ used: { budgets } }: AgentGroup) =>
  budgets.find(({ field }) => field === 'dailyBudget') ?? budgets[0];

const Heading = ({ group, count = group?.agents.length ?? 0 }: { group?: AgentGroup; count?: number }) => {
  const budget = group && budgetOf(group);
  return (
    <>
      <Group gap="xs" miw={0} flex={1} style={{ rowGap: 0 }}>
        <Title order={2} size="h4" className="break-anywhere">
          {group === undefined ? (
            'No group'
          ) : (
            <Anchor component={Link} href={pathOfGroup(group)} inherit c="inherit">
              {group.name}
            </Anchor>
          )}
        </Title>
        <Text c="dimmed">
          {counted(count, 'agent')}
          {group !== undefined && budget === undefined && (
            <>
              , <Amount value={group.spentToday} /> in 24 hours
            </>
          )}
        </Text>
        {budget !== undefined && (
          <Box w={210}>
            <Gauge
              used={budget.used}
              limit={budget.limit}
              label={`${fieldNamed(budget.field)?.label ?? budget.field} of the group ${group?.name ?? ''}: ${budget.used} of ${budget.limit} used`}
            />
          </Box>
        )}
        {group !== undefined && <GroupStatus group={group} />}
      </Group>
      {group !== undefined && <StopGroup group={group} size="xs" flex="none" />}
    </>
  );
};
