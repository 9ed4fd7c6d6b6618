// Answers that sellers delivered: each row describes a file, and is written once that file is on disk.
import { isUtf8 } from 'node:buffer';
import type { KeptAnswer, Store } from '../engine/ports.ts';
import type { Db } from './db.ts';
import type { Row } from './journal.ts';
import { integer, integerOrNull, json, text } from './rows.ts';

export const createKeptAnswers = (db: Db): Store['answers'] => {
  const keep = db.prepare(/* sql */ `
    INSERT INTO kept_answer (transfer_id, agent_id, status, headers, bytes, encoding, at, received_at)
    VALUES (@transferId, @agentId, @status, @headers, @bytes, @encoding, @at, @receivedAt)`);
  const get = db.prepare('SELECT * FROM kept_answer WHERE transfer_id = ?');
  const receive = db.prepare(
    'UPDATE kept_answer SET received_at = ? WHERE transfer_id = ? AND received_at IS NULL',
  );
  const sum = db.prepare('SELECT COALESCE(SUM(bytes), 0) AS bytes FROM kept_answer WHERE agent_id = ?');
  const received = db.prepare(
    'SELECT * FROM kept_answer WHERE agent_id = ? AND received_at IS NOT NULL ORDER BY at LIMIT ?',
  );
  const before = db.prepare('SELECT * FROM kept_answer WHERE at < ? ORDER BY at LIMIT ?');
  const after = db.prepare('SELECT * FROM kept_answer WHERE transfer_id > ? ORDER BY transfer_id LIMIT ?');
  const remove = db.prepare('DELETE FROM kept_answer WHERE transfer_id = ?');
  const oldest01 = db.prepare(/* sql */ `
    SELECT seller_answer.*, transfer.agent_id FROM seller_answer JOIN transfer ON transfer.id = transfer_id
    ORDER BY seller_answer.at LIMIT 1`);
  const forget01 = db.prepare('DELETE FROM seller_answer WHERE transfer_id = ?');
  /** Needed for every purchase, and an agent may have very many small answers. */
  const sums = new Map<string, number>();
  const sumOf = (agentId: string): number => {
    const known = sums.get(agentId) ?? integer(sum.get(agentId) as Row, 'bytes');
    sums.set(agentId, known);
    return known;
  };
  const find = (transferId: string): KeptAnswer | undefined => {
    const row = get.get(transferId) as Row | undefined;
    return row === undefined ? undefined : toKept(row);
  };
  const forget = (transferId: string): void => {
    const known = find(transferId);
    if (known === undefined) return;
    sums.set(known.agentId, sumOf(known.agentId) - known.bytes);
    remove.run(transferId);
  };

  return {
    keep({ headers, ...answer }) {
      forget(answer.transferId);
      sums.set(answer.agentId, sumOf(answer.agentId) + answer.bytes);
      keep.run({ ...answer, headers: JSON.stringify(headers) });
    },
    get: find,
    receive: (transferId, now) => receive.run(now, transferId).changes > 0,
    sum: sumOf,
    received: (agentId, limit) => all(received.all(agentId, limit)),
    before: (time, limit) => all(before.all(time, limit)),
    after: (transferId, limit) => all(after.all(transferId, limit)),
    remove: forget,
    oldest01() {
      const row = oldest01.get() as Row | undefined;
      if (row === undefined) return undefined;
      const bytes = row['body'] as Buffer;
      const encoding = isUtf8(bytes) ? 'utf8' : 'base64';
      return {
        answer: toKept({ ...row, bytes: BigInt(bytes.byteLength), encoding, received_at: null }),
        bytes,
      };
    },
    forget01(transferId) {
      // A deleted body would remain in free pages of the file, and so in every backup.
      db.pragma('secure_delete = ON');
      forget01.run(transferId);
      db.pragma('secure_delete = OFF');
    },
  };
};

const toKept = (row: Row): KeptAnswer => ({
  transferId: text(row, 'transfer_id'),
  agentId: text(row, 'agent_id'),
  status: integer(row, 'status'),
  headers: json<Record<string, string>>(row, 'headers'),
  bytes: integer(row, 'bytes'),
  encoding: text(row, 'encoding') as KeptAnswer['encoding'],
  at: integer(row, 'at'),
  receivedAt: integerOrNull(row, 'received_at'),
});

const all = (rows: unknown[]): KeptAnswer[] => rows.map((row) => toKept(row as Row));
