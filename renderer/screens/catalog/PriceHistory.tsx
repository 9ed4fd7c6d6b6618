// The amounts paid to a service over time as dots, beside its listed price and their median. An amount may follow from the
// use and not from a price, so that only one far above the median is worth a warning.
import { Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Reply } from '../../../server/contract/schemas.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import chart from '../../shared/chart/chart.module.css';
import { ChartFrame } from '../../shared/chart/ChartFrame.tsx';
import { Notice } from '../../shared/ui/Notice.tsx';
import { counted } from '../../shared/format.ts';
import { outcomeOf } from '../../shared/status.ts';
import { dayAndTimeOf, dayOf } from '../../shared/time.ts';
import styles from './catalog.module.css';

type Entry = Reply<'activity'>['entries'][number];

const height = 130;
const below = 24;
/** As many times the median, as in the watch's rule of a price that jumped. */
const far = 3;

interface PriceHistoryProps {
  /** Newest first. */
  entries: readonly Entry[];
  /** The price that the catalog names; null: none. */
  listed: string | null;
}

export const PriceHistory = ({ entries, listed }: PriceHistoryProps) => {
  const paid = entries.filter(wasPaid);
  const [newest, oldest] = [paid[0], paid.at(-1)];
  if (newest === undefined || oldest === undefined) return <Text c="dimmed">No payments yet.</Text>;
  const sorted = paid.map(({ amount }) => amount).toSorted((a, b) => Number(a) - Number(b));
  const median = sorted[Math.floor(sorted.length / 2)] ?? newest.amount;
  return (
    <Stack gap="sm">
      {Number(newest.amount) > far * Number(median) && (
        <Notice
          color="yellow"
          icon={<IconAlertTriangle aria-hidden />}
          title="The last payment was unusually high"
        >
          <Amount value={newest.amount} /> on {dayAndTimeOf(newest.timestamp)}: more than {far} times the
          median.
        </Notice>
      )}
      <Group gap="md">
        <Line kind="median" words="Median" amount={median} />
        {listed !== null && <Line kind="listed" words="Listed price" amount={listed} />}
      </Group>
      <Dots paid={paid} median={median} listed={listed} />
      <Text c="dimmed">
        {counted(paid.length, 'payment')}, from <Amount value={sorted[0] ?? ''} /> to{' '}
        <Amount value={sorted.at(-1) ?? ''} />.
      </Text>
    </Stack>
  );
};

interface DotsProps {
  /** Newest first, at least one. */
  paid: readonly Entry[];
  median: string;
  listed: string | null;
}

const Dots = ({ paid, median, listed }: DotsProps) => {
  const [newest, oldest] = [paid[0] as Entry, paid.at(-1) as Entry];
  return (
    <ChartFrame
      most={Math.max(...paid.map(({ amount }) => Number(amount)), Number(listed ?? 0))}
      height={height}
      below={below}
    >
      {(heightOf) => (
        <>
          {(
            [
              ['median', median],
              ['listed', listed],
            ] as const
          ).map(
            ([kind, amount]) =>
              amount !== null && (
                <line
                  key={kind}
                  className={styles[kind]}
                  x1="0"
                  x2="100%"
                  y1={height - heightOf(Number(amount))}
                  y2={height - heightOf(Number(amount))}
                />
              ),
          )}
          {paid.map(({ id, amount, timestamp }) => (
            <circle
              key={id}
              className={styles['dot']}
              cx={`${placeOf(timestamp, oldest, newest)}%`}
              cy={height - heightOf(Number(amount))}
              r="3.5"
            >
              <title>{`${amount} USDC, ${dayAndTimeOf(timestamp)}`}</title>
            </circle>
          ))}
          {[oldest, newest].map(({ id, timestamp }, at) => (
            <text
              key={`${at} ${id}`}
              className={chart['label']}
              x={at === 0 ? '0' : '100%'}
              y={height + below - 6}
              textAnchor={at === 0 ? 'start' : 'end'}
            >
              {(at === 0 || dayOf(oldest.timestamp) !== dayOf(timestamp)) && dayOf(timestamp)}
            </text>
          ))}
        </>
      )}
    </ChartFrame>
  );
};

const wasPaid = (entry: Entry): boolean => ['paid', 'settling', 'undelivered'].includes(outcomeOf(entry));

/** In percent of the time between the first payment and the last, a little within the edges. */
const placeOf = (timestamp: string, oldest: Entry, newest: Entry): number => {
  const [at, from, to] = [timestamp, oldest.timestamp, newest.timestamp].map((iso) => Date.parse(iso)) as [
    number,
    number,
    number,
  ];
  return 1 + (to === from ? 98 : (98 * (at - from)) / (to - from));
};

const Line = ({ kind, words, amount }: { kind: 'median' | 'listed'; words: string; amount: string }) => (
  <Group gap={6}>
    <svg aria-hidden width="24" height="8">
      <line className={styles[kind]} x1="0" x2="24" y1="4" y2="4" />
    </svg>
    <Text>
      {words} <Amount value={amount} />
    </Text>
  </Group>
);
