// Limits beyond a day, over HTTP: in a week, in a month, in total, in number of payments, and at single services.
import { beforeAll, describe, expect, it } from 'vitest';
import { newWallet } from '../../harness/chain/sign-in.ts';
import {
  deploy,
  openTreasury,
  removeFolder,
  temporaryFolder,
  type TestAgent,
  type Treasury,
} from '../../harness/treasury.ts';
import { asOwner, client, codeOf, treasury, useTreasury } from '../api-treasury.ts';

useTreasury();

const limit = (agent: TestAgent, policy: object): Promise<unknown> =>
  asOwner(`agents/${agent.agentId}/policy`, policy);

describe('a budget', () => {
  it.each([
    ['weeklyBudget', 'weekly_budget'],
    ['monthlyBudget', 'monthly_budget'],
  ])('%s counts what was spent before it was set', async (field, code) => {
    const agent = await deploy(client, field.toLowerCase());
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
      const { body } = await client.post('/v1/treasury/time-zone', { timeZone });
      expect(body).toEqual({ timeZone });
      return new Date(calendar.monthAt(Date.parse('2026-01-01T03:00:00Z')).from).toISOString();
    };
    const first = (await client.get('/v1/treasury/time-zone')).body['timeZone'];
    expect(first).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect(await zoned('Pacific/Kiritimati')).toBe('2025-12-31T10:00:00.000Z');
    expect(await zoned('America/Los_Angeles')).toBe('2025-12-01T08:00:00.000Z');
    expect(store.journal.verifyRules()).toBeNull();
  });

  it('in total counts from the moment that it is set, also when it is raised', async () => {
    const agent = await deploy(client, 'in-all');
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
    const agent = await deploy(client, 'unsummed');
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
      return openTreasury({ dataDir, clock });
    };
    const right = await reopened(0);
    await deploy(right.client, 'early');
    await right.close();
    const wrong = await reopened(48);
    await wrong.client.post('/v1/agents/early/policy', { totalBudget: '0.10' });
    await wrong.close();
    const late = await reopened(0);
    const pay = async (): Promise<unknown> => {
      const payment = { service: 'sandbox-weather', amount: '0.09', currency: 'USDC' };
      const { status, body } = await late.client.post('/v1/agents/early/pay', payment);
      return status === 200 ? 'paid' : body['code'];
    };
    expect(await pay()).toBe('clock_unsafe');
    await late.client.post('/v1/unfreeze');
    expect([await pay(), await pay()]).toEqual(['paid', 'total_budget']);
    await late.close();
    removeFolder(dataDir);
  });

  it('is not gone over by payments at once, whichever of them binds', async () => {
    const agent = await deploy(client, 'at-once');
    await limit(agent, { weeklyBudget: '0.30', monthlyBudget: '0.50', totalBudget: '0.40' });
    const answers = await Promise.all(Array.from({ length: 12 }, () => codeOf(agent, '0.07')));
    expect(answers.filter((one) => one === 'paid')).toHaveLength(4);
    expect(new Set(answers)).toEqual(new Set(['paid', 'weekly_budget']));
  });
});

describe('a number of payments', () => {
  it('is not gone over by payments at once, and says when the next is possible', async () => {
    const agent = await deploy(client, 'often');
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
    const agent = await deploy(client, 'refused');
    await limit(agent, { paymentsPerHour: 1 });
    for (const amount of ['2', '3', '4']) expect(await codeOf(agent, amount)).toBe('max_per_payment');
    expect([await codeOf(agent, '0.01'), await codeOf(agent, '0.01')]).toEqual(['paid', 'payment_rate']);
  });
});

