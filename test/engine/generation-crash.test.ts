// SIGKILL of the host at each stage of a picture, then a restart: nothing is charged twice, and no refund is lost.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { createClient, type Client } from '../harness/http-client.ts';
import { createImageServer, type Asked, type ImageServer } from '../harness/programs/image-server.ts';
import { createRpcProxy, type Proxy } from '../harness/chain/rpc-proxy.ts';
import {
  deploy,
  openTreasury,
  removeFolder,
  openSandbox,
  spawnTreasury,
  temporaryFolder,
  until,
  type Process,
  type TestSandbox,
} from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import { createDice } from '../harness/dice.ts';

/** CRASH_SEED tries other moments. */
const { roll } = createDice(Number(process.env['CRASH_SEED'] ?? 20_261_123));
const [answers, rounds] = [tries(2, 6), tries(2, 8)];

const dataDir = temporaryFolder();
let sandbox: TestSandbox;
let proxy: Proxy;
let provider: ImageServer;
let key = '';
let modelId = '';
let args: string[] = [];

beforeAll(async () => {
  sandbox = await openSandbox();
  proxy = await createRpcProxy(sandbox.rpcUrl);
  provider = await createImageServer();
  args = ['--rpc', proxy.url, '--ws', `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`];
  const treasury = await openTreasury({ dataDir, args });
  const { client } = treasury;
  await client.post('/v1/sandbox/faucet', { amount: '100' });
  await client.post('/v1/image-providers/openai', { apiKey: 'sk-test', baseUrl: provider.url, atOnce: 2 });
  const { models } = (await client.get('/v1/models/settings')).body;
  modelId = models.find(({ providerId }: { providerId: string }) => providerId === 'openai').id;
  await client.post(`/v1/models/${modelId}`, { enabled: true, pricing: { '1k': '0.10' } });
  key = (await deploy(client, 'mortal', { dailyBudget: '1000', maxPerPayment: '1', allocate: '50' })).key;
  await treasury.close();
});
afterAll(async () => {
  await proxy.close();
  await provider.close();
  await sandbox.close();
  removeFolder(dataDir);
});
beforeEach(() => {
  proxy.fault = null;
  provider.answer = (asked) => asked.succeed();
  provider.asked.length = 0;
});

const agentOf = ({ ready }: Process): Client => createClient(ready.url, ready.owner, key);
const generate = async (host: Process, prompt: string): Promise<string> => {
  const client = agentOf(host);
  const { body, text } = await client
    .post('/v1/agents/mortal/generate', { prompt, modelId, resolution: '1k' }, { key: prompt })
    .finally(client.close);
  if (typeof body['taskId'] !== 'string') throw new Error(text);
  return body['taskId'];
};
const statusOf = async (host: Process, taskId: string): Promise<Record<string, string>> => {
  const client = agentOf(host);
  return client
    .get(`/v1/agents/mortal/tasks/${taskId}`)
    .then(({ body }) => body)
    .finally(client.close);
};

/** Starts again, lets everything settle, compares all records with the chain, and returns each task's end. */
const recovered = async (ids: readonly string[]) => {
  proxy.fault = null;
  const treasury = await openTreasury({ dataDir, args });
  try {
    const { store } = treasury.host.engine.context;
    await until('every task to settle', () => store.tasks.unsettled().length === 0, 30_000);
    await until('every transfer to settle', () => store.transfers.open().length === 0);
    expect(clean(await audit(treasury.host))).toEqual(allWell);
    return ids.map((id) => {
      const task = store.tasks.get(id);
      return `${task?.state} ${task?.refund ?? ''}`.trim();
    });
  } finally {
    await treasury.close();
  }
};

/** Holds every request until the test is over. */
const hold = (): Asked[] => {
  const held: Asked[] = [];
  provider.answer = (asked) => void held.push(asked);
  return held;
};

