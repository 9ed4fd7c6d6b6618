// Sums of what is later than an edge, one for each limit in force beyond the daily budget: money by the time at which it
// counts, payments by their reservation; and for a limit at a service, what is reserved there. A decision moves the edge
// and reads the sum; it never scans history. A limit that is set late is summed first, in slices that payments go between.
import { partsOfScope, scopeOfAll, scopeOfService } from '../../engine/domain/limits.ts';
import type { MeterKey, MeterName, Scope } from '../../engine/ports.ts';
import type { Db } from '../db.ts';
import { ifAny, mapper } from '../row.ts';
import { byScope } from './scopes.ts';

/** Moves an edge that no row has passed once a minute, which saves most writes of a decision. */
export const isNear = (edge: number, other: number): boolean => Math.abs(edge - other) < 60_000;

const whole = Number.MAX_SAFE_INTEGER;
const inNumber: readonly MeterName[] = ['hour', 'day'];

export interface Meters {
  above: (scope: Scope, name: MeterName, edge: number, now: number) => bigint;
  /** What is reserved at a service. */
  reserved: (scope: Scope) => bigint;
  /** One slice for each step, each in a transaction of its own. */
  build: (key: MeterKey, edge: number) => Generator<void, void>;
  /** A whole sum of no rows. */
  fromZero: (key: MeterKey, edge: number) => void;
  /** Ends all other meters of the node, and of the node at services. */
  keepOnly: (node: Scope, kept: readonly MeterKey[]) => void;
  /** Drops each sum that differs from its rows. */
  dropWrong: () => void;
  /** Money of a final row, or of a refund: less than zero, at the time of its charge. */
  addMoney: (scope: Scope, at: number, amount: bigint) => void;
  /** Money was reserved, or is no longer: less than zero. */
  addReserved: (scope: Scope, amount: bigint) => void;
  /** A payment was reserved, or is void. */
  addPayment: (scope: Scope, at: number, by: 1n | -1n) => void;
  /** The time of the last to leave when so many of the payments later than `edge` have to leave; null for too few. */
  nthPayment: (scope: Scope, edge: number, leaving: number) => number | null;
}

/**
 * @param openIn sums the open rows of a scope; `isAnyModel`: without a model request, its table is not read
 * @param sliceRows read in some two milliseconds
 */
export const createMeters = (
  db: Db,
  { openIn, isAnyModel }: { openIn: (scope: Scope) => bigint; isAnyModel: () => boolean },
  sliceRows = 10_000,
): Meters => {
  const sql = statementsOf(db);
  const rows = rowsOf(db, isAnyModel);
  const read = (scope: Scope, name: MeterName) => meterIn(sql.read.get(scope, name));

  /** From the rows alone. */
  const counted = ({ scope, name, edge }: Meter): bigint =>
    name === 'reserved' ? openIn(scope) : rows(scope, name).between(edge, whole);

  const nextSlice = db.transaction(({ scope, name }: MeterKey): boolean => {
    const known = read(scope, name);
    if (known === undefined || known.mark === whole) return true;
    const mark = rows(allAt(scope), name).nth(known.mark, sliceRows) ?? whole;
    sql.advance.run({ scope, name, mark, amount: rows(scope, name).between(known.mark, mark) });
    return mark === whole;
  });

  return {
    above(scope, name, edge, now) {
      const { between } = rows(scope, name);
      const known = read(scope, name);
      if (known === undefined || known.mark !== whole) return between(edge, whole);
      if (edge === known.edge) return known.amount;
      const isForward = edge > known.edge;
      // After idle days, and when a month begins, less lies above the new edge than below it.
      const isFar = isForward && now - edge < edge - known.edge;
      const amount = isFar
        ? between(edge, whole)
        : isForward
          ? known.amount - between(known.edge, edge)
          : known.amount + between(edge, known.edge);
      const isSame = amount === known.amount && isNear(edge, known.edge);
      if (db.inTransaction && !isSame) sql.move.run({ scope, name, edge, amount });
      return amount;
    },
    reserved: (scope) => read(scope, 'reserved')?.amount ?? openIn(scope),
    *build(key, edge) {
      const { scope, name } = key;
      if (read(scope, name)?.mark === whole) return;
      if (name === 'reserved') {
        sql.begin.run({ scope, name, edge, mark: whole, amount: openIn(scope) });
        return;
      }
      sql.begin.run({ scope, name, edge, mark: edge, amount: 0n });
      while (!nextSlice(key)) yield;
    },
    fromZero: ({ scope, name }, edge) => void sql.begin.run({ scope, name, edge, mark: whole, amount: 0n }),
    keepOnly: (node, kept) => void sql.keepOnly.run({ node, kept: JSON.stringify(kept) }),
    dropWrong() {
      for (const meter of sql.all.all().map(toMeter))
        if (meter.mark !== whole || meter.amount !== counted(meter)) sql.drop.run(meter.scope, meter.name);
    },
    addReserved: (scope, amount) => void sql.addReserved.run({ scope, amount }),
    addMoney: (scope, at, amount) => void sql.addMoney.run({ scope, at, amount }),
    addPayment: (scope, at, by) => void sql.addPayment.run({ scope, at, amount: by }),
    nthPayment: (scope, edge, leaving) => rows(scope, 'day').nth(edge, leaving - 1),
  };
};

