// An older copy of the database that was put back: the chain knows of payments that it does not.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../harness/http-client.ts';
import {
  deploy,
  instantly,
  openTreasury,
  removeFolder,
  spawnSandbox,
  temporaryFolder,
  type SandboxProcess,
} from '../harness/treasury.ts';

const [chainDir, dataDir, copyDir] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
let sandbox: SandboxProcess;
let args: string[] = [];
beforeAll(async () => {
  sandbox = await spawnSandbox(chainDir, instantly);
  args = ['--rpc', sandbox.rpcUrl, '--ws', `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`];
});
afterAll(async () => {
  await sandbox.kill('SIGTERM');
  for (const path of [chainDir, dataDir, copyDir]) removeFolder(path);
});

const payWith = (url: string, owner: string, key: string) => {
  const client = createClient(url, owner, key);
  return client
    .post('/v1/agents/saver/pay', { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' })
    .finally(client.close);
};

describe('a copy that is ten payments old', () => {
  it('pays nothing: the agent is suspended before anybody is answered', async () => {
    const first = await openTreasury({ dataDir, args });
    await first.client.post('/v1/sandbox/faucet', { amount: '100' });
    const { key } = await deploy(first.client, 'saver', { dailyBudget: '1', allocate: '5' });
    await first.close();
    cpSync(join(dataDir, 'sandbox'), copyDir, { recursive: true });

    const second = await openTreasury({ dataDir, args });
    for (let n = 0; n < 10; n += 1)
      expect((await payWith(second.host.url, second.owner, key)).status).toBe(200);
    await second.close();
    removeFolder(join(dataDir, 'sandbox'));
    cpSync(copyDir, join(dataDir, 'sandbox'), { recursive: true });

    const old = await openTreasury({ dataDir, args });
    const refused = await payWith(old.host.url, old.owner, key);
    expect([refused.status, refused.body['code']]).toEqual([403, 'suspended']);
    expect(refused.body['error']).toContain('no payment explains it');
    expect([...old.host.engine.context.store.transfers.iterate({ kinds: ['payment'] })]).toEqual([]);
    await old.close();
  });
});
