// The list of agents, under the names of their groups where there are any. With many agents the groups are folded.
import { ActionIcon, Anchor, Collapse, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { Amount } from '../../shared/ui/Amount.tsx';
import { counted } from '../../shared/format.ts';
import type { AgentSummary } from '../../stores/treasury.ts';
import { GroupStatus } from './nodes/NodeStatus.tsx';
import { StopGroup } from './nodes/StopNode.tsx';
import { groupOf, pathOfGroup, useGroups, type AgentGroup } from './groups/use-groups.ts';

/** With more agents than this, their groups are folded until the owner opens them. */
const few = 24;

interface GroupedAgentsProps {
  /** In their order, after the search. */
  shown: readonly AgentSummary[];
  /** Whether these are all agents. Groups without a match are left out otherwise, and the others are open. */
  isWhole: boolean;
  /** The owner chooses among them, so that all are open. */
  isChoosing: boolean;
  card: (agent: AgentSummary) => ReactNode;
}

export const GroupedAgents = ({ shown, isWhole, isChoosing, card }: GroupedAgentsProps) => {
  const groups = useGroups();
  const cards = (agents: readonly AgentSummary[], label: string) => (
    <SimpleGrid
      component="ul"
      type="container"
      cols={{ base: 1, '540px': 2, '820px': 3 }}
      m={0}
      p={0}
      aria-label={label}
    >
      {agents.map(card)}
    </SimpleGrid>
  );
  if (groups.length === 0) return cards(shown, 'Agents');
  const sections = groups.map((group) => ({
    group,
    agents: shown.filter(({ agentId }) => group.agents.includes(agentId)),
  }));
  const others = shown.filter(({ agentId }) => groupOf(groups, agentId) === undefined);
  const isOpen = !isWhole || isChoosing || shown.length <= few;
  return (
    <Stack gap="lg">
      {sections
        .filter(({ agents }) => isWhole || agents.length > 0)
        .map(({ group, agents }) => (
          <Section
            key={`${group.groupId} ${isOpen}`}
            id={group.groupId}
            name={group.name}
            heading={<Heading group={group} />}
            isOpen={isOpen}
          >
            {agents.length === 0 ? (
              <Text size="sm" c="dimmed">
                No agent is in it yet.
              </Text>
            ) : (
              cards(agents, `Agents of ${group.name}`)
            )}
          </Section>
        ))}
      {others.length > 0 && (
        <Section
          key={`${isOpen}`}
          id="no-group"
          name="the agents in no group"
          heading={<Heading count={others.length} />}
          isOpen={isOpen}
        >
          {cards(others, 'Agents in no group')}
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

const Heading = ({ group, count = group?.agents.length ?? 0 }: { group?: AgentGroup; count?: number }) => (
  <>
    <Group gap="xs" miw={0} flex={1} style={{ rowGap: 0 }}>
      <Title order={2} size="h4" className="break-anywhere">
        {group === undefined ? (
          'In no group'
        ) : (
          <Anchor component={Link} href={pathOfGroup(group)} inherit c="inherit">
            {group.name}
          </Anchor>
        )}
      </Title>
      <Text size="sm" c="dimmed">
        {counted(count, 'agent')}
        {group !== undefined && (
          <>
            , <Amount value={group.spentToday} /> in 24 hours
          </>
        )}
      </Text>
      {group !== undefined && <GroupStatus group={group} />}
    </Group>
    {group !== undefined && <StopGroup group={group} size="xs" flex="none" />}
  </>
);
