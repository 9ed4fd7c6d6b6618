// The sums that the policy counts, kept so that a decision costs the same with ten payments or ten million.
//
// A row counts as `open` from its reservation until it ends. A final row then counts for 86,400 s from `counted_at`,
// the later of its reservation and its block time. The final sum holds for one edge of the window; moving the edge adds
// or subtracts exactly the rows between the old edge and the new, in either direction.
//
// A final refund counts as minus its charge, at the charge's own time: both are in the window, or none is.
//
// A request to a language model counts with its bound while it is held, and then with its amount, from its reservation.
import {
  countsOf,
  countsOfRequest,
  isCredit,
  isSpending,
  nothingCounted,
  type Counts,
} from '../../engine/domain/spending.ts';
import { scopeOfAll, scopeOfService, scopesOf } from '../../engine/domain/limits.ts';
import type { ChargePath, ModelRequest, Scope, Spent, Store, Transfer } from '../../engine/ports.ts';
import { addUsdc, subUsdc, usdc } from '../../money.ts';
import type { Db } from '../db.ts';
import { createMeters, isNear, type Meters } from './meters.ts';
import { ifAny, mapper } from '../row.ts';
import { createReported, type Reported } from './reported.ts';
import { spendingRows } from './spending-rows.ts';

const dayMs = 86_400_000;
const windowMs = dayMs;

export type Spending = Store['spend'] &
  Pick<Reported, 'report'> & {
    /** Applies the difference between a row before and after a step, also to the sums that are reported. */
    moved(before: Transfer | null, after: Transfer): void;
    /** The same for a model request. */
    requestMoved(before: ModelRequest | null, after: ModelRequest): void;
    countedAt(transfer: Transfer): number | null;
  };

export const createSpending = (db: Db): Spending => {
  // Most treasuries have no model request. After a rollback of the first, this stays true and costs a look.
  let isAny = db.prepare('SELECT 1 FROM model_request LIMIT 1').get() !== undefined;
  const isAnyModel = (): boolean => isAny;
  const sql = statementsOf(db, isAnyModel);

  const at = (node: Scope | null, now: number): Spent => {
    const scope = node ?? scopeOfAll;
    const known = sumsIn(sql.read.get(scope));
    if (known === undefined) return { open: usdc(0n), final: usdc(0n), fees: 0n };
    const { edge } = known;
    const newEdge = now - windowMs;
    let { final, finalFees } = known;
    if (newEdge !== edge) {
      // After idle days less lies above the new edge than below it.
      const isFar = newEdge - edge > windowMs;
      const { between } = sql.rows(scope);
      const moved = isFar
        ? between(newEdge, Number.MAX_SAFE_INTEGER)
        : between(Math.min(edge, newEdge), Math.max(edge, newEdge));
      if (isFar) [final, finalFees] = [moved.amount, moved.fees];
      else {
        final = newEdge > edge ? subUsdc(final, moved.amount) : addUsdc(final, moved.amount);
        finalFees += newEdge > edge ? -moved.fees : moved.fees;
      }
      const isSame = final === known.final && finalFees === known.finalFees && isNear(edge, newEdge);
      if (db.inTransaction && !isSame) sql.setEdge.run(newEdge, final, finalFees, scope);
    }
    return { open: known.open, final, fees: known.openFees + finalFees };
  };

  const countedAt = (transfer: Transfer): number | null => timeCounted(sql, transfer);
  const openIn = (scope: Scope): bigint => sql.rows(scope).open().amount;
  const meters = createMeters(db, { openIn, isAnyModel });
  const reported = createReported(db, countedAt);
  return {
    ...reported,
    at,
    recount() {
      recount(db, sql);
      meters.dropWrong();
    },
    lastReservedAt: (scope) => sumsIn(sql.read.get(scope ?? scopeOfAll))?.lastReservedAt ?? null,
    freedAt(scope, now, needed, spanMs) {
      const left = sql.rows(scope ?? scopeOfAll).leavesAt(now - spanMs, needed);
      return left === null ? null : left + spanMs;
    },
    above: (scope, name, edge, now) => meters.above(scope ?? scopeOfAll, name, edge, now),
    reservedAt: meters.reserved,
    meter: meters.build,
    meterFromZero: meters.fromZero,
    meterOnly: meters.keepOnly,
    paymentLeaves: (scope, edge, leaving) => meters.nthPayment(scope ?? scopeOfAll, edge, leaving),
    moved(before, after) {
      if (!isSpending(after) && !isCredit(after)) return;
      const was = before === null ? nothingCounted : countsOf(before, null);
      move(sql, meters, after, { was, is: countsOf(after, countedAt(after)) });
      reported.report(before, after);
    },
    modelRequests: (scope, after) => (isAny ? sql.rows(scope ?? scopeOfAll).requestsAfter(after) : 0),
    requestMoved(before, after) {
      isAny = true;
      const was = before === null ? nothingCounted : countsOfRequest(before);
      move(sql, meters, after, { was, is: countsOfRequest(after) });
      reported.reportRequest(after);
    },
    countedAt,
  };
};

/** A row's counts before and after a step. */
interface Step {
  was: Counts;
  is: Counts;
}

const move = (
  sql: Statements,
  meters: Meters,
  row: ChargePath & { agentId: string | null; serviceId: string | null },
  step: Step,
): void => {
  for (const scope of scopesOf(row)) {
    moveNode(sql, meters, scope, step);
    if (row.serviceId !== null) moveAtService(meters, scopeOfService(scope, row.serviceId), step);
  }
};