/** A slice reads rows of one service for all nodes: it skips none that it does not count. */
const allAt = (scope: Scope): Scope => {
  const { serviceId } = partsOfScope(scope);
  return serviceId === null ? scope : scopeOfService(scopeOfAll, serviceId);
};

const statementsOf = (db: Db) => {
  const add = (names: string) =>
    db.prepare(/* sql */ `
    UPDATE meter SET amount = amount + @amount
    WHERE scope = @scope AND ${names} AND @at > edge AND @at <= mark`);
  return {
    read: db.prepare('SELECT * FROM meter WHERE scope = ? AND name = ?'),
    all: db.prepare('SELECT * FROM meter'),
    drop: db.prepare('DELETE FROM meter WHERE scope = ? AND name = ?'),
    begin: db.prepare(/* sql */ `
    INSERT OR REPLACE INTO meter (scope, name, edge, mark, amount) VALUES (@scope, @name, @edge, @mark, @amount)`),
    advance: db.prepare(
      'UPDATE meter SET mark = @mark, amount = amount + @amount WHERE scope = @scope AND name = @name',
    ),
    move: db.prepare('UPDATE meter SET edge = @edge, amount = @amount WHERE scope = @scope AND name = @name'),
    // Scopes at services follow their node's own, with an @ between.
    keepOnly: db.prepare(/* sql */ `
    DELETE FROM meter WHERE (scope = @node OR (scope >= @node || '@' AND scope < @node || 'A'))
      AND (scope, name) NOT IN (SELECT value ->> 'scope', value ->> 'name' FROM json_each(@kept))`),
    addMoney: add("name NOT IN ('hour', 'day', 'reserved')"),
    addPayment: add("name IN ('hour', 'day')"),
    addReserved: db.prepare(
      "UPDATE meter SET amount = amount + @amount WHERE scope = @scope AND name = 'reserved'",
    ),
  };
};

interface Rows {
  /** The sum of those after `low`, up to `high`. */
  between(low: number, high: number): bigint;
  /** The time of the oldest later than `after`, but for `skip` older ones; null when there are fewer. */
  nth(after: number, skip: number): number | null;
}

/** The rows that a meter sums, through an index that holds all that is read of them. */
const rowsOf = (db: Db, isAnyModel: () => boolean): ((scope: Scope, name: MeterName) => Rows) => {
  const rowsWith = (table: string, at: string, amount: string): ((scope: Scope) => Rows) => {
    const statements = byScope((ofScope) => {
      const where = `FROM ${table} WHERE ${ofScope} ${at} > @low`;
      return {
        sum: db.prepare(`SELECT ${amount} AS amount ${where} AND ${at} <= @high`),
        nth: db.prepare(`SELECT ${at} AS at ${where} ORDER BY ${at} LIMIT 1 OFFSET @skip`),
      };
    });
    return (scope) => {
      const { sql, bound } = statements(scope);
      return {
        between: (low, high) => toAmount(sql.sum.get({ ...bound, low, high })),
        nth: (low, skip) => atIn(sql.nth.get({ ...bound, low, skip })) ?? null,
      };
    };
  };
  const sum = 'coalesce(sum(counted_amount), 0)';
  const money = rowsWith('transfer', 'counted_at', sum);
  const models = rowsWith('model_request', 'counted_at', sum);
  const payments = rowsWith('transfer', 'rated_at', 'count(*)');
  return (scope, name) => {
    if (inNumber.includes(name)) return payments(scope);
    return isAnyModel() ? together(money(scope), models(scope)) : money(scope);
  };
};

/** The rows of two tables. A slice that is cut by count ends at the earlier of their cuts. */
const together = (one: Rows, other: Rows): Rows => ({
  between: (low, high) => one.between(low, high) + other.between(low, high),
  nth(after, skip) {
    const cuts = [one.nth(after, skip), other.nth(after, skip)].filter((at) => at !== null);
    return cuts.length === 0 ? null : Math.min(...cuts);
  },
});

const names = Object.keys({
  week: true,
  month: true,
  total: true,
  hour: true,
  day: true,
  reserved: true,
  'spent-day': true,
} satisfies Record<MeterName, true>) as MeterName[];
interface Meter extends MeterKey {
  edge: number;
  /** Rows up to here are in the amount. */
  mark: number;
  amount: bigint;
}

const toMeter = mapper('meter', (row): Meter => ({
  scope: row.text('scope'),
  name: row.word('name', names),
  edge: row.integer('edge'),
  mark: row.integer('mark'),
  amount: row.bigint('amount'),
}));
const meterIn = ifAny(toMeter);
const toAmount = mapper('transfer', (row) => row.bigint('amount'));
const atIn = ifAny(mapper('transfer', (row) => row.integer('at')));
