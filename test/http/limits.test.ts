// Limits beyond a day, over HTTP: in a week, in a month, in total, and in number of payments.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deploy,
  instantly,
  openTreasury,
  removeFolder,
  temporaryFolder,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';

let treasury: Treasury;
beforeAll(async () => {
  treasury = await openTreasury({ args: [...instantly] });
});
afterAll(() => treasury.close());

const limit = async (agent: TestAgent, policy: object): Promise<void> => {
  const { status, text } = await treasury.client.post(`/v1/agents/${agent.agentId}/policy`, policy);
  if (status !== 200) throw new Error(text);
};
const codeOf = async (agent: TestAgent, amount: string): Promise<unknown> => {
  const { status, body } = await agent.pay(amount);
  return status === 200 ? 'paid' : body['code'];
};

describe('a budget', () => {
  it.each([
    ['weeklyBudget', 'weekly_budget'],
    ['monthlyBudget', 'monthly_budget'],
  ])('%s counts what was spent before it was set', async (field, code) => {
    const agent = await deploy(treasury.client, field.toLowerCase());
    expect(await codeOf(agent, '0.60')).toBe('paid');
    await limit(agent, { [field]: '1.00' });
    expect([await codeOf(agent, '0.41'), await codeOf(agent, '0.40')]).toEqual([code, 'paid']);
    const { body } = await agent.pay('0.01');
    expect(body).toMatchObject({ code, details: { rule: field, limit: '1.00', spent: '1.00' } });
    expect(Date.parse(String(body['details'].retryAt))).toBeGreaterThan(Date.now());
    await limit(agent, { [field]: null });
    expect(await codeOf(agent, '0.41')).toBe('paid');
  });

  it('of a month counts by the clock of the owner’s time zone', async () => {
    const { store, calendar } = treasury.host.engine.context;
    const zoned = async (timeZone: string): Promise<string> => {
      const { body } = await treasury.client.post('/v1/treasury/time-zone', { timeZone });
      expect(body).toEqual({ timeZone });
      return new Date(calendar.monthAt(Date.parse('2026-01-01T03:00:00Z')).from).toISOString();
    };
    const first = (await treasury.client.get('/v1/treasury/time-zone')).body['timeZone'];
    expect(first).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect(await zoned('Pacific/Kiritimati')).toBe('2025-12-31T10:00:00.000Z');
    expect(await zoned('America/Los_Angeles')).toBe('2025-12-01T08:00:00.000Z');
    expect(store.journal.verifyRules()).toBeNull();
  });

  it('in total counts from the moment that it is set, also when it is raised', async () => {
    const agent = await deploy(treasury.client, 'in-all');
    expect(await codeOf(agent, '0.90')).toBe('paid');
    await limit(agent, { totalBudget: '1.00' });
    expect([await codeOf(agent, '0.90'), await codeOf(agent, '0.11')]).toEqual(['paid', 'total_budget']);
    await limit(agent, { totalBudget: '1.50' });
    expect([await codeOf(agent, '0.61'), await codeOf(agent, '0.60')]).toEqual(['total_budget', 'paid']);
    const { body } = await agent.pay('0.01');
    expect(body['details']).toEqual({
      rule: 'totalBudget',
      limit: '1.50',
      spent: '1.50',
      amount: '0.01',
      paymentId: expect.any(String),
    });
  });

  it('in total sums nothing of the past when it is set, and its own past when it is raised', async () => {
    const { spend } = treasury.host.engine.context.store;
    const { meter } = spend;
    const agent = await deploy(treasury.client, 'unsummed');
    const edges: number[] = [];
    spend.meter = (key, edge) => {
      edges.push(edge);
      return meter(key, edge);
    };
    try {
      const before = Date.now();
      await limit(agent, { totalBudget: '1.00' });
      expect(edges.filter((edge) => edge < before - 1)).toEqual([]);
      const [since] = edges.splice(0).toReversed();
      await limit(agent, { totalBudget: '1.50' });
      expect(new Set(edges)).toEqual(new Set([since]));
    } finally {
      spend.meter = meter;
    }
  });

  it('in total counts what is spent after the clock was ahead when it was set', async () => {
    const dataDir = temporaryFolder();
    let ahead = 0;
    const clock = { wall: () => Date.now() + ahead, monotonic: () => performance.now() };
    const reopened = async (hours: number): Promise<Treasury> => {
      ahead = hours * 3_600_000;
      return openTreasury({ dataDir, clock, args: [...instantly] });
    };
    const right = await reopened(0);
    await deploy(right.client, 'early');
    await right.close();
    const wrong = await reopened(48);
    await wrong.client.post('/v1/agents/early/policy', { totalBudget: '0.10' });
    await wrong.close();
    const { client, close } = await reopened(0);
    const pay = async (): Promise<unknown> => {
      const payment = { service: 'sandbox-weather', amount: '0.09', currency: 'USDC' };
      const { status, body } = await client.post('/v1/agents/early/pay', payment);
      return status === 200 ? 'paid' : body['code'];
    };
    expect(await pay()).toBe('clock_unsafe');
    await client.post('/v1/unfreeze');
    expect([await pay(), await pay()]).toEqual(['paid', 'total_budget']);
    await close();
    removeFolder(dataDir);
  });

  it('is not gone over by payments at once, whichever of them binds', async () => {
    const agent = await deploy(treasury.client, 'at-once');
    await limit(agent, { weeklyBudget: '0.30', monthlyBudget: '0.50', totalBudget: '0.40' });
    const answers = await Promise.all(Array.from({ length: 12 }, () => codeOf(agent, '0.07')));
    expect(answers.filter((one) => one === 'paid')).toHaveLength(4);
    expect(new Set(answers)).toEqual(new Set(['paid', 'weekly_budget']));
  });
});

