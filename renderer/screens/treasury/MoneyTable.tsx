// Money that came into the treasury, or left it.
import { Anchor, Box, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Address } from '../../shared/ui/Address.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { ExactMoment } from '../../shared/ExactMoment.tsx';

export interface MoneyRow {
  id: string;
  timestamp: string;
  /** The other side: its sender, or its recipient. */
  party: ReactNode;
  txSignature: string | null;
  state: ReactNode;
  /** Its state is left out where there is little room. */
  isDone: boolean;
  amount: string;
  currency: string;
  /** Its own page. */
  href?: string;
}

interface MoneyTableProps {
  /** The heading of the other side. */
  party: 'From' | 'To';
  rows: readonly MoneyRow[];
}

export const MoneyTable = ({ party: heading, rows }: MoneyTableProps) => (
  <Table verticalSpacing="xs" horizontalSpacing={2}>
    <Table.Thead>
      <Table.Tr>
        <Table.Th>Time</Table.Th>
        <Table.Th>{heading}</Table.Th>
        <Table.Th visibleFrom="md">Transaction</Table.Th>
        <Table.Th px={{ base: 0, sm: 2 }}>
          <Box visibleFrom="sm">Status</Box>
        </Table.Th>
        <Table.Th ta="right">Amount</Table.Th>
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {rows.map((row) => (
        <Table.Tr key={row.id}>
          <Table.Td fz={{ base: 'xs', sm: 'sm' }} miw={84}>
            <When row={row} />
          </Table.Td>
          <Table.Td className="break-anywhere" miw={96}>
            {row.party}
          </Table.Td>
          <Table.Td visibleFrom="md">
            {row.txSignature !== null && <Address value={row.txSignature} what="signature" />}
          </Table.Td>
          <Table.Td px={{ base: 0, sm: 2 }}>
            <Box {...(row.isDone && { visibleFrom: 'sm' })}>{row.state}</Box>
          </Table.Td>
          <Table.Td fz={{ base: 'xs', sm: 'sm' }} ta="right" className="may-wrap" miw={96}>
            <Amount value={row.amount} currency={row.currency} />
          </Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
);

const When = ({ row: { timestamp, href } }: { row: MoneyRow }) =>
  href === undefined ? (
    <ExactMoment iso={timestamp} />
  ) : (
    <Anchor component={Link} href={href} inherit c="inherit" underline="always">
      <ExactMoment iso={timestamp} />
    </Anchor>
  );
