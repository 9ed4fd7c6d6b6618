// Groups of agents: limits that they share, members that come and go, and stops, over HTTP.
import { describe, expect, it } from 'vitest';
import { deploy, openTreasury, type TestAgent } from '../../harness/treasury.ts';
import { asOwner, client, codeOf, useTreasury } from '../api-treasury.ts';

useTreasury();

const newGroup = async (name: string, limits: object = {}): Promise<string> =>
  String((await asOwner('groups', { name, limits }))['groupId']);
const join = (agent: TestAgent, groupId: string | null): Promise<unknown> =>
  asOwner(`agents/${agent.agentId}/group`, { groupId });
const member = async (name: string, groupId: string): Promise<TestAgent> => {
  const agent = await deploy(client, name);
  await join(agent, groupId);
  return agent;
};
const usedOf = async (groupId: string): Promise<unknown> => {
  const { body } = await client.get(`/v1/groups/${groupId}`);
  return body['used'].budgets.map(({ used }: { used: string }) => used);
};

describe('the budget of a group', () => {
  it.each([
    ['dailyBudget', 'daily_budget'],
    ['weeklyBudget', 'weekly_budget'],
    ['monthlyBudget', 'monthly_budget'],
    ['totalBudget', 'total_budget'],
  ])('%s binds its agents together, and no other agent', async (field, code) => {
    const groupId = await newGroup(`Together ${field}`, { [field]: '1.00' });
    const [one, two] = [await member(`one-${code}`, groupId), await member(`two-${code}`, groupId)];
    const outside = await deploy(client, `outside-${code}`);
    expect([await codeOf(one, '0.60'), await codeOf(outside, '0.60')]).toEqual(['paid', 'paid']);
    expect([await codeOf(two, '0.400001'), await codeOf(two, '0.40')]).toEqual([code, 'paid']);
    expect([await codeOf(one, '0.000001'), await codeOf(outside, '0.60')]).toEqual([code, 'paid']);
    expect(await usedOf(groupId)).toEqual(['1.00']);
  });

  it('holds under 60 payments at once of four agents', async () => {
    const groupId = await newGroup('Busy', { dailyBudget: '0.10' });
    const agents = await Promise.all(['b1', 'b2', 'b3', 'b4'].map((name) => member(name, groupId)));
    const answers = await Promise.all(Array.from({ length: 60 }, (_, at) => agents[at % 4]?.pay('0.0033')));
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(30);
    expect(await usedOf(groupId)).toEqual(['0.099']);
  });

  it('leaves past payments where they were made when an agent moves', async () => {
    const [from, to] = [
      await newGroup('From', { dailyBudget: '1.00' }),
      await newGroup('To', { dailyBudget: '1.00' }),
    ];
    const agent = await member('mover', from);
    expect(await codeOf(agent, '0.70')).toBe('paid');
    await join(agent, to);
    expect([await usedOf(from), await usedOf(to)]).toEqual([['0.70'], ['0.00']]);
    expect([await codeOf(agent, '0.90'), await codeOf(agent, '0.20')]).toEqual(['paid', 'daily_budget']);
    await join(agent, null);
    expect(await codeOf(agent, '0.20')).toBe('paid');
    expect([await usedOf(from), await usedOf(to)]).toEqual([['0.70'], ['0.90']]);
  });

  it('judges a held payment by the group that its agent is in when the owner allows it', async () => {
    const [wide, narrow] = [
      await newGroup('Wide', { dailyBudget: '5.00' }),
      await newGroup('Narrow', { dailyBudget: '1.00' }),
    ];
    const agent = await deploy(client, 'held', { policy: { approveAbove: '0.50' } });
    await join(agent, wide);
    const held = await agent.pay('0.90');
    const approvalPath = `/v1/approvals/${String(held.body['approvalId'])}`;
    await join(agent, narrow);
    const { body: shown } = await client.get(approvalPath);
    expect(shown['status']).toBe('pending');
    await client.post(`${approvalPath}/grant`, { hash: shown['hash'] });
    expect([await usedOf(wide), await usedOf(narrow)]).toEqual([['0.00'], ['0.90']]);
    const other = await agent.pay('0.60');
    expect([other.status, other.body['code']]).toEqual([402, 'daily_budget']);
  });
});

