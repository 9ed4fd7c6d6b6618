// Keys that an agent delegates: what they may do and see beside each other, the limits that they carry, and their life.
import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../../server/contract/routes.ts';
import type { Client } from '../../harness/http-client.ts';
import { deploy, type TestAgent } from '../../harness/treasury.ts';
import { client, codeOf, pass, standingClock, treasury, useTreasury, wall } from '../api-treasury.ts';
import { aTask, bodyOf, keyRoutes, prepare } from './key-routes.ts';
import { allowDelegation, delegate as delegateTo, type Slice } from './slices.ts';

useTreasury(() => ({ clock: standingClock }));

const day = 86_400_000;
const body = (limits: object) => ({
  label: 'a task',
  expiresAt: new Date(wall + day).toISOString(),
  dailyBudget: '1.00',
  ...limits,
});

const delegate = (by: Client, agentId: string, limits: object = {}): Promise<Slice> =>
  delegateTo(by, agentId, body(limits));

const delegating = async (name: string, policy: object = {}): Promise<TestAgent> => {
  const agent = await deploy(client, name, { policy });
  await allowDelegation(client, name);
  return agent;
};
const refusalOf = async (by: Client, limits: object): Promise<unknown[]> => {
  const answer = await by.post('/v1/agents/bounded/delegated-keys', body(limits));
  return [answer.status, answer.body['details']];
};
const amountsSeen = async (by: Client): Promise<string[]> => {
  const { body: history } = await by.get('/v1/agents/seeing/spend-history');
  return history['payments'].map(({ amount }: { amount: string }) => amount);
};
const statusOf = async (by: Client, id: string | undefined): Promise<number> =>
  (await by.get(`/v1/agents/seeing/payments/${String(id)}`)).status;

