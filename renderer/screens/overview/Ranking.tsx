// A ranking by amount, the largest first. A name leads to its page.
import { Anchor, Progress, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { Link } from 'wouter';
import { pathOfAgent } from '../../shared/agent-names.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { countedUse, placesIn } from '../../shared/format.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
import { shareOf } from '../../shared/share.ts';
import { pathOfService } from '../catalog/service-words.ts';
import { ranked, type Rank } from './spending-data.ts';

interface RankingProps {
  of: 'agent' | 'service';
  days: number;
  rows: readonly Rank[];
  /** Of a row's bar, by its id. */
  colorOf: (id: string) => string;
}

const mostRows = 7;
const hrefOf = { agent: pathOfAgent, service: pathOfService };

export const Ranking = ({ of, days, rows, colorOf }: RankingProps) => {
  const shown = ranked(rows, mostRows);
  const places = placesIn(shown.map(({ amount }) => amount));
  const largest = shown.map(({ amount }) => amount).reduce((a, b) => (shareOf(a, b) >= 100 ? a : b), '0');
  return (
    <Panel title={`By ${of}`} note={`Last ${days} days`}>
      <Table withRowBorders={false} verticalSpacing={6} horizontalSpacing={0} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th p={0}>
              <VisuallyHidden>{of === 'agent' ? 'Agent' : 'Service'}</VisuallyHidden>
            </Table.Th>
            <Table.Th p={0} w={128}>
              <VisuallyHidden>Spent</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map(({ id, name, amount, ...use }) => (
            <Table.Tr key={id}>
              <Table.Td pr="md">
                <Stack gap={4}>
                  <Text truncate title={name}>
                    {id === '' ? (
                      name
                    ) : (
                      <Anchor component={Link} href={hrefOf[of](id)} inherit c="inherit">
                        {name}
                      </Anchor>
                    )}
                  </Text>
                  <Progress value={shareOf(amount, largest)} color={colorOf(id)} size="sm" aria-hidden />
                </Stack>
              </Table.Td>
              <Table.Td ta="right" className="may-wrap">
                <Text fw={600}>
                  <Amount value={amount} places={places} />
                </Text>
                <Text size="xs" c="dimmed">
                  {countedUse(use)}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
};
