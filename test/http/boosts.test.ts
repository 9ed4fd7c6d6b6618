// Boosts: what they raise and what they never raise, for how long, and the one click after a refusal.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../harness/http-client.ts';
import { deploy, instantly, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';

const hour = 3_600_000;
let wall = Date.now();
let up = 0;
const pass = (ms: number): void => {
  wall += ms;
  up += ms;
};

let treasury: Treasury;
beforeAll(async () => {
  treasury = await openTreasury({
    args: [...instantly],
    clock: { wall: () => wall, monotonic: () => up },
  });
  await treasury.client.post('/v1/treasury/time-zone', { timeZone: 'UTC' });
});
afterAll(() => treasury.close());

const asOwner = async (path: string, body: object = {}): Promise<Answer['body']> => {
  const answer = await treasury.client.post(`/v1/${path}`, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
};
const agentWith = (name: string, policy: object): Promise<TestAgent> =>
  deploy(treasury.client, name, { policy: { maxPerPayment: '5.00', ...policy } });
const codeOf = async (agent: TestAgent, amount: string): Promise<unknown> => {
  const { status, body } = await agent.pay(amount);
  return status === 200 ? 'paid' : body['code'];
};
const refused = async (agent: TestAgent, amount: string): Promise<string> =>
  String((await agent.pay(amount)).body['details'].paymentId);

describe('a boost', () => {
  it('raises day, week and month together, and nothing else', async () => {
    const agent = await agentWith('raised', {
      dailyBudget: '1.00',
      weeklyBudget: '1.00',
      monthlyBudget: '1.00',
      totalBudget: '1.30',
      maxPerPayment: '1.00',
    });
    expect(await codeOf(agent, '1.00')).toBe('paid');
    expect(await codeOf(agent, '0.01')).toBe('daily_budget');
    const { boost } = await asOwner('agents/raised/boost', { amount: '0.50' });
    const until = new Date(Math.floor(wall / (24 * hour) + 1) * 24 * hour).toISOString();
    expect(boost).toMatchObject({ amount: '0.50', until });
    expect([await codeOf(agent, '0.20'), await codeOf(agent, '0.20')]).toEqual(['paid', 'total_budget']);
    expect(await codeOf(agent, '1.01')).toBe('max_per_payment');
    const { body } = await agent.client.get('/v1/agents/raised/policy');
    expect(body).toMatchObject({
      policy: { dailyBudget: '1.00' },
      boost: { amount: '0.50', until },
    });
    const { body: limits } = await treasury.client.get('/v1/agents/raised/limits');
    expect(limits['budgets'][0]).toMatchObject({ field: 'dailyBudget', limit: '1.50', used: '1.20' });
  });

  it('ends by itself, and what was spent under it still counts', async () => {
    const agent = await agentWith('ending', { dailyBudget: '1.00' });
    await asOwner('agents/ending/boost', { amount: '1.00', until: new Date(wall + hour).toISOString() });
    expect(await codeOf(agent, '1.50')).toBe('paid');
    pass(hour);
    expect(await codeOf(agent, '0.01')).toBe('daily_budget');
    await asOwner('agents/ending/policy', { dailyBudget: '1.50' });
    expect(await codeOf(agent, '0.01')).toBe('daily_budget');
    expect((await treasury.client.get('/v1/agents/ending/policy')).body['boost']).toBeNull();
    pass(24 * hour);
    expect(await codeOf(agent, '1.50')).toBe('paid');
  });

  it('is one at a time on a node, and ends at the owner’s word', async () => {
    const agent = await agentWith('single', { dailyBudget: '1.00' });
    await asOwner('agents/single/boost', { amount: '1.00' });
    const { boost } = await asOwner('agents/single/boost', { amount: '0.10' });
    expect([await codeOf(agent, '1.11'), await codeOf(agent, '1.10')]).toEqual(['daily_budget', 'paid']);
    const listed = async () =>
      (await treasury.client.get('/v1/boosts')).body['boosts'].filter(
        ({ node }: { node: { id: string } }) => node.id === 'single',
      );
    expect(await listed()).toMatchObject([{ boost: { amount: '0.10' } }]);
    const path = `/v1/boosts/${String(boost.boostId)}`;
    expect((await treasury.client.call('DELETE', path)).body['boost']).toBeNull();
    expect((await treasury.client.call('DELETE', path)).status).toBe(404);
    await asOwner('agents/single/boost', { amount: '5.00' });
    await asOwner('agents/single/boost', { amount: '0' });
    expect(await listed()).toEqual([]);
    expect(await codeOf(agent, '0.01')).toBe('daily_budget');
  });

  it('leaves a budget unset that is not set, and lasts 7 days at most', async () => {
    const agent = await agentWith('unset', { dailyBudget: '9.00' });
    await asOwner('agents/unset/boost', { amount: '0.01' });
    const { body } = await treasury.client.get('/v1/agents/unset/policy');
    expect(body['policy']).toMatchObject({ weeklyBudget: null, monthlyBudget: null });
    expect(await codeOf(agent, '2.00')).toBe('paid');
    const late = { amount: '1', until: new Date(wall + 7 * 24 * hour + 1_000).toISOString() };
    const answer = await treasury.client.post('/v1/agents/unset/boost', late);
    expect([answer.status, answer.body['details']]).toEqual([
      400,
      { fields: { until: expect.stringMatching(/^must lie in the future, at 20/) } },
    ]);
  });

  it('goes on after a restart of the records', () => {
    const { store } = treasury.host.engine.context;
    expect(store.journal.verifyRules()).toBeNull();
  });
});

describe('the one click after a refusal', () => {
  it('lists every node that it has to raise, raises all of them, and the next try passes', async () => {
    const agent = await agentWith('clicked', { dailyBudget: '1.00', monthlyBudget: '2.00' });
    const { groupId } = await asOwner('groups', { name: 'Clicked', limits: { weeklyBudget: '1.20' } });
    await asOwner('agents/clicked/group', { groupId });
    expect(await codeOf(agent, '0.90')).toBe('paid');
    const id = await refused(agent, '0.40');
    const path = `/v1/transfers/${id}/boost`;
    const { body: foreseen } = await treasury.client.get(path);
    expect(foreseen).toMatchObject({
      payment: { agentId: 'clicked', amount: '0.40' },
      boosts: [
        { node: { kind: 'agent', id: 'clicked' }, amount: '0.30' },
        { node: { kind: 'group', id: groupId, name: 'Clicked' }, amount: '0.10' },
      ],
      otherwise: null,
    });
    expect(await codeOf(agent, '0.40')).toBe('daily_budget');
    const done = await treasury.client.post(path);
    expect(done.body['boosts']).toEqual(foreseen['boosts']);
    expect([await codeOf(agent, '0.41'), await codeOf(agent, '0.40')]).toEqual(['daily_budget', 'paid']);
    // A second click adds to the boost in force.
    const again = await refused(agent, '0.25');
    await treasury.client.post(`/v1/transfers/${again}/boost`);
    expect(await codeOf(agent, '0.25')).toBe('paid');
  });

  it('raises nothing when another limit would refuse the payment all the same', async () => {
    const agent = await agentWith('barred', { dailyBudget: '1.00', maxPerPayment: '2.00' });
    const id = await refused(agent, '1.50');
    await asOwner('agents/barred/policy', { maxPerPayment: '1.00' });
    const path = `/v1/transfers/${id}/boost`;
    const { body } = await treasury.client.get(path);
    expect(body).toMatchObject({
      boosts: [{ amount: '0.50' }],
      otherwise: expect.stringContaining('for one payment'),
    });
    const answer = await treasury.client.post(path);
    expect([answer.status, answer.body['error']]).toEqual([
      409,
      expect.stringMatching(/^A boost would not allow this payment\. /),
    ]);
    expect((await treasury.client.get('/v1/agents/barred/policy')).body['boost']).toBeNull();
    const paid = await agent.pay('0.10');
    const other = await treasury.client.post(`/v1/transfers/${String(paid.body['paymentId'])}/boost`);
    expect([other.status, other.body['code']]).toEqual([409, 'conflict']);
  });
});