describe('a delegated key', () => {
  it('is minted by an agent 60 times a minute at most', async () => {
    const agent = await delegating('eager');
    for (let minted = 0; minted < 60; minted += 1) await delegate(agent.client, 'eager');
    const more = await agent.client.post('/v1/agents/eager/delegated-keys', body({}));
    expect([more.status, more.body['error']]).toEqual([
      429,
      'An agent may delegate keys 60 times a minute. Try again in a minute.',
    ]);
    await delegate(client, 'eager');
    pass(60_000);
    await delegate(agent.client, 'eager');
  });

  it('is minted only once the owner allows it, and shown once', async () => {
    const agent = await deploy(client, 'minting');
    const refused = await agent.client.post('/v1/agents/minting/delegated-keys', body({}));
    expect([refused.status, refused.body['error']]).toEqual([
      403,
      'The owner has not let this agent delegate. Ask the owner to allow it.',
    ]);
    await client.post('/v1/agents/minting/delegation', { allowed: true });
    const { keyId, reply } = await delegate(agent.client, 'minting', { label: 'find papers' });
    expect(reply).toMatchObject({ spendable: '1.00', apiKey: expect.stringMatching(/^atk_/) });
    const listed = await agent.client.get('/v1/agents/minting/delegated-keys');
    expect(listed.body['keys']).toMatchObject([{ keyId, label: 'find papers', level: 1, spendable: '1.00' }]);
    expect(listed.text).not.toContain(reply['apiKey']);
    const { body: own } = await client.get('/v1/agents/minting/keys');
    expect(own['keys'].map((key: { keyId: string }) => key.keyId)).not.toContain(keyId);
  });

  it('needs a budget and an end within 30 days and its parent’s', async () => {
    const agent = await delegating('bounded');
    expect(await refusalOf(agent.client, { dailyBudget: null })).toEqual([
      400,
      { fields: { dailyBudget: 'dailyBudget or totalBudget is required' } },
    ]);
    const late = { expiresAt: new Date(wall + 31 * day).toISOString() };
    expect(await refusalOf(agent.client, late)).toMatchObject([
      400,
      { fields: { expiresAt: expect.any(String) } },
    ]);
    const slice = await delegate(agent.client, 'bounded');
    const later = { expiresAt: new Date(wall + 2 * day).toISOString() };
    expect(await refusalOf(slice.client, later)).toMatchObject([
      400,
      { fields: { expiresAt: expect.any(String) } },
    ]);
  });

  it('pays within every limit of its path, and 3 levels down', async () => {
    const agent = await delegating('tree', { dailyBudget: '2.00', maxPerPayment: '1.00' });
    const one = await delegate(agent.client, 'tree', { totalBudget: '1.00', dailyBudget: null });
    const two = await delegate(one.client, 'tree', { dailyBudget: '5.00', paymentsPerHour: 3 });
    const three = await delegate(two.client, 'tree', { dailyBudget: '0.50', maxPerPayment: '0.30' });
    const deeper = await three.client.post('/v1/agents/tree/delegated-keys', body({}));
    expect([deeper.status, deeper.body['code']]).toEqual([403, 'forbidden']);
    expect(await codeOf(three, '0.31')).toBe('max_per_payment');
    expect(await codeOf(three, '0.30')).toBe('paid');
    expect(await codeOf(three, '0.21')).toBe('daily_budget');
    expect(await codeOf(three, '0.20')).toBe('paid');
    expect(await codeOf(two, '0.51')).toBe('total_budget');
    expect(await codeOf(two, '0.50')).toBe('paid');
    expect(await codeOf(two, '0.01')).toBe('payment_rate');
    expect(await codeOf(one, '0.01')).toBe('total_budget');
    expect(await codeOf(agent, '1.00')).toBe('paid');
    const { body: listed } = await client.get('/v1/agents/tree/delegated-keys');
    expect(listed['keys'].map((key: { spendable: string }) => key.spendable)).toEqual([
      '0.00',
      '0.00',
      '0.00',
    ]);
    const usedBy = listed['keys'].map(
      (key: { used: { budgets: { used: string }[] } }) => key.used.budgets[0]?.used,
    );
    expect(usedBy).toEqual(['1.00', '1.00', '0.50']);
  });

  it('is told its own limits, and nothing of what lies above it', async () => {
    const agent = await delegating('hidden', { dailyBudget: '0.987654', maxPerPayment: '0.90' });
    const slice = await delegate(agent.client, 'hidden', { dailyBudget: '3.00' });
    expect(await codeOf(agent, '0.80')).toBe('paid');
    const refused = await slice.pay('0.50');
    expect(refused.body).toMatchObject({
      code: 'daily_budget',
      details: { node: { kind: 'agent' }, retryAt: expect.any(String) },
    });
    const seen = [
      refused,
      await slice.client.get('/v1/agents/hidden/limits'),
      await slice.client.get('/v1/agents/hidden/balance'),
      await slice.client.get('/v1/agents/hidden/spend-history'),
      await slice.client.post('/v1/agents/hidden/policy/explain', {
        service: 'sandbox-weather',
        amount: '0.5',
      }),
      await slice.client.post('/v1/agents/hidden/policy/explain', {
        service: 'sandbox-weather',
        amount: '99',
      }),
      await slice.client.get('/v1/agents/hidden/delegated-keys'),
    ];
    const text = seen.map((one) => one.text).join('\n');
    for (const secret of ['0.987654', '0.80', '0.90', '9.20']) expect(text).not.toContain(secret);
    expect(seen[2]?.body['balance']).toBe('0.187654');
  });

  it('sees its own payments and those of the keys that it delegated, and no others', async () => {
    const agent = await delegating('seeing');
    const [one, sibling] = [await delegate(agent.client, 'seeing'), await delegate(agent.client, 'seeing')];
    const child = await delegate(one.client, 'seeing');
    const [ofAgent, ofOne, ofSibling, ofChild] = [
      await agent.pay('0.01'),
      await one.pay('0.02'),
      await sibling.pay('0.03'),
      await child.pay('0.04'),
    ].map((answer) => String(answer.body['paymentId']));
    expect(await amountsSeen(one.client)).toEqual(['0.04', '0.02']);
    expect(await amountsSeen(child.client)).toEqual(['0.04']);
    expect(await amountsSeen(agent.client)).toEqual(['0.04', '0.03', '0.02', '0.01']);
    expect(
      await Promise.all([ofAgent, ofOne, ofSibling, ofChild].map((id) => statusOf(one.client, id))),
    ).toEqual([404, 200, 404, 200]);
    const end = await sibling.client.call('DELETE', `/v1/agents/seeing/delegated-keys/${one.keyId}`);
    expect(end.status).toBe(404);
  });

  it('has idempotency keys of its own: a sibling’s key and body get another payment', async () => {
    const agent = await delegating('keyed');
    const [one, two] = [await delegate(agent.client, 'keyed'), await delegate(agent.client, 'keyed')];
    const answers = [
      await one.pay('0.05', { key: 'same' }),
      await two.pay('0.05', { key: 'same' }),
      await one.pay('0.05', { key: 'same' }),
    ];
    const ids = answers.map((answer) => answer.body['paymentId']);
    expect(ids[2]).toBe(ids[0]);
    expect(ids[1]).not.toBe(ids[0]);
  });

  it('waits for the owner as its agent does, one request at a time, under its own label', async () => {
    const agent = await delegating('asking', { approveAbove: '0.10' });
    const slice = await delegate(agent.client, 'asking', { label: 'book a room' });
    const held = await slice.pay('0.20');
    expect([held.status, (await slice.pay('0.21')).status]).toEqual([202, 429]);
    const { body: approval } = await client.get(`/v1/approvals/${String(held.body['approvalId'])}`);
    expect(approval['shown']).toMatchObject({ delegate: 'book a room', amount: '0.20' });
    await client.post('/v1/agents/asking/delegation', { allowed: false });
    const { body: after } = await client.get(`/v1/approvals/${String(held.body['approvalId'])}`);
    expect(after['status']).toBe('cancelled');
  });
});

