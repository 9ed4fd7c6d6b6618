// A machine whose wall clock jumps ahead while a treasury runs: payments wait, and every route answers its owner.
// The monotonic clock has fractions, as a real one has.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes, type Route, type RouteName } from '../../server/contract/routes.ts';
import { createFunds } from '../../server/engine/records/funds.ts';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { askingAgent, namesIn } from './contract/every-route.ts';
import { shapesOf } from './contract/wrong-input.ts';

const hour = 3_600_000;
const begin = Date.UTC(2030, 0, 15, 12);
let up = 0;
let ahead = 0;
let treasury: Treasury;
let agent: TestAgent;
let names: Record<string, string>;
beforeAll(async () => {
  const clock = { wall: () => begin + Math.floor(up) + ahead, monotonic: () => up };
  treasury = await openTreasury({ clock });
  agent = await deploy(treasury.client, 'honest');
  ({ names } = await namesIn(treasury, await askingAgent(treasury, 'payer')));
});
afterAll(() => treasury.close());

/** The owner confirms the time only after all that is asked while it is in doubt; then what ends the means of the others. */
const last: readonly string[] = [
  'freeze',
  'unfreeze',
  'archive',
  'archiveGroup',
  'endSession',
  'lock',
  'unlock',
];
const everyRoute = Object.entries(routes as Record<string, Route>).toSorted(
  ([a], [b]) => last.indexOf(a) - last.indexOf(b),
);

/** A call of the owner's with a valid body. A stream of events is left as soon as it has begun. */
const answerOf = async (name: string, { method, path }: Route): Promise<string> => {
  const leave = new AbortController();
  const url = new URL(
    path.replaceAll(/:(\w+)/g, (_, id: string) => names[id] ?? 'none'),
    treasury.host.url,
  );
  url.searchParams.set('owner', treasury.owner);
  const response = await fetch(url, {
    method,
    signal: leave.signal,
    headers: {
      authorization: `Bearer ${readFileSync(treasury.host.cookieFile ?? '', 'utf8')}`,
      'content-type': 'application/json',
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(shapesOf(name as RouteName)[0]?.good ?? {}) }),
  });
  if (response.headers.get('content-type')?.includes('event-stream') === true) {
    leave.abort();
    return `${response.status}`;
  }
  const { code = '' } = (await response.json().catch(() => ({}))) as { code?: string };
  return `${response.status} ${code}`;
};

const doubt = async (): Promise<unknown> => {
  const { status, body } = await treasury.client.get('/v1/dashboard');
  return status === 200 ? body['clockDoubt'] : status;
};

describe('while a wall clock that jumped ahead is in doubt', () => {
  it('every route answers its owner, and only what pays or lets others pay waits', async () => {
    up += 10.4;
    ahead = hour;
    expect(await doubt()).toContain('jumped ahead');
    expect((await agent.pay('0.01')).body['code']).toBe('clock_unsafe');
    const answers = new Map<string, string>();
    for (const [name, route] of everyRoute) {
      up += 0.7;
      answers.set(name, await answerOf(name, route));
    }
    const failed = [...answers].filter(([, answer]) => answer.startsWith('50'));
    expect(new Map(failed.filter(([, answer]) => !answer.startsWith('501')))).toEqual(
      new Map(['allocate', 'delegateKey', 'fetch', 'pay'].map((name) => [name, '503 clock_unsafe'])),
    );
    for (const stop of ['kill', 'stopGroup', 'freeze', 'unfreeze'])
      expect([stop, answers.get(stop)]).toEqual([stop, '200 ']);
  });

  it('the owner’s word for the time is enough to go on, whichever way the clock went', async () => {
    expect([await doubt(), (await agent.pay('0.01')).status]).toEqual([null, 200]);
    up += 5.5;
    ahead = 0;
    expect(await doubt()).toContain('set back');
    expect((await treasury.client.post('/v1/freeze', {})).status).toBe(200);
    expect((await treasury.client.post('/v1/unfreeze', {})).status).toBe(200);
    expect([await doubt(), (await agent.pay('0.01')).status]).toEqual([null, 200]);
  });

  it('the network’s time is enough on a real network, also while no wallet can be read', async () => {
    const { context } = treasury.host.engine;
    ahead = hour;
    expect(context.time.doubt()).toContain('jumped ahead');
    const funds = createFunds({
      ...context,
      settings: { ...context.settings, network: 'devnet' },
      chain: {
        ...context.chain,
        balances: () => Promise.reject(new Error('no wallet can be read')),
        chainTime: async () => context.time.wall(),
      },
    });
    await expect(funds.compare()).rejects.toThrow('no wallet can be read');
    expect(context.time.doubt()).toBe(null);
  });
});
