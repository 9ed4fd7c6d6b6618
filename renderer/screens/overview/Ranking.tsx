// A ranking by amount, the largest first.
import { Progress, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { Amount } from '../../shared/ui/Amount.tsx';
import { counted } from '../../shared/format.ts';
import { shareOf } from '../../shared/share.ts';
import { ranked, type Rank } from './spending-data.ts';

interface RankingProps {
  /** The heading of the rows, such as "Agent". */
  what: string;
  rows: readonly Rank[];
  /** Of a row's bar, by its id. */
  colorOf: (id: string) => string;
  picture?: (id: string) => ReactNode;
}

const mostRows = 6;

export const Ranking = ({ what, rows, colorOf, picture }: RankingProps) => {
  const shown = ranked(rows, mostRows);
  const largest = shown.map(({ amount }) => amount).reduce((a, b) => (shareOf(a, b) >= 100 ? a : b), '0');
  return (
    <Table withRowBorders={false} verticalSpacing={6} horizontalSpacing={0} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th p={0}>
            <VisuallyHidden>{what}</VisuallyHidden>
          </Table.Th>
          <Table.Th p={0} w={128}>
            <VisuallyHidden>Spent</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {shown.map(({ id, name, amount, payments }) => (
          <Table.Tr key={id}>
            <Table.Td pr="md">
              <Stack gap={4}>
                <Text size="sm" truncate title={name}>
                  {picture?.(id)} {name}
                </Text>
                <Progress value={shareOf(amount, largest)} color={colorOf(id)} size="sm" aria-hidden />
              </Stack>
            </Table.Td>
            <Table.Td ta="right" className="may-wrap">
              <Text size="sm" fw={600}>
                <Amount value={amount} />
              </Text>
              <Text size="xs" c="dimmed">
                {counted(payments, 'payment')}
              </Text>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
};