describe('the life of a delegated key', () => {
  it('ends with its expiry, to the millisecond, and so do those below it', async () => {
    const agent = await delegating('expiring');
    const slice = await delegate(agent.client, 'expiring');
    const child = await delegate(slice.client, 'expiring');
    pass(day - 1);
    expect(await codeOf(child, '0.01')).toBe('paid');
    pass(1);
    expect([await codeOf(slice, '0.01'), await codeOf(child, '0.01')]).toEqual(['key_ended', 'key_ended']);
  });

  it('goes on when its parent is rotated with grace', async () => {
    const agent = await delegating('rotating');
    const slice = await delegate(agent.client, 'rotating', {
      expiresAt: new Date(wall + 10 * day).toISOString(),
    });
    const { body: own } = await client.get('/v1/agents/rotating/keys');
    await client.post(`/v1/agents/rotating/keys/${String(own['keys'][0].keyId)}/rotate`);
    pass(2 * day);
    expect(await codeOf(slice, '0.01')).toBe('paid');
    expect((await agent.pay('0.01')).status).toBe(401);
  });

  it('is not minted under a stop', async () => {
    const agent = await delegating('stopped');
    await client.post('/v1/agents/stopped/kill');
    const refused = await agent.client.post('/v1/agents/stopped/delegated-keys', body({}));
    expect([refused.status, refused.body['code']]).toEqual([403, 'suspended']);
  });

  it('is one of 100 at most', async () => {
    await delegating('many');
    for (let n = 0; n < 100; n += 1) await delegate(client, 'many', { label: `task ${n}` });
    const refused = await client.post('/v1/agents/many/delegated-keys', body({}));
    expect([refused.status, refused.body['code']]).toEqual([409, 'conflict']);
  });
});

const mint = (by: TestAgent | Slice): Promise<Slice> =>
  delegateTo(by.client, 'scout', {
    ...aTask(treasury, 'reply' in by ? by : undefined),
    dailyBudget: '4.00',
  });

describe('beside other keys of its agent, a delegated key', () => {
  /** Siblings, and a child of each. */
  let keys: Record<'one' | 'sibling' | 'child' | 'nephew', Slice>;
  let scout: TestAgent;
  beforeAll(async () => {
    scout = await deploy(client, 'scout', { allocate: '9.00' });
    await allowDelegation(client, 'scout');
    const [one, sibling] = [await mint(scout), await mint(scout)];
    keys = { one, sibling, child: await mint(one), nephew: await mint(sibling) };
  });

  const named = keyRoutes.filter((route) => /:(?!agentId)/.test(routes[route].path));

  describe.each(named)('%s', (route) => {
    it('finds nothing that another key made, but for what its own descendants did', async () => {
      const { call } = await prepare(treasury, 'scout', keys.one, route);
      for (const other of [keys.sibling, keys.child, keys.nephew]) {
        const { status, body: told } = await call(other);
        expect([status, told['code']]).toEqual([404, 'not_found']);
      }
      expect((await call()).status).toBe(200);
      const below = await prepare(treasury, 'scout', keys.child, route);
      expect((await below.call(keys.sibling)).status).toBe(404);
      expect((await below.call(keys.one)).status).toBe(200);
    });
  });

  describe.each(['pay', 'fetch', 'generate'] as const)('%s', (route) => {
    const idOf = async (by: Pick<Slice, 'client'>, sent: object): Promise<unknown> => {
      const wanted = await bodyOf(treasury, route);
      const { body: reply } = await by.client.post(`/v1/agents/scout/${route}`, wanted, sent);
      return reply['taskId'] ?? reply['paymentId'] ?? reply['payment']?.paymentId;
    };

    it('continues only what the same key began, and repeats only what it asked under a key', async () => {
      for (const sent of [{ prefer: 'wait=20, continue' }, { key: `same ${route}` }]) {
        const first = await idOf(keys.one, sent);
        expect(first).toMatch(/^(pay|tsk|task)_/);
        expect(await idOf(keys.one, sent)).toBe(first);
        const others = [keys.sibling, keys.child, keys.nephew, scout];
        const ids = [];
        for (const other of others) ids.push(await idOf(other, sent));
        expect(new Set([first, ...ids]).size).toBe(others.length + 1);
      }
    });
  });
});
