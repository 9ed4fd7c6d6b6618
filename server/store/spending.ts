// The sums that the policy counts, kept so that a decision costs the same with ten payments or ten million.
//
// A row counts as `open` from its reservation until it ends. A final row then counts for 86,400 s from `counted_at`,
// the later of its reservation and its block time. The final sum holds for one edge of the window; moving the edge adds
// or subtracts exactly the rows between the old edge and the new, in either direction.
//
// Spending reported to the owner, over a lifetime and by day, counts from the moment that a payment is seen, or that its
// seller has delivered. A fork takes it back unless the seller has delivered; an end without payment always does.
//
// A final refund counts as minus its charge, at the charge's own time: both are in the window, or none is.
import { isOpen, isPaid } from '../engine/domain/states.ts';
import type { Spent, Store, Transfer } from '../engine/ports.ts';
import type { Db } from './db.ts';
import { integer, integerOrNull, text, units } from './rows.ts';
import type { Row } from './journal.ts';
import { createSpendingDays } from './spending-days.ts';

const dayMs = 86_400_000;
const windowMs = dayMs;
const allAgents = '';

export type Spending = Store['spend'] & {
  /** Applies the difference between a row before and after a step. */
  moved(before: Transfer | null, after: Transfer): void;
  /** Applies the difference in the sums that the owner is shown, when no step but the seller's delivery made it. */
  report(before: Transfer | null, after: Transfer): void;
  countedAt(transfer: Transfer): number | null;
  countedAmount(transfer: Transfer): bigint;
};

