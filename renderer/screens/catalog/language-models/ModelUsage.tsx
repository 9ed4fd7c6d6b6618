// The use of language models by agents in the last 30 days, the newest day first.
import { Table, Text } from '@mantine/core';
import { Amount } from '../../../shared/ui/Amount.tsx';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { QueryState } from '../../../shared/ui/Screen.tsx';
import { useOwner } from '../../../stores/queries.ts';
import { known } from './ModelRequests.tsx';

export const ModelUsage = () => {
  const answer = useOwner('allModelUsage');
  const { days = [], total = '0.00', held = '0.00' } = answer.data ?? {};
  return (
    <Panel
      title="Usage in the last 30 days"
      note="As each provider counted it. A request that was cut off is estimated; one with an unknown end counts at the most it could cost."
    >
      <QueryState of={answer} />
      {answer.data !== undefined && days.length === 0 && (
        <Text c="dimmed">No agent used a language model.</Text>
      )}
      {days.length > 0 && (
        <>
          <Text size="sm">
            <Amount value={total} /> in all, and <Amount value={held} /> held for requests under way.
          </Text>
          <Table.ScrollContainer minWidth={520}>
            <Table aria-label="Use of language models">
              <Table.Thead>
                <Table.Tr>
                  {['Day (UTC)', 'Agent', 'Model', 'Requests', 'Tokens in', 'Tokens out', 'Amount'].map(
                    (head) => (
                      <Table.Th key={head}>{head}</Table.Th>
                    ),
                  )}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {days.toReversed().map((one) => (
                  <Table.Tr key={`${one.day} ${one.agentId} ${one.supplierId} ${one.modelId} ${one.mark}`}>
                    <Table.Td>{one.day}</Table.Td>
                    <Table.Td className="break-anywhere">{one.agentId}</Table.Td>
                    <Table.Td className="break-anywhere">
                      {one.supplierId}/{one.modelId}
                    </Table.Td>
                    <Table.Td>{one.requests.toLocaleString('en')}</Table.Td>
                    <Table.Td>{one.inputTokens.toLocaleString('en')}</Table.Td>
                    <Table.Td>{one.outputTokens.toLocaleString('en')}</Table.Td>
                    <Table.Td>
                      <Amount value={one.amount} /> {known[one.mark]}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </>
      )}
    </Panel>
  );
};