describe('a number of payments', () => {
  it('is not gone over by payments at once, and says when the next is possible', async () => {
    const agent = await deploy(treasury.client, 'often');
    await limit(agent, { paymentsPerHour: 5, paymentsPerDay: 7 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => codeOf(agent, '0.01')));
    expect(answers.filter((one) => one === 'paid')).toHaveLength(5);
    const { body } = await agent.pay('0.01');
    expect(body).toMatchObject({
      code: 'payment_rate',
      details: { rule: 'paymentsPerHour', limit: 5, made: 5 },
    });
    expect(Date.parse(String(body['details'].retryAt))).toBeGreaterThan(Date.now());
    await limit(agent, { paymentsPerHour: null });
    expect([await codeOf(agent, '0.01'), await codeOf(agent, '0.01'), await codeOf(agent, '0.01')]).toEqual([
      'paid',
      'paid',
      'payment_rate',
    ]);
  });

  it('counts no refusals', async () => {
    const agent = await deploy(treasury.client, 'refused');
    await limit(agent, { paymentsPerHour: 1 });
    for (const amount of ['2', '3', '4']) expect(await codeOf(agent, amount)).toBe('max_per_payment');
    expect([await codeOf(agent, '0.01'), await codeOf(agent, '0.01')]).toEqual(['paid', 'payment_rate']);
  });
});

describe('a policy', () => {
  it('pays until its end, and says when that was', async () => {
    const agent = await deploy(treasury.client, 'ending');
    const end = new Date(Date.now() + 3_600_000).toISOString();
    await limit(agent, { expiresAt: end });
    expect(await codeOf(agent, '0.01')).toBe('paid');
    await limit(agent, { expiresAt: '2026-01-31' });
    const { body } = await agent.pay('0.01');
    expect(body).toMatchObject({
      code: 'expired',
      details: { rule: 'expiresAt', limit: '2026-01-31T00:00:00.000Z' },
    });
    const { policy } = (await agent.client.get('/v1/agents/ending/policy')).body;
    expect(policy.expiresAt).toBe('2026-01-31T00:00:00.000Z');
  });

  it('pays in its hours, by the clock of the owner’s time zone', async () => {
    const agent = await deploy(treasury.client, 'hourly');
    await treasury.client.post('/v1/treasury/time-zone', { timeZone: 'UTC' });
    const today = ((new Date().getUTCDay() + 6) % 7) + 1;
    const others = [1, 2, 3, 4, 5, 6, 7].filter((day) => day !== today && day !== ((today + 5) % 7) + 1);
    await limit(agent, { activeHours: { days: others, from: '00:00', to: '23:59' } });
    const { body } = await agent.pay('0.01');
    expect(body).toMatchObject({ code: 'outside_hours', details: { rule: 'activeHours' } });
    expect(Date.parse(String(body['details'].retryAt))).toBeGreaterThan(Date.now());
    await limit(agent, { activeHours: { days: [1, 2, 3, 4, 5, 6, 7], from: '12:00', to: '11:59' } });
    const atNoon = new Date().toISOString().slice(11, 16) === '11:59';
    expect(await codeOf(agent, '0.01')).toBe(atNoon ? 'outside_hours' : 'paid');
  });
});

