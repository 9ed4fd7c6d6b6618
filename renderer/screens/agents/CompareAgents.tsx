// Two agents side by side: their figures and every field of their policies, with what differs marked.
import { Badge, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { AgentName } from '../../shared/AgentName.tsx';
import { useAgentName } from '../../shared/agent-names.ts';
import { Amount } from '../../shared/Amount.tsx';
import { Back } from '../../shared/Back.tsx';
import { ErrorNote } from '../../shared/ErrorNote.tsx';
import { Moment } from '../../shared/Moment.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { Loading, Screen } from '../../shared/Screen.tsx';
import { dayOf } from '../../shared/time.ts';
import { fieldEntries } from '../../../server/contract/policy-fields.ts';
import { useOwner } from '../../stores/queries.ts';
import { useTreasury, type AgentSummary } from '../../stores/treasury.ts';
import { Drawn } from '../approvals/Drawn.tsx';
import { draw } from '../approvals/policy-changes.ts';
import { AgentStatus } from './AgentStatus.tsx';

interface CompareAgentsProps {
  one: string;
  other: string;
}

export default function CompareAgents({ one, other }: CompareAgentsProps) {
  const agents = useTreasury(({ snapshot }) => snapshot?.agents) ?? [];
  const [left, right] = [one, other].map((id) => agents.find(({ agentId }) => agentId === id));
  return (
    <Screen title="Compare agents">
      <Back to="/agents" name="Agents" />
      {left === undefined || right === undefined ? (
        <Text>One of these agents is not here, or it was archived.</Text>
      ) : (
        <Both pair={[left, right]} />
      )}
    </Screen>
  );
}

type Pair = readonly [AgentSummary, AgentSummary];

const figures: readonly { label: string; of: (agent: AgentSummary) => ReactNode }[] = [
  { label: 'Status', of: (agent) => <AgentStatus agent={agent} /> },
  { label: 'Balance', of: ({ balance }) => <Amount value={balance} /> },
  { label: 'Spent in 24 hours', of: ({ spentToday }) => <Amount value={spentToday} /> },
  { label: 'Spent in all', of: ({ lifetimeSpent }) => <Amount value={lifetimeSpent} /> },
  { label: 'Payments', of: ({ lifetimePayments }) => lifetimePayments.toLocaleString('en') },
  {
    label: 'Last payment',
    of: ({ lastPaymentAt }) => (lastPaymentAt === null ? 'None yet' : <Moment iso={lastPaymentAt} />),
  },
  { label: 'Created', of: ({ createdAt }) => dayOf(createdAt) },
  { label: 'Tags', of: ({ tags }) => (tags.length === 0 ? 'None' : tags.join(', ')) },
];

const Both = ({ pair }: { pair: Pair }) => {
  const [one, other] = pair;
  const left = useOwner('getPolicy', { params: { agentId: one.agentId } });
  const right = useOwner('getPolicy', { params: { agentId: other.agentId } });
  const error = left.error ?? right.error;
  return (
    <>
      <ErrorNote error={error} />
      <Compared title="Now" pair={pair}>
        {figures.map(({ label, of }) => (
          <Row key={label} label={label} values={[of(one), of(other)]} />
        ))}
      </Compared>
      {left.data === undefined || right.data === undefined ? (
        error === null && <Loading />
      ) : (
        <Compared title="Policy" pair={pair}>
          {fieldEntries.map(([name, field]) => {
            const [mine, theirs] = [left.data.policy[name], right.data.policy[name]];
            return (
              <Row
                key={name}
                label={field.label}
                values={[
                  <Drawn key="one" value={draw(field, mine)} />,
                  <Drawn key="other" value={draw(field, theirs)} />,
                ]}
                differs={JSON.stringify(mine) !== JSON.stringify(theirs)}
              />
            );
          })}
        </Compared>
      )}
    </>
  );
};

const Compared = ({ title, pair, children }: { title: string; pair: Pair; children: ReactNode }) => {
  const [one, other] = pair;
  const names = [useAgentName(one.agentId), useAgentName(other.agentId)].join(' and ');
  return (
    <Panel title={title}>
      <Table layout="fixed" verticalSpacing="xs" aria-label={`${title} of ${names}`}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>
              <Text span inherit className="visually-hidden">
                What
              </Text>
            </Table.Th>
            {pair.map(({ agentId }) => (
              <Table.Th key={agentId}>
                <AgentName agentId={agentId} />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Panel>
  );
};

interface RowProps {
  label: string;
  values: readonly [ReactNode, ReactNode];
  differs?: boolean;
}

const Row = ({ label, values: [one, other], differs = false }: RowProps) => (
  <Table.Tr>
    <Table.Th scope="row" fw={400} c="dimmed" className="break-anywhere">
      {label}
      {differs && (
        <Badge ml={6} size="sm" variant="default" tt="none" fw={600}>
          differs
        </Badge>
      )}
    </Table.Th>
    <Table.Td className="break-anywhere may-wrap">{one}</Table.Td>
    <Table.Td className="break-anywhere may-wrap">{other}</Table.Td>
  </Table.Tr>
);
