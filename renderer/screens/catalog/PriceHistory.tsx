// The prices paid to a service over time, as a line and as the periods of each price.
import { Group, Stack, Text } from '@mantine/core';
import type { Reply } from '../../../server/contract/schemas.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { counted } from '../../shared/format.ts';
import { outcomeOf } from '../../shared/status.ts';
import { dayOf } from '../../shared/time.ts';
import styles from './catalog.module.css';

type Entry = Reply<'activity'>['entries'][number];

const mostSpans = 8;
const width = 600;
const height = 90;

export const PriceHistory = ({ entries }: { entries: readonly Entry[] }) => {
  const { paid, spans } = pricesOf(entries.filter(wasPaid));
  if (paid.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing was paid yet.
      </Text>
    );
  return (
    <Stack gap="sm">
      {paid.length > 1 && <Line paid={paid} />}
      <Stack gap={4} component="ul" m={0} p={0} aria-label="Prices, newest first">
        {spans.slice(0, mostSpans).map((span) => (
          <Span key={`${span.from} ${span.amount}`} span={span} />
        ))}
      </Stack>
      {spans.length > mostSpans && (
        <Text size="sm" c="dimmed">
          It changed {counted(spans.length - mostSpans, 'more time')} before.
        </Text>
      )}
    </Stack>
  );
};

const wasPaid = (entry: Entry): boolean => ['paid', 'settling', 'undelivered'].includes(outcomeOf(entry));

const Span = ({ span: { amount, from, to, payments } }: { span: PriceSpan }) => (
  <Group component="li" justify="space-between" gap="xs" style={{ listStyle: 'none' }}>
    <Text size="sm" fw={600} className="may-wrap">
      <Amount value={amount} />
    </Text>
    <Text size="sm" c="dimmed">
      {dayOf(from) === dayOf(to) ? dayOf(to) : `${dayOf(from)} to ${dayOf(to)}`},{' '}
      {counted(payments, 'payment')}
    </Text>
  </Group>
);

/** The page's only other place where an amount becomes a floating-point number: for display. */
const Line = ({ paid }: { paid: readonly PaidPrice[] }) => {
  const most = Math.max(...paid.map(({ amount }) => Number(amount)));
  const [first, last] = [paid[0]?.at ?? 0, paid.at(-1)?.at ?? 1];
  const points = paid.map(({ at, amount }) => ({
    x: last === first ? width : (width * (at - first)) / (last - first),
    y: most === 0 ? height : height - (height * Number(amount)) / most,
  }));
  const path = points.map(({ x, y }, index) => (index === 0 ? `M${x} ${y}` : `H${x}V${y}`)).join('');
  return (
    <svg
      aria-hidden
      width="100%"
      height={height + 4}
      viewBox={`0 -2 ${width} ${height + 4}`}
      preserveAspectRatio="none"
      className={styles['line']}
    >
      <path d={path} />
    </svg>
  );
};

/** The prices that a service's payments had, oldest payment first, and the spans of time of each price. */
interface Paid {
  amount: string;
  timestamp: string;
}

interface PaidPrice {
  at: number;
  amount: string;
}

interface PriceSpan {
  amount: string;
  /** Of its first and its last payment. */
  from: string;
  to: string;
  payments: number;
}

/** @param payments newest first. Returns the spans newest first */
const pricesOf = (payments: readonly Paid[]): { paid: PaidPrice[]; spans: PriceSpan[] } => {
  const oldestFirst = payments.toReversed();
  const spans: PriceSpan[] = [];
  for (const { amount, timestamp } of oldestFirst) {
    const last = spans.at(-1);
    if (last?.amount !== amount) spans.push({ amount, from: timestamp, to: timestamp, payments: 1 });
    else spans[spans.length - 1] = { ...last, to: timestamp, payments: last.payments + 1 };
  }
  return {
    paid: oldestFirst.map(({ amount, timestamp }) => ({ amount, at: Date.parse(timestamp) })),
    spans: spans.toReversed(),
  };
};