describe('a policy', () => {
  it('pays until its end, and says when that was', async () => {
    const agent = await deploy(client, 'ending');
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
    const agent = await deploy(client, 'hourly');
    await client.post('/v1/treasury/time-zone', { timeZone: 'UTC' });
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
    const agent = await deploy(client, 'used');
    await limit(agent, { weeklyBudget: '0.50', totalBudget: '2.00', paymentsPerHour: 3 });
    expect([await codeOf(agent, '0.20'), await codeOf(agent, '0.30')]).toEqual(['paid', 'paid']);
    const told = (await agent.client.get('/v1/agents/used/limits')).body;
    const ownersView = (await client.get('/v1/agents/used/limits')).body;
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
    const other = await deploy(client, 'curious', { allocate: null });
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
  const { status, body } = await client.post('/v1/agents/ending/policy', policy);
  expect([status, body['details']]).toEqual([400, { fields }]);
});

describe('an agent', () => {
  it('whose wish for more is granted has it at once, with what was spent before', async () => {
    const agent = await deploy(client, 'granted');
    await limit(agent, { monthlyBudget: '0.10' });
    expect(await codeOf(agent, '0.08')).toBe('paid');
    const wanted = { monthlyBudget: '0.20', weeklyBudget: '0.15' };
    const { body } = await agent.client.post(`/v1/agents/${agent.agentId}/policy`, wanted);
    const approval = `/v1/approvals/${String(body['approvalId'])}`;
    const { hash } = (await client.get(approval)).body;
    expect((await client.post(`${approval}/grant`, { hash })).status).toBe(200);
    expect([await codeOf(agent, '0.08'), await codeOf(agent, '0.07')]).toEqual(['weekly_budget', 'paid']);
  });
});

const [here, elsewhere] = ['sandbox-weather', 'sandbox-forecast'];
/** A second service of the same seller. */
beforeAll(() => {
  const { store } = treasury.host.engine.context;
  const known = store.services.get(here);
  if (known === undefined) throw new Error(`${here} is in no catalog`);
  store.atomically(() => store.services.upsert({ ...known, id: elsewhere }, { addedByOwner: true }));
});

const pay = (agent: Pick<TestAgent, 'agentId' | 'client'>, service: string, amount: string) =>
  agent.client.post(`/v1/agents/${agent.agentId}/pay`, { service, amount, currency: 'USDC' });
const codeAt = async (...asked: Parameters<typeof pay>): Promise<unknown> => {
  const { status, body } = await pay(...asked);
  return status === 200 ? 'paid' : body['code'];
};

const some = (from: number, to: number) => ({
  serviceLimits: Object.fromEntries(
    Array.from({ length: to - from }, (_, n) => [`service-${from + n}`, { dailyBudget: '1' }]),
  ),
});

describe('a limit at a service', () => {
  it.each(['dailyBudget', 'monthlyBudget'])(
    '%s counts what was spent there before it was set, and nothing else',
    async (field) => {
      const agent = await deploy(client, `at-${field.toLowerCase()}`);
      expect(await codeAt(agent, here, '0.60')).toBe('paid');
      expect(await codeAt(agent, elsewhere, '0.90')).toBe('paid');
      await limit(agent, { serviceLimits: { [here]: { [field]: '1.00' } } });
      expect([await codeAt(agent, here, '0.41'), await codeAt(agent, here, '0.40')]).toEqual([
        'service_limit',
        'paid',
      ]);
      const { body } = await pay(agent, here, '0.01');
      expect(body).toMatchObject({
        code: 'service_limit',
        details: {
          rule: 'serviceLimits',
          service: here,
          field,
          limit: '1.00',
          spent: '1.00',
          amount: '0.01',
        },
      });
      expect(Date.parse(String(body['details'].retryAt))).toBeGreaterThan(Date.now());
      expect(await codeAt(agent, elsewhere, '0.90')).toBe('paid');
      const { services } = (await agent.client.get(`/v1/agents/${agent.agentId}/limits`)).body;
      expect(services).toMatchObject([{ serviceId: here, field, limit: '1.00', used: '1.00', left: '0.00' }]);
      await limit(agent, { serviceLimits: null });
      expect(await codeAt(agent, here, '0.41')).toBe('paid');
    },
  );

  it('allows a payment no more than the most at once there', async () => {
    const agent = await deploy(client, 'at-once-there');
    await limit(agent, { serviceLimits: { [here]: { maxPerPayment: '0.10' } } });
    expect([
      await codeAt(agent, here, '0.100001'),
      await codeAt(agent, here, '0.10'),
      await codeAt(agent, elsewhere, '0.20'),
    ]).toEqual(['service_limit', 'paid', 'paid']);
  });

  it('is not gone over by payments at once, and lets as many go as fit', async () => {
    const agent = await deploy(client, 'at-once-at-it');
    await limit(agent, { serviceLimits: { [here]: { dailyBudget: '0.30', monthlyBudget: '0.50' } } });
    const answers = await Promise.all(Array.from({ length: 12 }, () => codeAt(agent, here, '0.07')));
    expect(answers.filter((one) => one === 'paid')).toHaveLength(4);
    expect(new Set(answers)).toEqual(new Set(['paid', 'service_limit']));
  });

  it('that the agent adds or lowers is in force at once; anything wider asks the owner', async () => {
    const agent = await deploy(client, 'tightens');
    const path = `/v1/agents/${agent.agentId}/policy`;
    const wish = async (serviceLimits: object | null): Promise<number> =>
      (await agent.client.post(path, { serviceLimits })).status;
    const first = { [here]: { dailyBudget: '1.00' } };
    expect(await wish(first)).toBe(200);
    expect(await wish({ ...first, [elsewhere]: { maxPerPayment: '0.50' } })).toBe(200);
    expect(await wish({ [here]: { dailyBudget: '0.90' }, [elsewhere]: { maxPerPayment: '0.50' } })).toBe(200);
    for (const wider of [
      null,
      { [here]: { monthlyBudget: '0.10' }, [elsewhere]: { maxPerPayment: '0.50' } },
      { [here]: { dailyBudget: '0.91' }, [elsewhere]: { maxPerPayment: '0.50' } },
    ])
      expect([wider, await wish(wider)]).toEqual([wider, 202]);
  });

  it('stays when a change names other services alone, and goes when its own change is null', async () => {
    const agent = await deploy(client, 'merges');
    const after = async (serviceLimits: object | null): Promise<unknown> => {
      await limit(agent, { serviceLimits });
      return (await client.get('/v1/agents/merges/policy')).body['policy'].serviceLimits;
    };
    const [one, two] = [{ dailyBudget: '1.00' }, { maxPerPayment: '2.00' }];
    expect(await after({ [here]: one })).toEqual({ [here]: one });
    expect(await after({ [elsewhere]: two })).toEqual({ [here]: one, [elsewhere]: two });
    expect(await after({ [here]: two })).toEqual({ [here]: two, [elsewhere]: two });
    expect(await after({ [here]: null })).toEqual({ [elsewhere]: two });
    expect(await after({ [elsewhere]: null })).toBeNull();
    await after({ [here]: one });
    expect(await after(null)).toBeNull();
  });

  it('is one of 50 at a node, in however many changes they come', async () => {
    const agent = await deploy(client, 'many');
    await limit(agent, some(0, 30));
    await limit(agent, some(30, 50));
    const { status, body } = await client.post('/v1/agents/many/policy', some(50, 51));
    expect([status, body['details'].fields.serviceLimits]).toEqual([
      400,
      expect.stringContaining('at most 50'),
    ]);
  });

  it('may be exchanged with all 50 others in one change', async () => {
    const agent = await deploy(client, 'exchanged');
    await limit(agent, some(0, 50));
    const gone = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`service-${n}`, null]));
    const { serviceLimits: others } = some(50, 100);
    await limit(agent, { serviceLimits: { ...gone, ...others } });
    const { policy } = (await client.get('/v1/agents/exchanged/policy')).body;
    expect(Object.keys(policy.serviceLimits).toSorted()).toEqual(Object.keys(others).toSorted());
  });

  it.each([
    ['', 'must not be empty'],
    ['n'.repeat(201), 'must be at most 200 characters'],
    ['a\u200db', 'must not hold control or formatting characters'],
  ])('is refused at %j, with the rule that the id breaks', async (id, rule) => {
    const body = { serviceLimits: { [id]: { dailyBudget: '1' }, fine: { dailyBudget: '1' } } };
    const { status, body: answer } = await client.post('/v1/treasury/limits', body);
    expect([status, answer['details'].fields]).toEqual([
      400,
      { serviceLimits: `must name services by their ids: an id ${rule}` },
    ]);
  });

  it('that an agent wants to lose is gone once the owner agrees, and no other one', async () => {
    const agent = await deploy(client, 'loses');
    await limit(agent, {
      serviceLimits: { [here]: { dailyBudget: '1' }, [elsewhere]: { dailyBudget: '1' } },
    });
    const asked = await agent.client.post('/v1/agents/loses/policy', { serviceLimits: { [here]: null } });
    const id = String(asked.body['approvalId']);
    const { hash } = (await client.get(`/v1/approvals/${id}`)).body;
    expect((await client.post(`/v1/approvals/${id}/grant`, { hash })).status).toBe(200);
    const { policy } = (await client.get('/v1/agents/loses/policy')).body;
    expect(policy.serviceLimits).toEqual({ [elsewhere]: { dailyBudget: '1.00' } });
  });

  it('that the owner is asked about sums nothing, whatever services an agent names', async () => {
    const agent = await deploy(client, 'wishful', {
      policy: { serviceLimits: { [here]: { dailyBudget: '1' } } },
    });
    const { spend } = treasury.host.engine.context.store;
    const { meter } = spend;
    let summed = 0;
    spend.meter = (key, edge) => {
      summed += 1;
      return meter(key, edge);
    };
    try {
      const wish = { serviceLimits: { [here]: null, another: { dailyBudget: '1' } } };
      expect((await agent.client.post('/v1/agents/wishful/policy', wish)).status).toBe(202);
      expect(summed).toBe(0);
    } finally {
      spend.meter = meter;
    }
  });

  it('is not evaded by another name for its seller', async () => {
    const agent = await deploy(client, 'disguised');
    const seller = treasury.host.engine.context.store.services.get(here)?.payees[0];
    const answer = async () => {
      const x402 = {
        scheme: 'exact',
        network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
        asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
        amount: '50000',
        payTo: seller,
        maxTimeoutSeconds: 60,
        extra: { feePayer: newWallet().address },
      };
      const body = { x402, resource: 'https://friendly.example/weather' };
      return (await agent.client.post('/v1/agents/disguised/pay', body)).body;
    };
    const offer = async (): Promise<unknown> => (await answer())['code'];
    await limit(agent, { allowedServices: [here], serviceLimits: { [here]: { dailyBudget: '0.10' } } });
    expect(await offer()).toBe('service_limit');
    await limit(agent, { serviceLimits: null });
    expect(await offer()).toBe('service_not_allowed');
    // Above the agent, it is told the kind of node alone.
    await client.post('/v1/treasury/limits', { serviceLimits: { [here]: { dailyBudget: '900' } } });
    const { details, error } = await answer();
    expect([details, String(error).includes(here)]).toEqual([
      { node: { kind: 'treasury' }, paymentId: expect.any(String) },
      false,
    ]);
    await client.post('/v1/treasury/limits', { serviceLimits: null });
  });

  it('of a group, of all agents and of a delegated key binds who is under it, and the owner reads its name', async () => {
    const agent = await deploy(client, 'nested');
    const { groupId } = await asOwner('groups', {
      name: 'Research',
      limits: { serviceLimits: { [here]: { dailyBudget: '0.50' } } },
    });
    await asOwner('agents/nested/group', { groupId });
    await asOwner('agents/nested/delegation', { allowed: true });
    const minted = await agent.client.post('/v1/agents/nested/delegated-keys', {
      label: 'a task',
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      dailyBudget: '5',
      serviceLimits: { [here]: { dailyBudget: '0.20' } },
    });
    const key = { agentId: 'nested', client: agent.client.as(String(minted.body['apiKey'])) };
    expect([await codeAt(key, here, '0.21'), await codeAt(key, here, '0.20')]).toEqual([
      'service_limit',
      'paid',
    ]);
    expect([await codeAt(agent, here, '0.31'), await codeAt(agent, here, '0.30')]).toEqual([
      'service_limit',
      'paid',
    ]);
    const group = (await client.get(`/v1/groups/${String(groupId)}`)).body;
    expect(group['used'].services).toMatchObject([{ serviceId: here, used: '0.50', left: '0.00' }]);
    const { failure } = (await client.get('/v1/activity?status=denied&limit=1')).body['entries'][0];
    expect(failure.details).toMatchObject({ node: { kind: 'group', name: 'Research' }, service: here });
  });
});