describe('a refusal by a group', () => {
  it('tells its agent no name, no limit and no sum, and its owner all of them', async () => {
    const groupId = await newGroup('Secret project', { dailyBudget: '1.00', weeklyBudget: '0.30' });
    const [agent, sibling] = [await member('told', groupId), await member('sibling', groupId)];
    expect(await codeOf(sibling, '0.29')).toBe('paid');
    const answer = await agent.pay('0.02');
    const retryAt = expect.any(String);
    expect(answer.body).toEqual({
      error: expect.stringContaining('A limit on the agent’s group does not allow this payment.'),
      code: 'weekly_budget',
      details: { node: { kind: 'group' }, retryAt, paymentId: expect.any(String) },
    });
    const path = `/v1/agents/told/payments/${String(answer.body['details'].paymentId)}`;
    const explained = await agent.client.post('/v1/agents/told/policy/explain', {
      service: 'sandbox-weather',
      amount: '0.02',
    });
    expect(explained.body['details']).toEqual({ node: { kind: 'group' }, retryAt });
    const seen = [answer.text, (await agent.client.get(path)).text, explained.text].join();
    for (const secret of ['Secret', groupId, '0.29', '0.30', 'sibling']) expect(seen).not.toContain(secret);
    const { body } = await client.get(path);
    expect(body['failure'].details).toMatchObject({
      node: { kind: 'group', id: groupId, name: 'Secret project' },
      rule: 'weeklyBudget',
      limit: '0.30',
      spent: '0.29',
    });
  });

  it.each([
    ['maxPerPayment', '0.10', 'max_per_payment'],
    ['allowedServices', ['another'], 'service_not_allowed'],
    ['expiresAt', '2020-01-01', 'expired'],
    ['paymentsPerDay', 0, 'payment_rate'],
    ['cooldownSeconds', 600, 'cooldown'],
  ])('comes from %s too', async (field, value, code) => {
    const groupId = await newGroup(`By ${field}`);
    const [one, two] = [await member(`by-${code}`, groupId), await member(`also-${code}`, groupId)];
    expect(await codeOf(one, '0.20')).toBe('paid');
    await asOwner(`groups/${groupId}/limits`, { [field]: value });
    expect(await codeOf(two, '0.20')).toBe(code);
    await asOwner(`groups/${groupId}/limits`, { [field]: null });
    expect(await codeOf(two, '0.20')).toBe('paid');
  });
});

describe('stopping a group', () => {
  it('suspends its agents, and resuming it resumes those alone', async () => {
    const groupId = await newGroup('Stopped');
    const [one, paused] = [await member('stop-one', groupId), await member('stop-paused', groupId)];
    const outside = await deploy(client, 'not-stopped');
    await asOwner('agents/stop-paused/kill');
    expect((await asOwner(`groups/${groupId}/stop`))['stoppedAt']).toEqual(expect.any(String));
    expect([await codeOf(one, '0.01'), await codeOf(outside, '0.01')]).toEqual(['suspended', 'paid']);
    const late = await client.post('/v1/agents/not-stopped/group', { groupId });
    expect([late.status, late.body['code']]).toEqual([409, 'conflict']);
    expect((await asOwner(`groups/${groupId}/resume`))['stoppedAt']).toBeNull();
    expect([await codeOf(one, '0.01'), await codeOf(paused, '0.01')]).toEqual(['paid', 'suspended']);
  });

  it('ends what waits, and cancels what was reserved and never signed', async () => {
    const groupId = await newGroup('Ended');
    const agent = await deploy(client, 'waits', { policy: { approveAbove: '0.10' } });
    await join(agent, groupId);
    const held = await agent.pay('0.20');
    await asOwner(`groups/${groupId}/stop`);
    const { body } = await client.get(`/v1/approvals/${String(held.body['approvalId'])}`);
    expect(body['status']).toBe('cancelled');
  });

  it('is lifted by the group’s resumption, and no stop that came after it is', async () => {
    const [first, second] = [await newGroup('Stopped first'), await newGroup('Stopped second')];
    const [killed, moved] = [await member('stop-killed', first), await member('stop-moved', first)];
    await asOwner(`groups/${first}/stop`);
    await asOwner('agents/stop-killed/kill');
    await join(moved, second);
    await asOwner(`groups/${second}/stop`);
    await asOwner(`groups/${first}/resume`);
    expect([await codeOf(killed, '0.10'), await codeOf(moved, '0.10')]).toEqual(['suspended', 'suspended']);
    await asOwner(`groups/${second}/resume`);
    await asOwner('agents/stop-killed/resume');
    expect([await codeOf(killed, '0.10'), await codeOf(moved, '0.10')]).toEqual(['paid', 'paid']);
  });
});

describe('a group', () => {
  it('has a name of its own, and is archived only when it is empty', async () => {
    const groupId = await newGroup('Unique');
    const again = await client.post('/v1/groups', { name: 'Unique' });
    expect([again.status, again.body['details']]).toEqual([
      409,
      { fields: { name: 'there is a group Unique already' } },
    ]);
    const agent = await member('resident', groupId);
    const full = await client.post(`/v1/groups/${groupId}/archive`);
    expect([full.status, full.body['error']]).toEqual([
      409,
      'This group still has agents. Move them out of it first.',
    ]);
    await join(agent, null);
    await asOwner(`groups/${groupId}/archive`);
    expect((await client.get(`/v1/groups/${groupId}`)).status).toBe(404);
    await newGroup('Unique');
  });
});

describe('the treasury', () => {
  it('takes every limit over all agents, and keeps the ceiling among them', async () => {
    const { client: owner, close } = await openTreasury();
    const [one, two] = [await deploy(owner, 'one'), await deploy(owner, 'two')];
    await owner.post('/v1/treasury/policy', { dailyBudget: '4.00' });
    const { body } = await owner.post('/v1/treasury/limits', { monthlyBudget: '1.00', paymentsPerDay: 3 });
    expect(body['limits']).toMatchObject({ dailyBudget: '4.00', monthlyBudget: '1.00', paymentsPerDay: 3 });
    expect([await codeOf(one, '0.90'), await codeOf(two, '0.20'), await codeOf(two, '0.10')]).toEqual([
      'paid',
      'monthly_budget',
      'paid',
    ]);
    await owner.post('/v1/treasury/limits', { monthlyBudget: null });
    expect([await codeOf(two, '0.20'), await codeOf(one, '0.20')]).toEqual(['paid', 'payment_rate']);
    expect((await owner.get('/v1/treasury/policy')).body['dailyBudget']).toBe('4.00');
    await close();
  });
});
