// Checks that a protected row is what the journal says, and that a look-up by its id finds it.
import type { JournalBreak } from '../engine/ports.ts';
import type { Db } from './db.ts';
import {
  changedOutside,
  isWhole,
  protectedTables,
  subjectOf,
  type ProtectedTable,
  type Row,
} from './digests.ts';

/** An index used by look-ups, and a row's entry in it. */
interface Way {
  index: string;
  /** The condition of a partial index: on columns, or with `@` on a row's values. */
  of?: (at: '' | '@') => string;
  by: string;
}

/** Look-ups, other than by id, on which money depends: an index can be damaged as well. */
const ways: Partial<Record<ProtectedTable, readonly Way[]>> = {
  agent_key: [
    { index: 'sqlite_autoindex_agent_key_2', by: 'hash = @hash' },
    { index: 'agent_key_agent', by: 'agent_id = @agent_id' },
  ],
  policy: [{ index: 'sqlite_autoindex_policy_1', by: 'agent_id = @agent_id AND version = @version' }],
  standing_grant: [
    { index: 'standing_grant_agent', by: 'agent_id = @agent_id AND service_id = @service_id' },
  ],
  approval: [
    { index: 'approval_pending', of: (at) => `${at}status = 'pending'`, by: 'agent_id = @agent_id' },
  ],
  purchase: [
    {
      index: 'purchase_transaction',
      of: (at) => `${at}tx_signature IS NOT NULL`,
      by: 'tx_signature = @tx_signature',
    },
  ],
  task: [
    { index: 'sqlite_autoindex_task_2', by: 'charge_id = @charge_id' },
    {
      index: 'task_unsettled',
      of: (at) => `(${at}state IN ('queued', 'generating') OR ${at}refund = 'owed')`,
      by: 'seq = @seq',
    },
  ],
  wish: [
    {
      index: 'wish_open',
      of: (at) => `${at}received_at IS NULL`,
      by: 'hash = @hash AND created_at = @created_at',
    },
  ],
  transfer: [
    { index: 'transfer_signature', of: (at) => `${at}signature IS NOT NULL`, by: 'signature = @signature' },
    {
      index: 'transfer_open',
      of: (at) => `${at}is_open = 1`,
      by: 'agent_id IS @agent_id AND fee_lamports = @fee_lamports AND rent_lamports = @rent_lamports',
    },
    {
      index: 'transfer_window',
      of: (at) => `${at}counted_at IS NOT NULL`,
      by: `agent_id IS @agent_id AND counted_at = @counted_at AND counted_amount = @counted_amount
        AND fee_lamports = @fee_lamports`,
    },
    {
      index: 'transfer_window_all',
      of: (at) => `${at}counted_at IS NOT NULL`,
      by: 'counted_at = @counted_at AND counted_amount = @counted_amount AND fee_lamports = @fee_lamports',
    },
    {
      index: 'transfer_refund',
      of: (at) => `${at}kind = 'refund' AND ${at}state NOT IN ('denied', 'failed', 'dead', 'cancelled')`,
      by: 'invoice = @invoice',
    },
  ],
};

/** Returns a check for rows read from the table itself; the check returns null for an intact row. */
export const createRowCheck = (db: Db, table: ProtectedTable): ((row: Row) => JournalBreak | null) => {
  const id = protectedTables[table];
  const entryOf = db.prepare('SELECT subject, digest FROM journal WHERE seq = ?');
  const found = db.prepare(`SELECT journal_seq FROM ${table} WHERE ${id} = ?`).pluck();
  const otherwise = (ways[table] ?? []).map(({ index, of = () => 'TRUE', by }) =>
    db
      .prepare(
        `SELECT NOT (${of('@')}) OR EXISTS (SELECT 1 FROM ${table} INDEXED BY ${index}
          WHERE ${of('')} AND ${by} AND journal_seq = @journal_seq)`,
      )
      .pluck(),
  );
  return (row) => {
    const subject = subjectOf(table, row);
    if (!isWhole(entryOf.get(row['journal_seq']), table, row)) return { broken: changedOutside(subject) };
    // A row hidden by a damaged index is as good as removed.
    if (found.get(row[id]) !== row['journal_seq']) return { broken: `${subject} is not found by its id` };
    return otherwise.every((way) => way.get(row) !== 0n)
      ? null
      : { broken: `${subject} is missing in an index` };
  };
};
