// The sellers that asked agents for what this treasury cannot pay with.
import { Table, Text } from '@mantine/core';
import { useState } from 'react';
import { demandWords } from '../../../server/contract/payments/unpayable.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { counted } from '../../shared/format.ts';
import { Moment } from '../../shared/ui/Moment.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { ShowMore } from '../../shared/ui/ShowMore.tsx';

const firstShown = 5;

export default function Unpayable({ sellers }: Reply<'unpayableSellers'>) {
  const [isWhole, setWhole] = useState(false);
  return (
    <Panel
      title="What you could not buy"
      note="These sellers do not take USDC on your network. Agents were refused, and nothing was paid."
    >
      <Table horizontalSpacing={0}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Seller, and what it asked for</Table.Th>
            <Table.Th ta="right">How often</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sellers.slice(0, isWhole ? undefined : firstShown).map((one) => (
            <Table.Tr key={`${one.seller} ${one.network} ${one.asset}`}>
              <Table.Td pr="md" className="break-anywhere">
                {one.seller}
                <Text size="xs" c="dimmed">
                  {demandWords(one)}
                </Text>
              </Table.Td>
              <Table.Td ta="right">
                {counted(one.times, 'time')} by {counted(one.agents, 'agent')}
                <Text size="xs" c="dimmed">
                  <Moment iso={one.lastAt} />
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {sellers.length > firstShown && !isWhole && <ShowMore isBusy={false} onMore={() => setWhole(true)} />}
    </Panel>
  );
}