describe('what is used', () => {
  it('is told of each limit in force, to the agent and to the owner, and when some is free again', async () => {
    const agent = await deploy(treasury.client, 'used');
    await limit(agent, { weeklyBudget: '0.50', totalBudget: '2.00', paymentsPerHour: 3 });
    expect([await codeOf(agent, '0.20'), await codeOf(agent, '0.30')]).toEqual(['paid', 'paid']);
    const told = (await agent.client.get('/v1/agents/used/limits')).body;
    const ownersView = (await treasury.client.get('/v1/agents/used/limits')).body;
    expect({ ...ownersView, above: [] }).toEqual(told);
    expect(ownersView['above']).toMatchObject([{ node: { kind: 'treasury' }, budgets: [] }]);
    expect(told).toEqual({
      above: [],
      agentId: 'used',
      budgets: [
        { field: 'dailyBudget', limit: '5.00', used: '0.50', left: '4.50', freeAt: null },
        { field: 'weeklyBudget', limit: '0.50', used: '0.50', left: '0.00', freeAt: expect.any(String) },
        { field: 'totalBudget', limit: '2.00', used: '0.50', left: '1.50', freeAt: null },
      ],
      rates: [{ field: 'paymentsPerHour', limit: 3, used: 2, left: 1, freeAt: null }],
      services: [],
      forecast: { usedUp: [], monthEnd: null },
      opensAt: null,
      expiresAt: null,
      boost: null,
    });
    const other = await deploy(treasury.client, 'curious', { allocate: null });
    expect((await other.client.get('/v1/agents/used/limits')).status).toBe(401);
  });
});

const notADay = { 'activeHours.days.0': 'must be 1 for Monday to 7 for Sunday' };
it.each([
  [{ expiresAt: 0 }, { expiresAt: 'must be an ISO 8601 date or UTC time' }],
  [{ activeHours: { days: [0, 1], from: '08:00', to: '09:00' } }, notADay],
  [{ activeHours: { days: [1.5], from: '08:00', to: '09:00' } }, notADay],
  [{ activeHours: { days: ['1'], from: '08:00', to: '09:00' } }, notADay],
])('the refusal of %j says what the field must be', async (policy, fields) => {
  const { status, body } = await treasury.client.post('/v1/agents/ending/policy', policy);
  expect([status, body['details']]).toEqual([400, { fields }]);
});

describe('an agent', () => {
  it('may set a limit that there was not, and lower it, and has to ask for more', async () => {
    const agent = await deploy(treasury.client, 'tightening');
    const wish = (change: object) => agent.client.post(`/v1/agents/${agent.agentId}/policy`, change);
    const statuses = [];
    for (const change of [
      { monthlyBudget: '3' },
      { monthlyBudget: '2', paymentsPerDay: 10 },
      { monthlyBudget: '2.50' },
      { paymentsPerDay: null },
    ])
      statuses.push((await wish(change)).status);
    expect(statuses).toEqual([200, 200, 202, 202]);
  });

  it('whose wish for more is granted has it at once, with what was spent before', async () => {
    const agent = await deploy(treasury.client, 'granted');
    await limit(agent, { monthlyBudget: '0.10' });
    expect(await codeOf(agent, '0.08')).toBe('paid');
    const wanted = { monthlyBudget: '0.20', weeklyBudget: '0.15' };
    const { body } = await agent.client.post(`/v1/agents/${agent.agentId}/policy`, wanted);
    const approval = `/v1/approvals/${String(body['approvalId'])}`;
    const { hash } = (await treasury.client.get(approval)).body;
    expect((await treasury.client.post(`${approval}/grant`, { hash })).status).toBe(200);
    expect([await codeOf(agent, '0.08'), await codeOf(agent, '0.07')]).toEqual(['weekly_budget', 'paid']);
  });
});
