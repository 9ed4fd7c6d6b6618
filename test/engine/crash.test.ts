// SIGKILL of the host, then a restart: nothing is paid twice, lost, or left open. A death at each state of a payment is
// in test/world.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { createClient } from '../harness/http-client.ts';
import { createRpcProxy, type Proxy } from '../harness/chain/rpc-proxy.ts';
import {
  deploy,
  openTreasury,
  removeFolder,
  openSandbox,
  spawnTreasury,
  temporaryFolder,
  until,
  type TestSandbox,
  type Treasury,
} from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import { createDice } from '../harness/dice.ts';

const moments = tries(2, 10);
/** CRASH_SEED tries other moments. */
const seed = Number(process.env['CRASH_SEED'] ?? 20_261_123);

const dataDir = temporaryFolder();
let sandbox: TestSandbox;
let proxy: Proxy;
let key = '';
let args: string[] = [];

beforeAll(async () => {
  sandbox = await openSandbox();
  proxy = await createRpcProxy(sandbox.rpcUrl);
  args = ['--rpc', proxy.url, '--ws', `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`];
  const treasury = await openTreasury({ dataDir, args });
  await treasury.client.post('/v1/sandbox/faucet', { amount: '100' });
  key = (await deploy(treasury.client, 'mortal', { dailyBudget: '1000', maxPerPayment: '1', allocate: '50' }))
    .key;
  await treasury.close();
});
afterAll(async () => {
  await proxy.close();
  await sandbox.close();
  removeFolder(dataDir);
});

const pay = ({ url, owner }: { url: string; owner: string }, idempotencyKey: string) => {
  const client = createClient(url, owner, key);
  return client
    .post(
      '/v1/agents/mortal/pay',
      { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' },
      { key: idempotencyKey },
    )
    .finally(client.close);
};

/** The answers that the keys of a killed run get after the restart. */
const recovered = async (keys: readonly string[]) => {
  const treasury: Treasury = await openTreasury({ dataDir, args });
  try {
    const { store } = treasury.host.engine.context;
    await until('recovery', () => store.transfers.open().length === 0);
    const rows = [...store.transfers.iterate({ kinds: ['payment'] })];
    const told = await Promise.all(
      keys.map((one) => pay({ url: treasury.host.url, owner: treasury.owner }, one)),
    );
    await until('the rest', () => store.transfers.open().length === 0);
    expect(clean(await audit(treasury.host))).toEqual(allWell);
    return { told, rows: rows.length };
  } finally {
    await treasury.close();
  }
};

describe('SIGKILL of the host', () => {
  it('right after the answer: the same key gives the same answer', async () => {
    const host = await spawnTreasury(dataDir, args);
    const paid = await pay(host.ready, 'answered');
    await host.kill('SIGKILL');
    const { told } = await recovered(['answered']);
    expect(told[0]?.text).toBe(paid.text);
  });

  it(`at ${moments} random moments under 16 payments at once: each key ends as one payment or none, and tells which`, async () => {
    const dice = createDice(seed);
    let all = 0;
    for (let round = 0; round < moments; round += 1) {
      const host = await spawnTreasury(dataDir, args);
      const keys = Array.from({ length: 16 }, (_, n) => `${seed}-${round}-${n}`);
      proxy.seen.length = 0;
      const answers = keys.map((one) => pay(host.ready, one).catch(() => undefined));
      // Every second time something is on its way already, however slow the machine is.
      if (round % 2 === 1)
        await until('a transaction to leave', () =>
          proxy.seen.some(({ method }) => method === 'sendTransaction'),
        );
      // A random moment: time has to pass.
      await new Promise((resolve) => setTimeout(resolve, dice.roll() * 60));
      await host.kill('SIGKILL');
      const acknowledged = await Promise.all(answers);
      const { told } = await recovered(keys);
      for (const [index, answer] of told.entries()) {
        expect([200, 502], `seed ${seed}, round ${round}`).toContain(answer.status);
        const before = acknowledged[index];
        if (before?.status === 200) expect(answer.text, `seed ${seed}, round ${round}`).toBe(before.text);
      }
      all += told.filter(({ status }) => status === 200).length;
    }
    expect(all).toBeGreaterThan(0);
  });
});
