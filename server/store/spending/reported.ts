// Spending reported to the owner, over a lifetime and by day. It counts from the moment that a payment is seen, or that its
// seller has delivered. A fork takes it back unless the seller has delivered; an end without payment always does.
import { isOpen, isPaid } from '../../engine/domain/states.ts';
import { countsOfRequest, isCredit, isSpending } from '../../engine/domain/spending.ts';
import type { ModelRequest, Store, Transfer } from '../../engine/ports.ts';
import { usdc } from '../../money.ts';
import type { Db } from '../db.ts';
import { ifAny, mapper } from '../row.ts';
import { createSpendingSpans } from './spending-spans.ts';

const dayMs = 86_400_000;
const allAgents = '';

export interface Reported extends Pick<Store['spend'], 'lifetime' | 'agentByDay' | 'between'> {
  /** Applies the difference between a row before and after a step or a delivery. */
  report(before: Transfer | null, after: Transfer): void;
  /** The same for a request to a language model, which counts once it is settled. */
  reportRequest(after: ModelRequest): void;
}

/** @param countedAt the time, in Unix milliseconds, at which a refund counts */
export const createReported = (db: Db, countedAt: (transfer: Transfer) => number | null): Reported => {
  const read = db.prepare(
    'SELECT lifetime_amount, lifetime_payments, lifetime_requests FROM spending WHERE scope = ?',
  );
  const addLifetime = db.prepare(
    'UPDATE spending SET lifetime_amount = lifetime_amount + ?, lifetime_payments = lifetime_payments + ?, lifetime_requests = lifetime_requests + ? WHERE scope = ?',
  );
  const addDay = db.prepare(/* sql */ `
    INSERT INTO spending_day (day, agent_id, service_id, amount, payments) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET amount = amount + excluded.amount, payments = payments + excluded.payments`);
  const selectAgentDay = db.prepare(
    'SELECT coalesce(sum(amount), 0) AS amount FROM spending_day WHERE day = ? AND agent_id = ?',
  );
  const spans = createSpendingSpans(db);

  const enter = (
    { agentId, serviceId }: Pick<Transfer, 'agentId' | 'serviceId'>,
    { day, amount, payments = 0, requests = 0 }: Entry,
    sign: 1 | -1,
  ): void => {
    const [change, times] = [amount * BigInt(sign), payments * sign];
    for (const scope of [agentId ?? allAgents, allAgents]) addLifetime.run(change, times, requests, scope);
    spans.changed(day);
    addDay.run(day, agentId ?? allAgents, serviceId ?? '', change, times);
  };

  return {
    report(before, after) {
      const was = before === null ? null : entryOf(before, countedAt);
      const is = entryOf(after, countedAt);
      if (was?.day === is?.day && was?.amount === is?.amount) return;
      if (was !== null) enter(after, was, -1);
      if (is !== null) enter(after, is, 1);
    },
    reportRequest(after) {
      const { ended } = countsOfRequest(after);
      if (ended === null) return;
      const requests = after.corrects === null && after.wire !== '' ? 1 : 0;
      enter(after, { day: dayOf(ended.at), amount: ended.amount, requests }, 1);
    },
    lifetime: (agentId) => lifetimeIn(read.get(agentId)) ?? { spent: usdc(0n), payments: 0, requests: 0 },
    agentByDay: (agentId, days, now) =>
      Array.from({ length: days }, (_, index) => Math.floor(now / dayMs) - days + 1 + index).map((day) => ({
        day: day * dayMs,
        amount: toSum(selectAgentDay.get(day, agentId)),
      })),
    between: spans.between,
  };
};

const entryOf = (transfer: Transfer, countedAt: (transfer: Transfer) => number | null): Entry | null => {
  const { reservedAt, blockTime, amount } = transfer;
  if (isCredit(transfer)) return { day: dayOf(countedAt(transfer) ?? 0), amount: -amount, payments: -1 };
  const isDelivered = isOpen(transfer) && transfer.purchase?.delivery === 'delivered';
  if (!isSpending(transfer) || !(isPaid(transfer) || isDelivered)) return null;
  return { day: dayOf(Math.max(reservedAt ?? 0, blockTime ?? 0)), amount, payments: 1 };
};

const dayOf = (time: number): number => Math.floor(time / dayMs);

interface Entry {
  /** Days since 1970, UTC. */
  day: number;
  /** Micro-USDC; negative for a refund. */
  amount: bigint;
  payments?: number;
  requests?: number;
}

const lifetimeIn = ifAny(
  mapper('spending', (row) => ({
    spent: row.usdc('lifetime_amount'),
    payments: row.integer('lifetime_payments'),
    requests: row.integer('lifetime_requests'),
  })),
);
const toSum = mapper('spending_day', (row) => row.usdc('amount'));
