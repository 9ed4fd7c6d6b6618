// Refusals that are only counted, sellers that could not be paid, and idempotency keys of refusals: digests of 32 bytes, kept for ever.
import { hash } from 'node:crypto';
import type { Remembered, Store } from '../../engine/ports.ts';
import type { Db } from '../db.ts';
import { ifAny, mapper } from '../row.ts';

const digestOf = (...parts: string[]): Buffer => hash('sha256', parts.join('\n'), 'buffer');

export const createRefusals = (db: Db): Store['refusals'] => {
  const count = db.prepare(/* sql */ `
    INSERT INTO refusal_count (transfer_id, folded, last_at) VALUES (?, 1, ?)
    ON CONFLICT DO UPDATE SET folded = folded + 1, last_at = excluded.last_at`);
  const counted = db.prepare('SELECT folded FROM refusal_count WHERE transfer_id = ?');
  const keep = db.prepare('INSERT INTO refused_key (digest, body_hash, transfer_id) VALUES (?, ?, ?)');
  const countKey = db.prepare(/* sql */ `
    INSERT INTO refused_keys_of (agent_id, keys) VALUES (?, 1) ON CONFLICT DO UPDATE SET keys = keys + 1`);
  const keysOf = db.prepare('SELECT keys FROM refused_keys_of WHERE agent_id = ?');
  const find = db.prepare('SELECT body_hash, transfer_id FROM refused_key WHERE digest = ?');

  const countSeller = db.prepare(/* sql */ `
    INSERT INTO unpayable (seller, network, asset, agent_id, price, times, first_at, last_at)
    VALUES (@seller, @network, @asset, @agentId, @price, 1, coalesce((SELECT first_at FROM unpayable
      WHERE seller = @seller AND network = @network AND asset = @asset), @at), @at)
    ON CONFLICT DO UPDATE SET times = times + 1, price = excluded.price, last_at = excluded.last_at`);
  const prune = db.prepare(/* sql */ `
    DELETE FROM unpayable WHERE rowid IN
      (SELECT rowid FROM unpayable WHERE agent_id = ? ORDER BY last_at DESC LIMIT -1 OFFSET 100)`);
  // Beside a max() alone, SQLite takes the price from the row of the latest time.
  const sellers = db.prepare(/* sql */ `
    SELECT seller, network, asset, price, max(last_at) AS last_at, first_at, sum(times) AS times, count(*) AS agents
    FROM unpayable GROUP BY seller, network, asset ORDER BY times DESC, last_at DESC`);

  return {
    count: (transferId, now) => void count.run(transferId, now),
    counted: (transferId) => foldedIn(counted.get(transferId)) ?? 0,
    keep(agentId, { scope, key, route, bodyHash, transferId }) {
      keep.run(digestOf(scope, key), digestOf(route, bodyHash), transferId);
      countKey.run(agentId);
    },
    keysOf: (agentId) => keysIn(keysOf.get(agentId)) ?? 0,
    countSeller(asked) {
      countSeller.run(asked);
      prune.run(asked.agentId);
    },
    sellers: () => sellers.all().map(toSeller),
    find({ scope, key, route, bodyHash }): Remembered | undefined {
      const refused = refusedIn(find.get(digestOf(scope, key)));
      if (refused === undefined) return undefined;
      const isSame = refused.bodyHash.equals(digestOf(route, bodyHash));
      // Only a digest is stored: another request under the key gets a hash that equals none.
      return { route, bodyHash: isSame ? bodyHash : '', transferId: refused.transferId, approvalId: null };
    },
  };
};

const foldedIn = ifAny(mapper('refusal_count', (row) => row.integer('folded')));
const keysIn = ifAny(mapper('refused_keys_of', (row) => row.integer('keys')));
const refusedIn = ifAny(
  mapper('refused_key', (row) => ({
    bodyHash: row.bytes('body_hash'),
    transferId: row.text('transfer_id'),
  })),
);
const toSeller = mapper('unpayable', (row) => ({
  seller: row.text('seller'),
  network: row.text('network'),
  asset: row.text('asset'),
  price: row.text('price'),
  times: row.integer('times'),
  agents: row.integer('agents'),
  firstAt: row.integer('first_at'),
  lastAt: row.integer('last_at'),
}));