describe('SIGKILL of the host', () => {
  it('while a picture waits for its provider: it is made after the restart, and its charge stays one', async () => {
    const host = await spawnTreasury(dataDir, args);
    const held = hold();
    const busy = [await generate(host, 'busy 1'), await generate(host, 'busy 2')];
    await until('both to be asked for', () => held.length === 2);
    const waits = await generate(host, 'waits');
    await until('its charge', async () => {
      const { body } = await host.client.get(`/v1/transfers/${(await statusOf(host, waits))['paymentId']}`);
      return body['status'] === 'confirmed';
    });
    await host.kill('SIGKILL');
    provider.answer = (asked) => asked.succeed();
    expect(await recovered([...busy, waits])).toEqual(['failed paid', 'failed paid', 'success']);
    expect(provider.asked.map(({ prompt }) => prompt)).toEqual(['busy 1', 'busy 2', 'waits']);
  });

  it('before the charge is on the chain', async () => {
    const host = await spawnTreasury(dataDir, args);
    proxy.fault = async (request, forward) => {
      if (request.method !== 'sendTransaction') return forward();
      await host.kill('SIGKILL');
      return null;
    };
    const taskId = await generate(host, 'charge unsent');
    await until('the end of the host', () => host.child.signalCode !== null);
    expect(await recovered([taskId])).toEqual(['success']);
    expect(provider.asked).toHaveLength(1);
  });

  it('right after the provider answered: the picture is kept or the charge is given back, and nobody is asked twice', async () => {
    const ends: string[] = [];
    for (let n = 0; n < answers; n += 1) {
      const host = await spawnTreasury(dataDir, args);
      provider.answer = async (asked) => {
        await asked.succeed();
        setTimeout(() => void host.kill('SIGKILL'), n * 8);
      };
      const taskId = await generate(host, `answered ${n}`);
      await until('the end of the host', () => host.child.signalCode !== null);
      ends.push(...(await recovered([taskId])));
    }
    expect(ends.filter((end) => end !== 'success' && end !== 'failed paid')).toEqual([]);
    expect(provider.asked).toHaveLength(answers);
  });

  it.each([
    ['signed, before its bytes reach the chain', 'sendTransaction', false],
    ['sent, after its bytes landed', 'sendTransaction', true],
    ['looked up', 'getSignatureStatuses', false],
  ] as const)('while the refund is %s', async (title, method, forwardFirst) => {
    const host = await spawnTreasury(dataDir, args);
    let failed = false;
    provider.answer = (asked) => {
      failed = true;
      asked.refuse(500, 'no');
    };
    proxy.fault = async (request, forward) => {
      if (!failed || request.method !== method || !(await refundIn(host))) return forward();
      if (forwardFirst) await forward();
      await host.kill('SIGKILL');
      return null;
    };
    const taskId = await generate(host, title);
    await until('the end of the host', () => host.child.signalCode !== null).finally(() =>
      host.kill('SIGKILL'),
    );
    expect(await recovered([taskId])).toEqual(['failed paid']);
  });

  it('before the refund is begun', async () => {
    const host = await spawnTreasury(dataDir, args);
    provider.answer = (asked) => {
      asked.refuse(500, 'no');
      setTimeout(() => void host.kill('SIGKILL'), roll() * 20);
    };
    const taskId = await generate(host, 'not begun');
    await until('the end of the host', () => host.child.signalCode !== null);
    expect(await recovered([taskId])).toEqual(['failed paid']);
  });

  it('at random times, again and again', async () => {
    const ids: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const host = await spawnTreasury(dataDir, args);
      provider.answer = async (asked) => {
        await new Promise((resolve) => setTimeout(resolve, roll() * 60));
        if (roll() < 1 / 3) asked.refuse(500, 'no');
        else await asked.succeed();
      };
      const asking = Array.from({ length: 6 }, async (_, n) => {
        const id = await generate(host, `round ${round} number ${n}`).catch(() => null);
        if (id !== null) ids.push(id);
      });
      await new Promise((resolve) => setTimeout(resolve, roll() * 400));
      await host.kill('SIGKILL');
      await Promise.all(asking);
    }
    const ends = await recovered(ids);
    expect(ends.filter((end) => !['success', 'failed paid', 'failed void'].includes(end))).toEqual([]);
    const asked = provider.asked.map(({ prompt }) => prompt);
    expect(new Set(asked).size).toBe(asked.length);
  });
});

/** Whether the host has opened a refund that is not final. */
const refundIn = async (host: Process): Promise<boolean> => {
  const { body } = await host.client.get('/v1/activity?kind=refund&limit=1');
  return body['entries'][0] !== undefined && body['entries'][0].state !== 'final';
};