export const createSpending = (db: Db): Spending => {
  const read = db.prepare('SELECT * FROM spending WHERE scope = ?');
  const create = db.prepare('INSERT OR IGNORE INTO spending (scope) VALUES (?)');
  const add = db.prepare(
    'UPDATE spending SET open_amount = open_amount + ?, open_fees = open_fees + ?, last_reserved_at = coalesce(?, last_reserved_at) WHERE scope = ?',
  );
  const addFinal = db.prepare(/* sql */ `
    UPDATE spending SET final_amount = final_amount + iif(@at > edge, @amount, 0),
      final_fees = final_fees + iif(@at > edge, @fee, 0) WHERE scope = @scope`);
  const addLifetime = db.prepare(
    'UPDATE spending SET lifetime_amount = lifetime_amount + ?, lifetime_payments = lifetime_payments + ? WHERE scope = ?',
  );
  const setEdge = db.prepare(
    'UPDATE spending SET edge = ?, final_amount = ?, final_fees = ? WHERE scope = ?',
  );
  const between = db.prepare(/* sql */ `
    SELECT coalesce(sum(counted_amount), 0) AS amount, coalesce(sum(fee_lamports), 0) AS fees FROM transfer
    WHERE agent_id = ? AND counted_at > ? AND counted_at <= ?`);
  const betweenAll = db.prepare(/* sql */ `
    SELECT coalesce(sum(counted_amount), 0) AS amount, coalesce(sum(fee_lamports), 0) AS fees FROM transfer
    WHERE counted_at > ? AND counted_at <= ?`);
  const oldest = db.prepare(/* sql */ `
    SELECT counted_at, counted_amount FROM transfer WHERE agent_id = ? AND counted_at > ? ORDER BY counted_at, counted_amount`);
  const oldestAll = db.prepare(/* sql */ `
    SELECT counted_at, counted_amount FROM transfer WHERE counted_at > ? ORDER BY counted_at, counted_amount`);

  const addDay = db.prepare(/* sql */ `
    INSERT INTO spending_day (day, agent_id, service_id, amount, payments) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET amount = amount + excluded.amount, payments = payments + excluded.payments`);
  const byDay = db.prepare(/* sql */ `
    SELECT day, agent_id, service_id, amount, payments FROM spending_day WHERE day > ? ORDER BY day, agent_id`);

  const spendingDays = createSpendingDays(db);

  const sums = (agentId: string | null, low: number, high: number): { amount: bigint; fees: bigint } =>
    (agentId === null ? betweenAll.get(low, high) : between.get(agentId, low, high)) as {
      amount: bigint;
      fees: bigint;
    };

  const at = (agentId: string | null, now: number): Spent => {
    const scope = agentId ?? allAgents;
    const row = read.get(scope) as Row | undefined;
    if (row === undefined) return { open: 0n, final: 0n, fees: 0n };
    const edge = integer(row, 'edge');
    const newEdge = now - windowMs;
    let final = units(row, 'final_amount');
    let finalFees = units(row, 'final_fees');
    if (newEdge !== edge) {
      const moved = sums(agentId, Math.min(edge, newEdge), Math.max(edge, newEdge));
      final += newEdge > edge ? -moved.amount : moved.amount;
      finalFees += newEdge > edge ? -moved.fees : moved.fees;
      if (db.inTransaction) setEdge.run(newEdge, final, finalFees, scope);
    }
    return { open: units(row, 'open_amount'), final, fees: units(row, 'open_fees') + finalFees };
  };

  const chargeCountedAt = db.prepare('SELECT counted_at FROM transfer WHERE id = ?');

  /** The later of reservation and block time, or the charge's for a refund; null unless it was paid or cost a fee. */
  const countedAt = (transfer: Transfer): number | null => {
    if (isCredit(transfer)) return integerOrNull(chargeCountedAt.get(transfer.invoice) as Row, 'counted_at');
    return counts(transfer) && (transfer.state === 'final' || transfer.state === 'failed')
      ? Math.max(transfer.reservedAt ?? 0, transfer.blockTime ?? 0)
      : null;
  };

  const movedScope = (scope: string, before: Transfer | null, after: Transfer): void => {
    const wasReserved = before !== null && reserves(before);
    const isReserved = reserves(after);
    if (!wasReserved && isReserved) {
      create.run(scope);
      add.run(after.amount, after.feeLamports, after.reservedAt, scope);
    } else if (wasReserved && !isReserved) {
      add.run(-after.amount, -before.feeLamports, null, scope);
    }
    const counted = countedAt(after);
    if (counted === null) return;
    const amount = countedAmount(after);
    addFinal.run({ at: counted, amount, fee: after.feeLamports, scope });
  };

  const reportedOf = (transfer: Transfer): Reported | null => {
    const { reservedAt, blockTime, amount } = transfer;
    if (isCredit(transfer)) return { day: dayOf(countedAt(transfer) ?? 0), amount: -amount, payments: -1 };
    const isDelivered = isOpen(transfer) && transfer.purchase?.delivery === 'delivered';
    if (!counts(transfer) || !(isPaid(transfer) || isDelivered)) return null;
    return { day: dayOf(Math.max(reservedAt ?? 0, blockTime ?? 0)), amount, payments: 1 };
  };

  const enterReported = (
    { agentId, serviceId }: Transfer,
    { day, amount, payments }: Reported,
    sign: 1 | -1,
  ): void => {
    const [change, times] = [amount * BigInt(sign), payments * sign];
    for (const scope of [agentId ?? allAgents, allAgents]) addLifetime.run(change, times, scope);
    spendingDays.changed(day);
    addDay.run(day, agentId ?? allAgents, serviceId ?? '', change, times);
  };

  const report = (before: Transfer | null, after: Transfer): void => {
    const was = before === null ? null : reportedOf(before);
    const is = reportedOf(after);
    if (was?.day === is?.day && was?.amount === is?.amount) return;
    if (was !== null) enterReported(after, was, -1);
    if (is !== null) enterReported(after, is, 1);
  };

  return {
    at,
    lifetime(agentId) {
      const row = read.get(agentId) as Row | undefined;
      if (row === undefined) return { spent: 0n, payments: 0 };
      return { spent: units(row, 'lifetime_amount'), payments: integer(row, 'lifetime_payments') };
    },
    lastReservedAt(agentId) {
      const row = read.get(agentId) as Row | undefined;
      return row === undefined ? null : integerOrNull(row, 'last_reserved_at');
    },
    byDay: (days, now) =>
      (byDay.all(Math.floor(now / dayMs) - days) as Row[]).map((row) => ({
        day: integer(row, 'day') * dayMs,
        agentId: text(row, 'agent_id'),
        serviceId: text(row, 'service_id'),
        amount: units(row, 'amount'),
        payments: integer(row, 'payments'),
      })),
    inDays: spendingDays.inDays,
    freedAt(agentId, now, needed) {
      // More than all final rows together: nothing says when open ones will leave.
      if (needed > at(agentId, now).final) return null;
      const edge = now - windowMs;
      const rows = (
        agentId === null ? oldestAll.iterate(edge) : oldest.iterate(agentId, edge)
      ) as Iterable<Row>;
      let freed = 0n;
      for (const row of rows) {
        freed += units(row, 'counted_amount');
        if (freed >= needed) return integer(row, 'counted_at') + windowMs;
      }
      return null;
    },
    moved(before, after) {
      if (!counts(after) && !isCredit(after)) return;
      movedScope(after.agentId ?? allAgents, before, after);
      movedScope(allAgents, before, after);
      report(before, after);
    },
    report,
    countedAt,
    countedAmount,
  };
};

const countedAmount = (transfer: Transfer): bigint => {
  if (isCredit(transfer)) return -transfer.amount;
  return transfer.state === 'final' ? transfer.amount : 0n;
};

const counts = ({ kind }: Transfer): boolean => kind === 'payment' || kind === 'charge';
const isCredit = ({ kind, state }: Transfer): boolean => kind === 'refund' && state === 'final';
const reserves = (transfer: Transfer): boolean => counts(transfer) && isOpen(transfer);
const dayOf = (time: number): number => Math.floor(time / dayMs);

interface Reported {
  /** Days since 1970, UTC. */
  day: number;
  /** Micro-USDC; negative for a refund. */
  amount: bigint;
  payments: number;
}
