// A delegated key beside others of its agent: what another key made is not there for it, and is not continued by it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../server/contract/routes.ts';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { aTask, bodyOf, keyRoutes, prepare } from './key-routes.ts';
import { allowDelegation, delegate, type Slice } from './slices.ts';

let treasury: Treasury;
let agent: TestAgent;
/** Siblings, and a child of each. */
let keys: Record<'one' | 'sibling' | 'child' | 'nephew', Slice>;

beforeAll(async () => {
  treasury = await openTreasury();
  agent = await deploy(treasury.client, 'scout', { allocate: '9.00' });
  await allowDelegation(treasury.client, 'scout');
  const mint = (by: TestAgent | Slice) =>
    delegate(by.client, 'scout', {
      ...aTask(treasury, 'reply' in by ? by : undefined),
      dailyBudget: '4.00',
    });
  const [one, sibling] = [await mint(agent), await mint(agent)];
  keys = { one, sibling, child: await mint(one), nephew: await mint(sibling) };
});
afterAll(() => treasury.close());

const named = keyRoutes.filter((route) => /:(?!agentId)/.test(routes[route].path));

describe.each(named)('%s', (route) => {
  it('finds nothing that another key made, but for what its own descendants did', async () => {
    const { call } = await prepare(treasury, 'scout', keys.one, route);
    for (const other of [keys.sibling, keys.child, keys.nephew]) {
      const { status, body } = await call(other);
      expect([status, body['code']]).toEqual([404, 'not_found']);
    }
    expect((await call()).status).toBe(200);
    const below = await prepare(treasury, 'scout', keys.child, route);
    expect((await below.call(keys.sibling)).status).toBe(404);
    expect((await below.call(keys.one)).status).toBe(200);
  });
});

describe.each(['pay', 'fetch', 'generate'] as const)('%s', (route) => {
  const idOf = async (by: Pick<Slice, 'client'>, sent: object): Promise<unknown> => {
    const body = await bodyOf(treasury, route);
    const { body: reply } = await by.client.post(`/v1/agents/scout/${route}`, body, sent);
    return reply['taskId'] ?? reply['paymentId'] ?? reply['payment']?.paymentId;
  };

  it('continues only what the same key began, and repeats only what it asked under a key', async () => {
    for (const sent of [{ prefer: 'wait=20, continue' }, { key: `same ${route}` }]) {
      const first = await idOf(keys.one, sent);
      expect(first).toMatch(/^(pay|tsk|task)_/);
      expect(await idOf(keys.one, sent)).toBe(first);
      const others = [keys.sibling, keys.child, keys.nephew, agent];
      const ids = [];
      for (const other of others) ids.push(await idOf(other, sent));
      expect(new Set([first, ...ids]).size).toBe(others.length + 1);
    }
  });
});
