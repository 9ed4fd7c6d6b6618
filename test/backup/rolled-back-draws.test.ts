// A rolled-back copy of the records that lacks draws on the cold treasury: the chain knows them, and their owner's spending.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allWell, audit, clean } from '../harness/audit.ts';
import { expectStatus } from '../harness/expect-status.ts';
import { useFolders } from '../harness/folders.ts';
import { liveFromCold } from '../harness/living-cold.ts';
import { deploy, openTreasury, openSandbox, until, type TestSandbox } from '../harness/treasury.ts';

const folder = useFolders();
const one = 1_000_000n;
let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

it('that lacks draws has them entered once, with their source, and goes on drawing', async () => {
  const ws = `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`;
  const args = ['--rpc', sandbox.rpcUrl, '--ws', ws];
  const [dataDir, copy] = [folder(), folder()];
  const first = await openTreasury({ dataDir, args });
  await first.client.post('/v1/sandbox/faucet', { amount: '10' });
  await deploy(first.client, 'saver', { allocate: null });
  const cold = await liveFromCold(first, 50n * one);
  expectStatus(await first.client.post('/v1/agents/saver/allocate', { amount: '1.00' }), 200);
  await until('all to end', () => first.host.engine.context.store.transfers.open().length === 0);
  await first.close();
  cpSync(join(dataDir, 'sandbox'), copy, { recursive: true });

  const second = await openTreasury({ dataDir, args });
  for (const amount of ['2.00', '3.00'])
    expectStatus(await second.client.post('/v1/agents/saver/allocate', { amount }), 200);
  await cold.send(second.owner, 250_000n);
  await until('all to end', () => second.host.engine.context.store.transfers.open().length === 0);
  await second.close();
  for (const end of ['', '-wal', '-shm'])
    rmSync(join(dataDir, 'sandbox', `treasury.db${end}`), { force: true });
  cpSync(join(copy, 'treasury.db'), join(dataDir, 'sandbox', 'treasury.db'));

  const old = await openTreasury({ dataDir, args });
  const { store, funds } = old.host.engine.context;
  await until('the rescan', () => store.freeze.get()?.reason.includes('were found on the chain') === true);
  const draws = [...store.transfers.iterate({})].toReversed().filter(({ source }) => source !== null);
  expect(draws.map(({ source, amount, kind, state }) => [source, amount, kind, state])).toEqual(
    [1n, 2n, 3n].map((units) => [cold.address, units * one, 'allocation', 'final']),
  );
  expect(store.freeze.get()?.reason).toContain('0 payments');
  await funds.compare();
  expect(clean(await audit(old.host))).toEqual(allWell);
  expectStatus(await old.client.post('/v1/unfreeze'), 200);
  await old.client.post('/v1/agents/saver/resume');
  expectStatus(await old.client.post('/v1/agents/saver/allocate', { amount: '4.00' }), 200);
  await until('all to end', () => store.transfers.open().length === 0);
  await funds.compare();
  expect(await cold.account()).toMatchObject({ allowance: 40n * one });
  expect((await old.client.get('/v1/dashboard')).body).toMatchObject({ frozen: false });
  expect(clean(await audit(old.host))).toEqual(allWell);
  await old.close();
});

it('that lacks the cold wallet itself counts it all the same, and says to set it again', async () => {
  const ws = `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`;
  const args = ['--rpc', sandbox.rpcUrl, '--ws', ws];
  const [dataDir, copy] = [folder(), folder()];
  const first = await openTreasury({ dataDir, args });
  await first.client.post('/v1/sandbox/faucet', { amount: '10' });
  await first.close();
  cpSync(join(dataDir, 'sandbox'), copy, { recursive: true });

  const second = await openTreasury({ dataDir, args });
  await deploy(second.client, 'saver', { allocate: null });
  const cold = await liveFromCold(second, 50n * one);
  expectStatus(await second.client.post('/v1/agents/saver/allocate', { amount: '1.00' }), 200);
  await until('all to end', () => second.host.engine.context.store.transfers.open().length === 0);
  await second.close();
  for (const end of ['', '-wal', '-shm'])
    rmSync(join(dataDir, 'sandbox', `treasury.db${end}`), { force: true });
  cpSync(join(copy, 'treasury.db'), join(dataDir, 'sandbox', 'treasury.db'));

  const old = await openTreasury({ dataDir, args });
  const { store } = old.host.engine.context;
  await until('the rescan', () => store.freeze.get()?.reason.includes('were found on the chain') === true);
  expect(store.freeze.get()?.reason).toContain(`the cold wallet ${cold.address} was chosen since`);
  const exposed = async () => (await old.client.get('/v1/dashboard')).body['exposure'].cold;
  await until('the allowance', async () => (await exposed()) === '49.00');
  await old.close();
});
