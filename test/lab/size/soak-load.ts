// A busy day of a treasury at a steady rate: everything that agents, their owner and the dashboard do.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createStdioClient, initialize } from '../bench/floors/stdio-client.ts';
import type { Client } from '../../harness/http-client.ts';
import type { X402Seller } from '../../harness/chain/x402-seller.ts';
import type { Process, TestAgent } from '../../harness/treasury.ts';

export interface Scene {
  host: Process;
  /** The owner's token. */
  token: string;
  payers: TestAgent[];
  /** Its payments above 0.05 wait for the owner. */
  asker: TestAgent;
  seller: X402Seller;
  modelId: string;
  /** The bridge, bundled. */
  bridge: string;
}

interface Actor {
  name: string;
  everyMs: number;
  act(turn: number): Promise<unknown>;
}

export interface Load {
  /** The number of times that each was done. */
  done: Record<string, number>;
  /** The first hundred failures. */
  failures: string[];
  /** Resolves when everything under way has ended. */
  stop(): Promise<void>;
}

export const startLoad = (scene: Scene): Load => {
  const done: Record<string, number> = {};
  const failures: string[] = [];
  const ending = new AbortController();
  const running = actorsOf(scene).map(async ({ name, everyMs, act }, index) => {
    done[name] = 0;
    // Staggered, so that they do not all begin at once.
    await wait(index * 137, undefined, { signal: ending.signal }).catch(() => {});
    for (let turn = 0; !ending.signal.aborted; turn += 1) {
      const due = performance.now() + everyMs;
      try {
        await act(turn);
        done[name] += 1;
      } catch (error) {
        if (failures.length < 100) failures.push(`${name}: ${String(error)}`);
      }
      await wait(Math.max(0, due - performance.now()), undefined, { signal: ending.signal }).catch(() => {});
    }
  });
  return {
    done,
    failures,
    async stop() {
      ending.abort();
      await Promise.all(running);
    },
  };
};

type Asked = ReturnType<Client['get']>;

/** @throws when the answer has another status */
const expectStatus = async (status: number, asked: Asked): Asked => {
  const answer = await asked;
  if (answer.status === status) return answer;
  throw new Error(`answered ${answer.status} instead of ${status}: ${answer.text.slice(0, 300)}`);
};

const actorsOf = (scene: Scene): Actor[] => {
  const { host, payers, asker, seller } = scene;
  const { client } = host;
  const payer = (turn: number): TestAgent => {
    const one = payers[turn % payers.length];
    if (one === undefined) throw new Error('there are payers');
    return one;
  };
  const read = (name: string, everyMs: number, path: string): Actor => ({
    name,
    everyMs,
    act: () => expectStatus(200, client.get(path)),
  });
  return [
    ...[0, 1].map((lane) => ({
      name: `pay with a key ${lane}`,
      everyMs: 500,
      act: (turn: number) => expectStatus(200, payer(turn + lane).pay('0.001', { key: randomUUID() })),
    })),
    { name: 'pay without a key', everyMs: 1_000, act: (turn) => expectStatus(200, payer(turn).pay('0.001')) },
    {
      name: 'replay',
      everyMs: 2_000,
      async act(turn) {
        const key = randomUUID();
        const first = await expectStatus(200, payer(turn).pay('0.001', { key }));
        const again = await expectStatus(200, payer(turn).pay('0.001', { key }));
        if (first.text !== again.text) throw new Error('a replay was answered otherwise');
      },
    },
    { name: 'denial', everyMs: 1_000, act: (turn) => expectStatus(402, payer(turn).pay('5')) },
    { name: 'approval', everyMs: 2_000, act: (turn) => askAndDecide(client, asker, turn % 2 === 0) },
    read('search', 500, '/v1/services/search?q=wether'),
    read('dashboard', 1_000, '/v1/dashboard'),
    read('activity', 1_000, '/v1/activity?limit=200'),
    read('spending', 5_000, '/v1/spending?days=30'),
    read('activity text', 5_000, '/v1/activity?q=nothing-has-this'),
    { name: 'events', everyMs: 2_000, act: () => listenFor(scene, 1_500) },
    {
      name: 'fetch',
      everyMs: 2_000,
      async act(turn) {
        seller.shown.length = 0;
        const { agentId, client: own } = payer(turn);
        const asked = own.post(
          `/v1/agents/${agentId}/fetch`,
          { url: `${seller.url}/${turn}` },
          { key: randomUUID() },
        );
        await expectStatus(200, asked);
      },
    },
    { name: 'generate', everyMs: 5_000, act: (turn) => draw(payer(turn), scene.modelId) },
    { name: 'bridge', everyMs: 10_000, act: (turn) => startBridge(scene, payer(turn)) },
    read('statement', 10_000, '/v1/statement'),
    // Once a day automatically, and when the owner asks: the first is within the warm-up.
    { name: 'backup', everyMs: 300_000, act: () => expectStatus(200, client.post('/v1/backup')) },
  ];
};

const askAndDecide = async (owner: Client, asker: TestAgent, isGranted: boolean): Promise<void> => {
  const asked = await expectStatus(202, asker.pay('0.06', { key: randomUUID(), prefer: 'wait=0' }));
  const path = `/v1/approvals/${String(asked.body['approvalId'])}`;
  const { body } = await expectStatus(200, owner.get(path));
  if (isGranted) await expectStatus(200, owner.post(`${path}/grant`, { hash: body['hash'] }));
  else await expectStatus(200, owner.post(`${path}/deny`));
};

const draw = async ({ agentId, client }: TestAgent, modelId: string): Promise<void> => {
  const wanted = { prompt: 'a lighthouse', modelId, resolution: '1k' };
  const { body, status, text } = await client.post(`/v1/agents/${agentId}/generate`, wanted, {
    key: randomUUID(),
  });
  if (status !== 200 && status !== 202) throw new Error(`answered ${status}: ${text}`);
  for (let looks = 0; looks < 100; looks += 1) {
    const task = await client.get(`/v1/agents/${agentId}/tasks/${String(body['taskId'])}`);
    if (task.body['status'] === 'success') return;
    if (task.body['status'] === 'failed') throw new Error(task.text);
    await wait(200);
  }
  throw new Error('the picture did not come');
};

/** The dashboard's event stream, read for a while and left. */
export const listenFor = async (
  { host, token }: Pick<Scene, 'host' | 'token'>,
  ms: number,
): Promise<void> => {
  const request = get(`${host.ready.url}/v1/events?owner=${host.ready.owner}`, {
    headers: { authorization: `Bearer ${token}` },
    agent: false,
  });
  const [response] = await once(request, 'response');
  if (response.statusCode !== 200) throw new Error(`events were answered ${response.statusCode}`);
  response.resume();
  await wait(ms);
  request.destroy();
};

const startBridge = async ({ host, bridge }: Scene, { agentId, key }: TestAgent): Promise<void> => {
  const stdio = createStdioClient(bridge, {
    TREASURY_URL: host.ready.url,
    TREASURY_OWNER: host.ready.owner,
    TREASURY_AGENT_ID: agentId,
    TREASURY_API_KEY: key,
  });
  try {
    await initialize(stdio);
    await stdio.call('tools/call', { name: 'check_balance', arguments: {} });
  } finally {
    await stdio.close();
  }
};
