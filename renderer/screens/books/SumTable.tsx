// The sums of a month under one heading, the largest first, beside those of the month before.
import { Anchor, Button, Group, Table, Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { Fragment, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'wouter';
import { sumOf } from '../../shared/amounts.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { counted } from '../../shared/format.ts';
import { Panel } from '../../shared/ui/Panel.tsx';
import { changeOf, type Compared } from './changes.ts';

export interface SumTableProps {
  /** The heading of its first column; `By agent` is the table's. */
  what: string;
  rows: readonly Compared[];
  nameOf: (row: Compared) => string;
  /** The name of the month. */
  month: string;
  /** The name of the month before; null where there was nothing in it. */
  before: string | null;
  isRunning: boolean;
  hrefOf?: (row: Compared) => string | null;
  /** Where the entries behind a row are listed. */
  entriesHref?: (row: Compared) => string | null;
  picture?: (row: Compared) => ReactNode;
  actions?: ReactNode;
}

const fewest = 8;
const amountWidth = 86;

export const SumTable = ({ what, rows, month, before, isRunning, actions, ...cells }: SumTableProps) => {
  const [isWhole, setWhole] = useState(false);
  const hasBefore = before !== null;
  const title = `By ${what.toLowerCase()}`;
  const isPrinting = useIsPrinting();
  const shown = isWhole || isPrinting ? rows : rows.slice(0, fewest);
  const total = {
    id: '',
    name: 'Total',
    entries: rows.reduce((sum, row) => sum + row.entries, 0),
    amount: sumOf(rows),
    before: sumOf(rows.map((row) => ({ amount: row.before }))),
  };
  const hasTotal = rows.length > 1 && rows.every((row) => !`${row.amount}${row.before}`.includes('-'));
  const places = Math.max(...rows.flatMap((row) => [row.amount, row.before]).map(placesOf));
  const isPaid = what === 'Agent' || what === 'Service';
  const countOf: CountOf = ({ entries }) =>
    isPaid ? counted(entries, 'payment') : counted(entries, 'entry', 'entries');
  const shared = { places, countOf, isRunning, hasBefore };
  return (
    <Panel title={title} note="USDC" actions={actions}>
      {rows.length === 0 ? (
        <Text c="dimmed">Nothing was spent.</Text>
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
              <Table.Th>{what}</Table.Th>
              <Table.Th ta="right" w={amountWidth} style={{ whiteSpace: 'nowrap' }}>
                {month}
              </Table.Th>
              {hasBefore && (
                <Table.Th ta="right" w={amountWidth} style={{ whiteSpace: 'nowrap' }}>
                  {before}
                </Table.Th>
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((row) => (
              <SumRow key={row.id} {...{ row, ...shared, ...cells }} />
            ))}
            {hasTotal && <SumRow row={total} nameOf={({ name }) => name} {...shared} />}
          </Table.Tbody>
        </Table>
      )}
      {shown.length < rows.length && (
        <Group justify="center">
          <Button variant="default" size="xs" onClick={() => setWhole(true)}>
            Show all {rows.length}
          </Button>
        </Group>
      )}
    </Panel>
  );
};

const placesOf = (decimal: string): number => decimal.split('.')[1]?.length ?? 0;

/** A printed table has all its rows. */
const useIsPrinting = (): boolean => {
  const [isPrinting, setPrinting] = useState(false);
  useWindowEvent('beforeprint', () => flushSync(() => setPrinting(true)));
  useWindowEvent('afterprint', () => setPrinting(false));
  return isPrinting;
};

type CountOf = (row: Compared) => string;
type SumRowProps = { row: Compared; hasBefore: boolean; places: number; countOf: CountOf } & Omit<
  SumTableProps,
  'what' | 'rows' | 'month' | 'before' | 'actions'
>;

const SumRow = ({ row, hasBefore, places, countOf, isRunning, nameOf, ...further }: SumRowProps) => {
  const { hrefOf, entriesHref, picture } = further;
  const href = hrefOf?.(row) ?? null;
  const entries = entriesHref?.(row) ?? null;
  const count = countOf(row);
  return (
    <Table.Tr>
      <Table.Td className="break-anywhere">
        {picture?.(row)}{' '}
        {href === null ? (
          <Text span fw={600}>
            <Breaking text={nameOf(row)} />
          </Text>
        ) : (
          <Anchor component={Link} href={href} c="inherit" fw={600}>
            {nameOf(row)}
          </Anchor>
        )}
        <Text size="xs" c="dimmed">
          {entries === null || row.entries === 0 ? (
            count
          ) : (
            <Anchor
              component={Link}
              href={entries}
              inherit
              c="inherit"
              underline="always"
              aria-label={`${count} of ${nameOf(row)} in Activity`}
            >
              {count}
            </Anchor>
          )}
        </Text>
      </Table.Td>
      <Table.Td ta="right" className="may-wrap break-anywhere" fw={600}>
        <Amount value={row.amount} currency="" places={places} />
      </Table.Td>
      {hasBefore && (
        <Table.Td ta="right" className="may-wrap break-anywhere" c="dimmed">
          <Amount value={row.before} currency="" places={places} />
          {!isRunning && <Text size="xs">{shortChange(row.amount, row.before)}</Text>}
        </Table.Td>
      )}
    </Table.Tr>
  );
};

/** The parts of an account are better kept whole. */
const Breaking = ({ text }: { text: string }) =>
  text.split(/(?<=:)/).map((part, at) => (
    // The parts never change their places.
    <Fragment key={`${at} ${part}`}>
      {part}
      <wbr />
    </Fragment>
  ));

/** `+12%`, `−50%`, or `new`; nothing where money came in. */
const shortChange = (now: string, before: string): string => {
  const { way, percent } = changeOf(now, before);
  if (now.startsWith('-') || before.startsWith('-')) return '';
  if (way === 'same') return 'as before';
  return percent === null ? 'new' : `${way === 'more' ? '+' : '−'}${percent.toLocaleString('en')}%`;
};
