// Boosts of the budgets of nodes. Every one is kept.
import type { Boost, Store } from '../engine/ports.ts';
import type { Db } from './db.ts';
import type { Journal } from './records/journal.ts';
import { ifAny, mapper } from './row.ts';

export const createBoosts = (db: Db, journal: Journal): Store['boosts'] => {
  const insert = db.prepare(/* sql */ `
    INSERT INTO boost (id, node, amount, until, created_at, journal_seq)
    VALUES (@id, @scope, @amount, @until, @createdAt, @journalSeq) RETURNING *`);
  const end = db.prepare('UPDATE boost SET ended_at = ?, journal_seq = ? WHERE id = ? RETURNING *');
  const inForce = db.prepare('SELECT * FROM boost WHERE node = ? AND ended_at IS NULL');
  const all = db.prepare('SELECT * FROM boost WHERE ended_at IS NULL ORDER BY created_at, id');
  const known = journal.cache<Boost | undefined>('boost');
  const last = (scope: string): Boost | undefined => known.get(scope, () => boostIn(inForce.get(scope)));
  const endNow = (boost: Boost | undefined, now: number): void => {
    if (boost !== undefined) journal.enter('boost', end.get(now, journal.next(), boost.id), false);
  };

  return {
    of(scope, now) {
      const boost = last(scope);
      return boost !== undefined && boost.until > now ? boost : null;
    },
    list: (now) =>
      all
        .all()
        .map(toBoost)
        .filter(({ until }) => until > now),
    set(boost) {
      endNow(last(boost.scope), boost.createdAt);
      journal.enter('boost', insert.get({ ...boost, journalSeq: journal.next() }), true);
    },
    end: (scope, now) => endNow(last(scope), now),
  };
};

const toBoost = mapper('boost', (row): Boost => ({
  id: row.text('id'),
  scope: row.text('node'),
  amount: row.usdc('amount'),
  until: row.integer('until'),
  createdAt: row.integer('created_at'),
}));
const boostIn = ifAny(toBoost);
