// The sums of a month, the largest first, beside those of the month before.
import { Anchor, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Amount } from '../../shared/Amount.tsx';
import { counted } from '../../shared/format.ts';
import { Panel } from '../../shared/Panel.tsx';
import { changeOf, type Compared } from './changes.ts';

interface MonthTableProps {
  title: string;
  words: string;
  rows: readonly Compared[];
  nameOf: (id: string) => string;
  hrefOf: (id: string) => string;
  picture?: (id: string) => ReactNode;
}

export const MonthTable = ({ title, words, rows, nameOf, hrefOf, picture }: MonthTableProps) => (
  <Panel title={title}>
    {rows.length === 0 ? (
      <Text size="sm" c="dimmed">
        Nothing was spent.
      </Text>
    ) : (
      <Table
        layout="fixed"
        verticalSpacing="xs"
        horizontalSpacing={4}
        fz={{ base: 'xs', sm: 'sm' }}
        aria-label={title}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="30%">
              {title.replace('By ', '').replace(/^./, (letter) => letter.toUpperCase())}
            </Table.Th>
            <Table.Th ta="right">Spent</Table.Th>
            <Table.Th ta="right" title={words}>
              Before
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ id, amount, payments, before }) => (
            <Table.Tr key={id}>
              <Table.Td className="break-anywhere">
                {picture?.(id)}{' '}
                <Anchor component={Link} href={hrefOf(id)} size="sm" c="inherit" fw={600}>
                  {nameOf(id)}
                </Anchor>
                <Text size="xs" c="dimmed">
                  {counted(payments, 'payment')}
                </Text>
              </Table.Td>
              <Table.Td ta="right" className="may-wrap" fw={600}>
                <Amount value={amount} />
              </Table.Td>
              <Table.Td ta="right" className="may-wrap" c="dimmed">
                <Amount value={before} />
                <Text size="xs">{shortChange(amount, before)}</Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    )}
  </Panel>
);

/** `+12 %`, `−50 %`, or `new`. */
const shortChange = (now: string, before: string): string => {
  const { way, percent } = changeOf(now, before);
  if (way === 'same') return 'as before';
  return percent === null ? 'new' : `${way === 'more' ? '+' : '−'}${percent.toLocaleString('en')} %`;
};
