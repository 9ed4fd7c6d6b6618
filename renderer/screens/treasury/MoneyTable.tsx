// Money that came into the treasury, or left it: a table, and a list where there is little room.
import { Anchor, Group, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Address } from '../../shared/ui/Address.tsx';
import { Amount } from '../../shared/ui/Amount.tsx';
import { Moment } from '../../shared/ui/Moment.tsx';

export interface MoneyRow {
  id: string;
  timestamp: string;
  /** The other side: its sender, or its recipient. */
  party: ReactNode;
  txSignature: string | null;
  state: ReactNode;
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
  <>
    <Table visibleFrom="md" verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Time</Table.Th>
          <Table.Th>{heading}</Table.Th>
          <Table.Th>Transaction</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th ta="right">Amount</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.id}>
            <Table.Td>
              <When row={row} />
            </Table.Td>
            <Table.Td>{row.party}</Table.Td>
            <Table.Td>
              {row.txSignature !== null && <Address value={row.txSignature} what="signature" />}
            </Table.Td>
            <Table.Td>{row.state}</Table.Td>
            <Table.Td ta="right">
              <Amount value={row.amount} currency={row.currency} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
    <Stack hiddenFrom="md" gap="md" component="ul" p={0} m={0}>
      {rows.map((row) => (
        <Group key={row.id} component="li" justify="space-between" wrap="nowrap" align="flex-start">
          <div>
            <Amount value={row.amount} currency={row.currency} fw={600} />
            <Text size="sm" c="dimmed" component="div">
              <When row={row} /> {heading.toLowerCase()} {row.party}
            </Text>
          </div>
          {row.state}
        </Group>
      ))}
    </Stack>
  </>
);

const When = ({ row: { timestamp, href } }: { row: MoneyRow }) =>
  href === undefined ? (
    <Moment iso={timestamp} />
  ) : (
    <Anchor component={Link} href={href} inherit c="inherit" underline="always">
      <Moment iso={timestamp} />
    </Anchor>
  );