const moveNode = (sql: Statements, meters: Meters, scope: Scope, { was, is }: Step): void => {
  if (was.held === null && is.held !== null) {
    const { amount, fees } = is.held;
    const add = (): number => sql.add.run(amount, fees, is.reservedAt, scope).changes;
    if (add() === 0) {
      sql.create.run(scope);
      add();
    }
  } else if (was.held !== null && is.held === null) {
    sql.add.run(-was.held.amount, -was.held.fees, null, scope);
  }
  if (was.rated === null && is.rated !== null) meters.addPayment(scope, is.rated, 1n);
  if (was.rated !== null && is.rated === null) meters.addPayment(scope, was.rated, -1n);
  if (is.ended === null) return;
  const { at, amount, fees } = is.ended;
  sql.addFinal.run({ at, amount, fee: fees, scope });
  meters.addMoney(scope, at, amount);
};

/** Changes the sums that limits at the service need, and none where there is no such limit. */
const moveAtService = (meters: Meters, scope: Scope, { was, is }: Step): void => {
  if (was.held === null && is.held !== null) meters.addReserved(scope, is.held.amount);
  if (was.held !== null && is.held === null) meters.addReserved(scope, -was.held.amount);
  if (is.ended !== null) meters.addMoney(scope, is.ended.at, is.ended.amount);
};

/** The later of reservation and block time, or the charge's for a refund; null unless it was paid or cost a fee. */
const timeCounted = (sql: Statements, transfer: Transfer): number | null => {
  if (isCredit(transfer)) return toCountedAt(sql.chargeCountedAt.get(transfer.invoice));
  return isSpending(transfer) && (transfer.state === 'final' || transfer.state === 'failed')
    ? Math.max(transfer.reservedAt ?? 0, transfer.blockTime ?? 0)
    : null;
};

/** The sums of a scope, from the rows alone. */
const countedIn = (sql: Statements, scope: Scope, edge: number) => {
  const rows = sql.rows(scope);
  const final = rows.between(edge, Number.MAX_SAFE_INTEGER);
  const open = rows.open();
  const rated = rows.lastRatedAt();
  return { open: open.amount, openFees: open.fees, final: final.amount, finalFees: final.fees, rated };
};

/** Writes the sums that differ from the rows, and nothing where none does. */
const recount = (db: Db, sql: Statements): void => {
  const known = new Map(sql.all.all().map((row) => [toScope(row), toSums(row)]));
  const scopes = new Set([...known.keys(), ...sql.agents.all().map(toAgentId), scopeOfAll]);
  const wrong = [...scopes].flatMap((scope) => {
    const held = known.get(scope) ?? nothingSummed;
    const { rated, ...counted } = countedIn(sql, scope, held.edge);
    const isRight =
      counted.open === held.open &&
      counted.openFees === held.openFees &&
      counted.final === held.final &&
      counted.finalFees === held.finalFees &&
      (rated ?? 0) <= (held.lastReservedAt ?? 0);
    // A reservation that is void by now began a cooldown too, and only the sum remembers it.
    const lastReservedAt = Math.max(rated ?? 0, held.lastReservedAt ?? 0) || null;
    return isRight ? [] : [{ ...counted, scope, edge: held.edge, lastReservedAt }];
  });
  if (wrong.length === 0) return;
  db.transaction(() => {
    for (const sums of wrong) {
      sql.create.run(sums.scope);
      sql.put.run(sums);
    }
  })();
};

const nothingSummed = {
  edge: 0,
  open: usdc(0n),
  openFees: 0n,
  final: usdc(0n),
  finalFees: 0n,
  lastReservedAt: null,
};

type Statements = ReturnType<typeof statementsOf>;
const statementsOf = (db: Db, isAnyModel: () => boolean) => ({
  read: db.prepare('SELECT * FROM spending WHERE scope = ?'),
  all: db.prepare('SELECT * FROM spending'),
  agents: db.prepare('SELECT agent_id FROM agent'),
  put: db.prepare(/* sql */ `
    UPDATE spending SET edge = @edge, open_amount = @open, open_fees = @openFees, final_amount = @final,
      final_fees = @finalFees, last_reserved_at = @lastReservedAt WHERE scope = @scope`),
  create: db.prepare('INSERT OR IGNORE INTO spending (scope) VALUES (?)'),
  add: db.prepare(/* sql */ `
    UPDATE spending SET open_amount = open_amount + ?, open_fees = open_fees + ?,
      last_reserved_at = coalesce(?, last_reserved_at) WHERE scope = ?`),
  addFinal: db.prepare(/* sql */ `
    UPDATE spending SET final_amount = final_amount + iif(@at > edge, @amount, 0),
      final_fees = final_fees + iif(@at > edge, @fee, 0) WHERE scope = @scope`),
  setEdge: db.prepare('UPDATE spending SET edge = ?, final_amount = ?, final_fees = ? WHERE scope = ?'),
  rows: spendingRows(db, isAnyModel),
  chargeCountedAt: db.prepare('SELECT counted_at FROM transfer WHERE id = ?'),
});

const toSums = mapper('spending', (row) => ({
  edge: row.integer('edge'),
  open: row.usdc('open_amount'),
  openFees: row.bigint('open_fees'),
  final: row.usdc('final_amount'),
  finalFees: row.bigint('final_fees'),
  lastReservedAt: row.integerOrNull('last_reserved_at'),
}));
const sumsIn = ifAny(toSums);
const toAgentId = mapper('agent', (row) => row.text('agent_id'));
const toScope = mapper('spending', (row) => row.text('scope'));
const toCountedAt = mapper('transfer', (row) => row.integerOrNull('counted_at'));
