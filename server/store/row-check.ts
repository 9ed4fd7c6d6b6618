// Whether a row of a protected table is what the journal says of it, and is there for who asks for it by its id.
import type { JournalBreak } from '../engine/ports.ts';
import type { Db } from './database.ts';
import {
  changedOutside,
  isWhole,
  protectedTables,
  subjectOf,
  type ProtectedTable,
  type Row,
} from './digests.ts';

/** How rows are looked for besides, where money depends on it: each way has an index, which can be damaged too. */
const ways: Partial<Record<ProtectedTable, readonly { of?: string; by: string }[]>> = {
  agent_key: [{ by: 'hash = @hash' }, { by: 'agent_id = @agent_id' }],
  policy: [{ by: 'agent_id = @agent_id AND version = @version' }],
  standing_grant: [{ by: 'agent_id = @agent_id AND service_id = @service_id' }],
  purchase: [{ of: '@tx_signature IS NOT NULL', by: 'tx_signature = @tx_signature' }],
  transfer: [
    { of: '@signature IS NOT NULL', by: 'signature = @signature' },
    {
      of: '@is_open = 1',
      by: 'is_open = 1 AND agent_id IS @agent_id AND fee_lamports = @fee_lamports AND rent_lamports = @rent_lamports',
    },
  ],
};

/** Of rows as the table itself holds them; null: there is nothing wrong with it. */
export const createRowCheck = (db: Db, table: ProtectedTable): ((row: Row) => JournalBreak | null) => {
  const id = protectedTables[table];
  const entryOf = db.prepare('SELECT subject, digest FROM journal WHERE seq = ?');
  const found = db.prepare(`SELECT journal_seq FROM ${table} WHERE ${id} = ?`).pluck();
  const otherwise = (ways[table] ?? []).map(({ of = 'TRUE', by }) =>
    db
      .prepare(
        `SELECT NOT (${of}) OR EXISTS (SELECT 1 FROM ${table} WHERE ${by} AND journal_seq = @journal_seq)`,
      )
      .pluck(),
  );
  return (row) => {
    const subject = subjectOf(table, row);
    if (!isWhole(entryOf.get(row['journal_seq']), subject, row)) return { broken: changedOutside(subject) };
    // A whole row behind a damaged index is as good as removed.
    if (found.get(row[id]) !== row['journal_seq']) return { broken: `${subject} is not found by its id` };
    return otherwise.every((way) => way.get(row) === 1n)
      ? null
      : { broken: `${subject} is missing in an index` };
  };
};
