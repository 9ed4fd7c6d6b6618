// SIGKILL of the host in the middle of a burst: what the watch keeps in mind, and that it asks, survive.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../harness/http-client.ts';
import {
  deploy,
  removeFolder,
  openSandbox,
  spawnTreasury,
  temporaryFolder,
  type Process,
  type TestSandbox,
} from '../harness/treasury.ts';

const dataDir = temporaryFolder();
let sandbox: TestSandbox;
let host: Process;

const startHost = async (): Promise<void> => {
  const ws = `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`;
  host = await spawnTreasury(dataDir, ['--rpc', sandbox.rpcUrl, '--ws', ws]);
};

beforeAll(async () => {
  sandbox = await openSandbox();
  await startHost();
});
afterAll(async () => {
  await host.kill('SIGKILL');
  await sandbox.close();
  removeFolder(dataDir);
});

it('holds the same payment after a kill as without one, and still asks after another', async () => {
  await host.client.post('/v1/sandbox/faucet', { amount: '10' });
  const { key } = await deploy(host.client, 'mortal', { dailyBudget: '1.00', allocate: '2.00' });
  await host.client.post('/v1/agents/mortal/watch', { mode: 'ask' });
  const pay = (n: number) =>
    createClient(host.ready.url, host.ready.owner, key).post(
      '/v1/agents/mortal/pay',
      { service: 'sandbox-weather', amount: '0.06', currency: 'USDC' },
      { key: `burst-${n}`, prefer: 'wait=10' },
    );
  for (let n = 0; n < 6; n += 1) expect((await pay(n)).status).toBe(200);
  const burst = Promise.allSettled([6, 7, 8].map((n) => pay(n)));
  await host.kill('SIGKILL');
  await burst;
  await startHost();
  const statuses: number[] = [];
  for (let n = 6; n < 16 && !statuses.includes(202); n += 1) statuses.push((await pay(n)).status);
  expect(statuses.at(-1)).toBe(202);
  const { payments } = (await host.client.get('/v1/agents/mortal/spend-history')).body;
  const paid = payments.filter(({ status }: { status: string }) => status === 'confirmed');
  // The thirteenth would take more than three quarters of the budget; each payment that the kill cancelled counted.
  expect(paid.length).toBeGreaterThanOrEqual(9);
  expect(paid.length).toBeLessThanOrEqual(12);
  await host.kill('SIGKILL');
  await startHost();
  expect((await host.client.get('/v1/agents/mortal/watch')).body['asking']).not.toBe(null);
  expect((await pay(99)).status).toBe(202);
});
