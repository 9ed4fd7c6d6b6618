// The meaning of each idempotency key, for ever: never pruned, and protected as the payment itself is.
import type { Remembered, Store } from '../engine/ports.ts';
import type { Db } from './db.ts';
import type { Journal } from './journal.ts';
import { ifAny, mapper } from './row.ts';

/** Unambiguous: no scope holds a space. */
const idOf = (scope: string, key: string): string => `${scope} ${key}`;

export const createIdempotency = (db: Db, journal: Journal): Store['idempotency'] => {
  const find = db.prepare('SELECT * FROM idempotency WHERE id = ?');
  // A trigger refuses the update unless the transfer of this key was cancelled.
  const set = db.prepare(/* sql */ `
    INSERT INTO idempotency (id, route, body_hash, transfer_id, approval_id, created_at, journal_seq)
    VALUES (@id, @route, @bodyHash, @transferId, @approvalId, @now, @journalSeq)
    ON CONFLICT (id) DO UPDATE SET route = excluded.route, body_hash = excluded.body_hash,
      transfer_id = excluded.transfer_id, approval_id = excluded.approval_id, created_at = excluded.created_at,
      journal_seq = excluded.journal_seq
    RETURNING *`);
  return {
    find: (scope, key) => rememberedIn(find.get(idOf(scope, key))),
    remember(scope, key, what, now) {
      const id = idOf(scope, key);
      const isNew = find.get(id) === undefined;
      const row = set.get({ ...what, id, now, journalSeq: journal.next() });
      journal.enter('idempotency', row, isNew);
    },
  };
};

const rememberedIn = ifAny(
  mapper('idempotency', (row): Remembered => ({
    route: row.text('route'),
    bodyHash: row.text('body_hash'),
    transferId: row.textOrNull('transfer_id'),
    approvalId: row.textOrNull('approval_id'),
  })),
);
