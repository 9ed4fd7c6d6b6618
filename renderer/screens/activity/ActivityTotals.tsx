// The sums of what the filters choose, above the list; and by agent, service or time, what was spent.
import { Anchor, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { Fragment, useState } from 'react';
import { Link } from 'wouter';
import type { Reply } from '../../../server/contract/schemas.ts';
import { counted } from '../../shared/format.ts';
import { dayNamed, monthNamed } from '../../shared/time.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { sumsIn } from '../../../server/contract/payments/sums.ts';
import { groupings } from '../../shared/status.ts';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { ShowMore } from '../../shared/ui/ShowMore.tsx';
import { orders, queryOf, searchOf, type Filters } from './filters.ts';
import { choicesOf } from '../../shared/choices.ts';
import { useTotals } from '../../shared/hooks/use-totals.ts';

type Totals = Reply<'totals'>;
type Row = Totals['rows'][number];
type Grouping = keyof typeof groupings;

interface ActivityTotalsProps {
  filters: Filters;
  onChange: (filters: Filters) => void;
}

export const ActivityTotals = ({ filters, onChange }: ActivityTotalsProps) => {
  const by = filters.by as Grouping | undefined;
  const query = { ...queryOf(filters), ...(by === undefined ? {} : { by }) };
  const { data, error, refetch } = useTotals(query);
  return (
    <>
      <Group justify="space-between" align="flex-end" gap="md">
        {data === undefined ? <div /> : <Sums totals={data} filters={filters} />}
        <Group gap="xs">
          <NativeSelect
            label="Order"
            data={choicesOf(orders)}
            value={filters.sort ?? 'time'}
            onChange={({ currentTarget: { value } }) =>
              onChange({ ...filters, sort: value === 'time' ? '' : value })
            }
          />
          <NativeSelect
            label="Group by"
            data={[{ value: '', label: 'None' }, ...choicesOf(groupings)]}
            value={by ?? ''}
            onChange={({ currentTarget: { value } }) => onChange({ ...filters, by: value })}
          />
        </Group>
      </Group>
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {by !== undefined && data !== undefined && (
        <Split key={by} rows={data.rows} by={by} filters={filters} />
      )}
    </>
  );
};

const periodOf = ({ from, to }: Filters): string => {
  if (from && to) return from === to ? dayNamed(from) : `${dayNamed(from)} to ${dayNamed(to)}`;
  return from ? `Since ${dayNamed(from)}` : to ? `Until ${dayNamed(to)}` : 'All time';
};

const Sums = ({ totals, filters }: { totals: Totals; filters: Filters }) => (
  <Stack gap={2} role="group" aria-label="Totals">
    <Text fw={600} size="md">
      {periodOf(filters)}: {counted(totals.payments, 'payment')}, <Amount value={totals.amount} />
      {totals.flows.in.count > 0 && ' after refunds'}
    </Text>
    <Text c="dimmed">
      {sumsIn(totals).map(({ label, sign, amount, count }, at) => (
        <Fragment key={label}>
          {at > 0 && ' · '}
          {count.toLocaleString('en')} {label.toLowerCase()}
          {amount !== null && (
            <>
              , {sign}
              <Amount value={amount} currency="" />
            </>
          )}
        </Fragment>
      ))}
    </Text>
    <Text size="xs" c="dimmed">
      Days and times in {totals.zone}.
    </Text>
  </Stack>
);

const mostRows = 10;

interface SplitProps {
  rows: readonly Row[];
  by: Grouping;
  filters: Filters;
}

const Split = ({ rows, by, filters }: SplitProps) => {
  const [shown, setShown] = useState(mostRows);
  return (
    <Panel title={`Spent by ${groupings[by].toLowerCase()}`}>
      {rows.length === 0 && (
        <Text c="dimmed">{by === 'model' ? 'No picture was paid for.' : 'Nothing was spent.'}</Text>
      )}
      <Stack gap={0} component="ul" m={0} p={0}>
        {rows.slice(0, shown).map((row) => (
          <Group
            key={row.key}
            component="li"
            justify="space-between"
            wrap="nowrap"
            align="flex-start"
            py={6}
            className="divided"
          >
            <Group gap="0 12px" miw={0}>
              <Name row={row} by={by} filters={filters} />
              <Text c="dimmed">{wordsOf(row)}</Text>
            </Group>
            <Text fw={600} className="may-wrap" ta="right" flex="none" maw="60%">
              <Amount value={row.amount} />
            </Text>
          </Group>
        ))}
      </Stack>
      {rows.length > shown && <ShowMore isBusy={false} onMore={() => setShown(shown + mostRows)} />}
    </Panel>
  );
};

const wordsOf = ({ payments, undelivered, failed, refused }: Row): string =>
  [
    counted(payments, 'payment'),
    undelivered.count > 0 && `${undelivered.count} not delivered (${undelivered.amount} USDC)`,
    failed.count > 0 && `${failed.count} failed`,
    refused.count > 0 && `${refused.count} refused`,
  ]
    .filter(Boolean)
    .join(' · ');

/** The filter that chooses a row's transfers; null where there is none. */
const filterOf = (by: Grouping, key: string): Filters | null => {
  if (key === '' || by === 'group') return null;
  if (by === 'agent') return { agent: key };
  if (by === 'day') return { from: key, to: key };
  if (by !== 'month') return { service: key };
  const [year = 0, month = 1] = key.split('-').map(Number);
  return { from: `${key}-01`, to: `${key}-${new Date(Date.UTC(year, month, 0)).getUTCDate()}` };
};

const Name = ({ row: { key, name }, by, filters }: { row: Row } & Pick<SplitProps, 'by' | 'filters'>) => {
  const filter = filterOf(by, key);
  const search = new URLSearchParams(searchOf({ ...filters, by: '', ...filter })).toString();
  const said = by === 'day' ? dayNamed(key) : by === 'month' ? monthNamed(key) : name;
  const looks = { fw: 600, className: 'break-anywhere' } as const;
  return filter === null ? (
    <Text {...looks}>{said}</Text>
  ) : (
    <Anchor component={Link} href={`/activity?${search}`} c="inherit" underline="always" {...looks}>
      {said}
    </Anchor>
  );
};
