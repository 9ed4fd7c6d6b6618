// The search, the order and the tags of the list of agents.
import { Chip, Group, Select, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { AgentSummary } from '../../stores/treasury.ts';
import { sumOf } from '../../shared/amounts.ts';
import { choicesOf } from '../../shared/choices.ts';
import { counted } from '../../shared/format.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { agentOrders, tagsOf, type AgentOrder } from './agent-order.ts';

/** With this many agents, a search field is shown. */
const many = 7;

interface AgentFiltersProps {
  agents: readonly AgentSummary[];
  /** Those that are listed, whose totals are shown. */
  shown: readonly AgentSummary[];
  text: string;
  setText: (text: string) => void;
  tag: string | null;
  setTag: (tag: string | null) => void;
  order: AgentOrder;
  setOrder: (order: AgentOrder) => void;
}

export const AgentFilters = (props: AgentFiltersProps) => {
  const { agents, shown, text, setText, tag, setTag, order, setOrder } = props;
  const tags = tagsOf(agents);
  return (
    <Group gap="xs">
      {agents.length >= many && (
        <TextInput
          type="search"
          aria-label="Search agents"
          placeholder="Search by name, ID or tag"
          leftSection={<IconSearch size={16} aria-hidden />}
          flex="1 1 220px"
          maw={360}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <Select
        aria-label="Order of the agents"
        w={180}
        data={choicesOf(agentOrders)}
        value={order}
        onChange={(next) => setOrder(next as AgentOrder)}
        allowDeselect={false}
      />
      {tags.length > 0 && (
        <Group gap={6} role="group" aria-label="Tags">
          {tags.map((one) => (
            <Chip
              key={one}
              size="xs"
              checked={tag === one}
              onChange={(isChosen) => setTag(isChosen ? one : null)}
            >
              {one}
            </Chip>
          ))}
        </Group>
      )}
      <Text c="dimmed">
        {counted(shown.length, 'agent')}: <Amount value={totalOf(shown, 'balance')} /> in all,{' '}
        <Amount value={totalOf(shown, 'spentToday')} /> spent in 24 hours
      </Text>
    </Group>
  );
};

const totalOf = (agents: readonly AgentSummary[], figure: 'balance' | 'spentToday'): string =>
  sumOf(agents.map((agent) => ({ amount: agent[figure] })));
