// Invariant 2: no byte made with a signing key leaves the process before it is on disk.
import Database from 'better-sqlite3';
import bs58 from 'bs58';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFaultyTreasury, type FaultyTreasury } from '../harness/faulty-treasury.ts';
import { removeFolder, temporaryFolder } from '../harness/treasury.ts';

let treasury: FaultyTreasury;
beforeAll(async () => {
  treasury = await openFaultyTreasury();
});
afterAll(() => treasury.close());

/** The records that a power cut would leave now: a copy of the files, opened separately. */
const onDisk = (signature: string): { state: string; wire: Buffer } | undefined => {
  const folder = temporaryFolder();
  const file = join(treasury.dataDir, 'sandbox', 'treasury.db');
  for (const suffix of ['', '-wal']) {
    if (existsSync(file + suffix)) copyFileSync(file + suffix, join(folder, `copy.db${suffix}`));
  }
  const db = new Database(join(folder, 'copy.db'));
  const row = db.prepare('SELECT state, wire FROM transfer WHERE signature = ?').get(signature);
  db.close();
  removeFolder(folder);
  return row as { state: string; wire: Buffer } | undefined;
};

describe('journal before wire', () => {
  it('has every transaction on disk, byte for byte, when it reaches the RPC', async () => {
    const found: { state: string | undefined; same: boolean }[] = [];
    treasury.proxy.fault = (request, forward) => {
      if (request.method === 'sendTransaction') {
        const wire = Buffer.from(String(request.params[0]), 'base64');
        const row = onDisk(bs58.encode(wire.subarray(1, 65)));
        found.push({ state: row?.state, same: row?.wire.equals(wire) === true });
      }
      return forward();
    };
    for (let n = 0; n < 20; n += 1) expect((await treasury.agent.pay('0.01')).status).toBe(200);
    treasury.proxy.fault = null;
    expect(found.length).toBeGreaterThanOrEqual(20);
    for (const { state, same } of found) {
      expect(['signed', 'sent']).toContain(state);
      expect(same).toBe(true);
    }
  });

  it('has it on disk before it reaches even the network code', async () => {
    const { chain } = treasury.host.engine.context;
    const { broadcast } = chain;
    const found: boolean[] = [];
    chain.broadcast = (wire) => {
      found.push(onDisk(bs58.encode(wire.subarray(1, 65)))?.wire.equals(wire) === true);
      return broadcast(wire);
    };
    for (let n = 0; n < 5; n += 1) expect((await treasury.agent.pay('0.01')).status).toBe(200);
    chain.broadcast = broadcast;
    expect(found).toEqual([true, true, true, true, true]);
  });

  it('asks about no signature that is not on disk', async () => {
    const strangers: string[] = [];
    treasury.proxy.fault = (request, forward) => {
      if (request.method === 'getSignatureStatuses') {
        for (const signature of request.params[0] as string[]) {
          if (treasury.host.engine.context.store.transfers.bySignature(signature) === undefined)
            strangers.push(signature);
        }
      }
      return forward();
    };
    for (let n = 0; n < 5; n += 1) await treasury.agent.pay('0.01');
    treasury.proxy.fault = null;
    const deposits = treasury.host.engine.context.store.deposits
      .list(null, 100)
      .map(({ txSignature }) => txSignature);
    expect(strangers.filter((signature) => !deposits.includes(signature))).toEqual([]);
  });
});