it('limits of an agent, at a service and of a group, and their sums, are the same after a restart', async () => {
  const dataDir = temporaryFolder();
  const first = await openTreasury({ dataDir });
  const agent = await deploy(first.client, 'kept');
  const serviceLimits = { [here]: { dailyBudget: '1.00', monthlyBudget: '2.00' } };
  await first.client.post('/v1/agents/kept/policy', { serviceLimits });
  const member = await deploy(first.client, 'member');
  const { body: made } = await first.client.post('/v1/groups', {
    name: 'Lasting',
    limits: { weeklyBudget: '1.00' },
  });
  await first.client.post('/v1/agents/member/group', { groupId: made['groupId'] });
  expect([await codeAt(agent, here, '0.60'), await codeAt(member, here, '0.70')]).toEqual(['paid', 'paid']);
  await first.close();

  const { client: owner, close } = await openTreasury({ dataDir });
  expect((await owner.get('/v1/agents/kept/policy')).body['policy'].serviceLimits).toEqual(serviceLimits);
  const { services } = (await owner.get('/v1/agents/kept/limits')).body;
  expect(services.map(({ used }: { used: string }) => used)).toEqual(['0.60', '0.60']);
  expect(await codeAt({ agentId: 'kept', client: owner }, here, '0.41')).toBe('service_limit');
  const { body } = await pay({ agentId: 'member', client: owner }, here, '0.31');
  expect(body).toMatchObject({ code: 'weekly_budget', details: { spent: '0.70', limit: '1.00' } });
  await close();
  removeFolder(dataDir);
});
