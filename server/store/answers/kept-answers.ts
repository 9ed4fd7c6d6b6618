// Answers that sellers delivered: each row describes a file, and is written once that file is on disk.
import { isUtf8 } from 'node:buffer';
import type { KeptAnswer, Store } from '../../engine/ports.ts';
import { encodings } from '../../engine/domain/purchase.ts';
import type { Db } from '../db.ts';
import { ifAny, mapper } from '../row.ts';

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
    const known = sums.get(agentId) ?? bytesIn(sum.get(agentId));
    sums.set(agentId, known);
    return known;
  };
  const find = (transferId: string): KeptAnswer | undefined => keptIn(get.get(transferId));
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
    received: (agentId, limit) => received.all(agentId, limit).map(toKept),
    before: (time, limit) => before.all(time, limit).map(toKept),
    after: (transferId, limit) => after.all(transferId, limit).map(toKept),
    remove: forget,
    oldest01: () => answer01In(oldest01.get()),
    forget01(transferId) {
      // A deleted body would remain in free pages of the file, and so in every backup.
      db.pragma('secure_delete = ON');
      forget01.run(transferId);
      db.pragma('secure_delete = OFF');
    },
  };
};

const toKept = mapper('kept_answer', (row): KeptAnswer => ({
  transferId: row.text('transfer_id'),
  agentId: row.text('agent_id'),
  status: row.integer('status'),
  headers: row.object<Record<string, string>>('headers'),
  bytes: row.integer('bytes'),
  encoding: row.word('encoding', encodings),
  at: row.integer('at'),
  receivedAt: row.integerOrNull('received_at'),
}));

const keptIn = ifAny(toKept);
const bytesIn = mapper('kept_answer', (row) => row.integer('bytes'));

const answer01In = ifAny(
  mapper('seller_answer', (row) => {
    const bytes = row.bytes('body');
    const answer: KeptAnswer = {
      transferId: row.text('transfer_id'),
      agentId: row.text('agent_id'),
      status: row.integer('status'),
      headers: row.object<Record<string, string>>('headers'),
      bytes: bytes.byteLength,
      encoding: isUtf8(bytes) ? 'utf8' : 'base64',
      at: row.integer('at'),
      receivedAt: null,
    };
    return { answer, bytes };
  }),
);
