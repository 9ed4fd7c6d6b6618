// Requests that clients may continue: the transfer that answers each, and whether the client has the answer.
import type { Store } from '../engine/ports.ts';
import type { Db } from './db.ts';
import type { Journal } from './journal.ts';
import { mapper } from './row.ts';

export const createWishes = (db: Db, journal: Journal): Store['wishes'] => {
  const insert = db.prepare(
    'INSERT INTO wish (transfer_id, hash, created_at, journal_seq) VALUES (@transferId, @hash, @createdAt, @journalSeq) RETURNING *',
  );
  const open = db.prepare(
    'SELECT transfer_id FROM wish WHERE hash = ? AND received_at IS NULL ORDER BY created_at, rowid',
  );
  const receive = db.prepare(
    'UPDATE wish SET received_at = ?, journal_seq = ? WHERE transfer_id = ? AND received_at IS NULL RETURNING *',
  );
  return {
    insert: (wish) => journal.enter('wish', insert.get({ ...wish, journalSeq: journal.next() }), true),
    open: (hash) => open.all(hash).map(toTransferId),
    receive(transferId, now) {
      const row = receive.get(now, journal.next(), transferId);
      if (row === undefined) return false;
      journal.enter('wish', row, false);
      return true;
    },
  };
};

const toTransferId = mapper('wish', (row) => row.text('transfer_id'));
