// Many agents as rows of a table, whose columns sort the list.
import { Box, Group, Table, Text, UnstyledButton } from '@mantine/core';
import { Amount } from '../../shared/ui/Amount.tsx';
import { BudgetGauge } from '../../shared/ui/Gauge.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';
import type { AgentSummary } from '../../stores/treasury.ts';
import { PickedAgent, type AgentCardProps } from './AgentCard.tsx';
import type { AgentOrder } from './agent-order.ts';
import { AgentStatus } from './nodes/NodeStatus.tsx';
import { PauseAgent } from './nodes/StopNode.tsx';

export interface Sorting {
  order: AgentOrder;
  isReversed: boolean;
  onSort: (order: AgentOrder) => void;
}

interface AgentTableProps extends Sorting {
  agents: readonly AgentSummary[];
  label: string;
  /** Null: none can be chosen now. */
  chosen: ReadonlySet<string> | null;
  onChoose: (agentId: string, isChosen: boolean) => void;
}

/** A narrow page leaves some out; the state is then under the name. */
const columns = [
  { order: 'name', label: 'Name' },
  { order: 'balance', label: 'Balance', visibleFrom: 'xs', w: 160 },
  { order: 'share', label: 'Last 24 hours', w: { base: 150, md: 210 } },
  { order: 'trouble', label: 'State', visibleFrom: 'sm', w: 120 },
  { order: 'seen', label: 'Last seen', visibleFrom: 'md', w: 120 },
] as const;

export const AgentTable = ({ agents, label, chosen, onChoose, ...sorting }: AgentTableProps) => {
  const { order, isReversed, onSort } = sorting;
  return (
    <Table layout="fixed" aria-label={label} verticalSpacing="xs" horizontalSpacing="sm" highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ order: by, label: heading, ...where }) => {
            const isSorted = by === order;
            // Names begin with A, amounts and times with the largest.
            const isRising = (by === 'name') !== isReversed;
            return (
              <Table.Th
                key={by}
                aria-sort={isSorted ? (isRising ? 'ascending' : 'descending') : 'none'}
                {...where}
              >
                <UnstyledButton fz="sm" fw={600} onClick={() => onSort(by)}>
                  {heading}
                  {isSorted && <span aria-hidden> {isRising ? '↑' : '↓'}</span>}
                </UnstyledButton>
              </Table.Th>
            );
          })}
          <Table.Td visibleFrom="sm" w={130} />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {agents.map((agent) => (
          <Row
            key={agent.agentId}
            agent={agent}
            isChosen={chosen?.has(agent.agentId) ?? null}
            onChoose={(isChosen) => onChoose(agent.agentId, isChosen)}
          />
        ))}
      </Table.Tbody>
    </Table>
  );
};

const Row = ({ agent, isChosen, onChoose }: AgentCardProps) => (
  <Table.Tr>
    <Table.Td>
      <Group gap="xs" wrap="nowrap">
        <PickedAgent {...{ agent, isChosen, onChoose }} picture={20} fw={600} />
      </Group>
      <Box hiddenFrom="sm" pt={4}>
        <AgentStatus agent={agent} />
      </Box>
    </Table.Td>
    <Table.Td visibleFrom="xs">
      <Amount value={agent.balance} />
    </Table.Td>
    <Table.Td>
      <BudgetGauge spent={agent.spentToday} budget={agent.inForce} of={agent.displayName} />
    </Table.Td>
    <Table.Td visibleFrom="sm">
      <AgentStatus agent={agent} />
    </Table.Td>
    <Table.Td visibleFrom="md">
      <Text c="dimmed">{agent.lastSeenAt === null ? 'Never' : <Moment iso={agent.lastSeenAt} />}</Text>
    </Table.Td>
    <Table.Td visibleFrom="sm">
      <PauseAgent agent={agent} size="xs" />
    </Table.Td>
  </Table.Tr>
);
