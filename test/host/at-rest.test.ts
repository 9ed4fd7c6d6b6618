// The disk writes of an idle treasury.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deploy, openTreasury, rpcCall, until, type Treasury } from '../harness/treasury.ts';

let treasury: Treasury;
beforeAll(async () => {
  treasury = await openTreasury();
});
afterAll(() => treasury.close());

const heldBy = (wallet: string): bigint =>
  treasury.host.engine.context.store.wallets.get(wallet)?.balance ?? 0n;

it('writes nothing while nothing changes, and still enters a deposit', async () => {
  const { client, dataDir, host } = treasury;
  const { funds, store } = host.engine.context;
  const agent = await deploy(client, 'payer');
  await agent.pay('0.10');
  await until('all of it to be final', () => store.transfers.open().length === 0);
  // Balances that have changed are read once more.
  await funds.compare();
  const log = join(dataDir, 'sandbox', 'treasury.db-wal');
  const before = statSync(log);
  for (let look = 0; look < 5; look += 1) await funds.compare();
  const after = statSync(log);
  expect([after.size, after.mtimeMs]).toEqual([before.size, before.mtimeMs]);

  const held = heldBy(host.owner);
  await rpcCall(host.rpcUrl, 'sandbox_fundUsdc', [host.owner, '7000000']);
  await funds.compare();
  expect(heldBy(host.owner) - held).toBe(7_000_000n);
  expect(statSync(log).mtimeMs).toBeGreaterThan(after.mtimeMs);
});
