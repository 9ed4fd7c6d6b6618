// Limits at single services, over HTTP: on an agent, a group, a delegated key and the treasury.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newWallet } from '../harness/sign-in.ts';
import {
  deploy,
  instantly,
  openTreasury,
  removeFolder,
  temporaryFolder,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';

const [here, elsewhere] = ['sandbox-weather', 'sandbox-forecast'];

let treasury: Treasury;
beforeAll(async () => {
  treasury = await openTreasury({ args: [...instantly] });
  addForecast(treasury);
});
afterAll(() => treasury.close());

/** A second service of the same seller. */
const addForecast = ({ host }: Treasury): void => {
  const { store } = host.engine.context;
  const known = store.services.get(here);
  if (known === undefined) throw new Error(`${here} is in no catalog`);
  store.atomically(() => store.services.upsert({ ...known, id: elsewhere }, { addedByOwner: true }));
};

const limit = async (agent: TestAgent, policy: object): Promise<void> => {
  const { status, text } = await treasury.client.post(`/v1/agents/${agent.agentId}/policy`, policy);
  if (status !== 200) throw new Error(text);
};
const pay = (agent: Pick<TestAgent, 'agentId' | 'client'>, service: string, amount: string) =>
  agent.client.post(`/v1/agents/${agent.agentId}/pay`, { service, amount, currency: 'USDC' });
const codeOf = async (...asked: Parameters<typeof pay>): Promise<unknown> => {
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
      const agent = await deploy(treasury.client, `at-${field.toLowerCase()}`);
      expect(await codeOf(agent, here, '0.60')).toBe('paid');
      expect(await codeOf(agent, elsewhere, '0.90')).toBe('paid');
      await limit(agent, { serviceLimits: { [here]: { [field]: '1.00' } } });
      expect([await codeOf(agent, here, '0.41'), await codeOf(agent, here, '0.40')]).toEqual([
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
      expect(await codeOf(agent, elsewhere, '0.90')).toBe('paid');
      const { services } = (await agent.client.get(`/v1/agents/${agent.agentId}/limits`)).body;
      expect(services).toMatchObject([{ serviceId: here, field, limit: '1.00', used: '1.00', left: '0.00' }]);
      await limit(agent, { serviceLimits: null });
      expect(await codeOf(agent, here, '0.41')).toBe('paid');
    },
  );

  it('allows a payment no more than the most at once there', async () => {
    const agent = await deploy(treasury.client, 'at-once-there');
    await limit(agent, { serviceLimits: { [here]: { maxPerPayment: '0.10' } } });
    expect([
      await codeOf(agent, here, '0.100001'),
      await codeOf(agent, here, '0.10'),
      await codeOf(agent, elsewhere, '0.20'),
    ]).toEqual(['service_limit', 'paid', 'paid']);
  });

  it('is not gone over by payments at once, and lets as many go as fit', async () => {
    const agent = await deploy(treasury.client, 'at-once');
    await limit(agent, { serviceLimits: { [here]: { dailyBudget: '0.30', monthlyBudget: '0.50' } } });
    const answers = await Promise.all(Array.from({ length: 12 }, () => codeOf(agent, here, '0.07')));
    expect(answers.filter((one) => one === 'paid')).toHaveLength(4);
    expect(new Set(answers)).toEqual(new Set(['paid', 'service_limit']));
  });

  it('that the agent adds or lowers is in force at once; anything wider asks the owner', async () => {
    const agent = await deploy(treasury.client, 'tightens');
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
    const agent = await deploy(treasury.client, 'merges');
    const after = async (serviceLimits: object | null): Promise<unknown> => {
      await limit(agent, { serviceLimits });
      return (await treasury.client.get('/v1/agents/merges/policy')).body['policy'].serviceLimits;
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
    const agent = await deploy(treasury.client, 'many');
    await limit(agent, some(0, 30));
    await limit(agent, some(30, 50));
    const { status, body } = await treasury.client.post('/v1/agents/many/policy', some(50, 51));
    expect([status, body['details'].fields.serviceLimits]).toEqual([
      400,
      expect.stringContaining('at most 50'),
    ]);
  });

  it('may be exchanged with all 50 others in one change', async () => {
    const agent = await deploy(treasury.client, 'exchanged');
    await limit(agent, some(0, 50));
    const gone = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`service-${n}`, null]));
    const { serviceLimits: others } = some(50, 100);
    await limit(agent, { serviceLimits: { ...gone, ...others } });
    const { policy } = (await treasury.client.get('/v1/agents/exchanged/policy')).body;
    expect(Object.keys(policy.serviceLimits).toSorted()).toEqual(Object.keys(others).toSorted());
  });

  it.each([
    ['', 'must not be empty'],
    ['n'.repeat(201), 'must be at most 200 characters'],
    ['a\u200db', 'must not hold control or formatting characters'],
  ])('is refused at %j, with the rule that the id breaks', async (id, rule) => {
    const body = { serviceLimits: { [id]: { dailyBudget: '1' }, fine: { dailyBudget: '1' } } };
    const { status, body: answer } = await treasury.client.post('/v1/treasury/limits', body);
    expect([status, answer['details'].fields]).toEqual([
      400,
      { serviceLimits: `must name services by their ids: an id ${rule}` },
    ]);
  });

  it('that an agent wants to lose is gone once the owner agrees, and no other one', async () => {
    const agent = await deploy(treasury.client, 'loses');
    await limit(agent, {
      serviceLimits: { [here]: { dailyBudget: '1' }, [elsewhere]: { dailyBudget: '1' } },
    });
    const asked = await agent.client.post('/v1/agents/loses/policy', { serviceLimits: { [here]: null } });
    const id = String(asked.body['approvalId']);
    const { hash } = (await treasury.client.get(`/v1/approvals/${id}`)).body;
    expect((await treasury.client.post(`/v1/approvals/${id}/grant`, { hash })).status).toBe(200);
    const { policy } = (await treasury.client.get('/v1/agents/loses/policy')).body;
    expect(policy.serviceLimits).toEqual({ [elsewhere]: { dailyBudget: '1.00' } });
  });

  it('that the owner is asked about sums nothing, whatever services an agent names', async () => {
    const agent = await deploy(treasury.client, 'wishful', {
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
    const agent = await deploy(treasury.client, 'disguised');
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
    await treasury.client.post('/v1/treasury/limits', { serviceLimits: { [here]: { dailyBudget: '900' } } });
    const { details, error } = await answer();
    expect([details, String(error).includes(here)]).toEqual([
      { node: { kind: 'treasury' }, paymentId: expect.any(String) },
      false,
    ]);
    await treasury.client.post('/v1/treasury/limits', { serviceLimits: null });
  });

  it('of a group, of all agents and of a delegated key binds who is under it, and the owner reads its name', async () => {
    const agent = await deploy(treasury.client, 'nested');
    const asOwner = async (path: string, body: object) =>
      (await treasury.client.post(`/v1/${path}`, body)).body;
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
    expect([await codeOf(key, here, '0.21'), await codeOf(key, here, '0.20')]).toEqual([
      'service_limit',
      'paid',
    ]);
    expect([await codeOf(agent, here, '0.31'), await codeOf(agent, here, '0.30')]).toEqual([
      'service_limit',
      'paid',
    ]);
    const group = (await treasury.client.get(`/v1/groups/${String(groupId)}`)).body;
    expect(group['used'].services).toMatchObject([{ serviceId: here, used: '0.50', left: '0.00' }]);
    const { failure } = (await treasury.client.get('/v1/activity?status=denied&limit=1')).body['entries'][0];
    expect(failure.details).toMatchObject({ node: { kind: 'group', name: 'Research' }, service: here });
  });
});

it('limits and their sums are the same after a restart', async () => {
  const dataDir = temporaryFolder();
  const reopened = () => openTreasury({ dataDir, args: [...instantly] });
  const first = await reopened();
  const agent = await deploy(first.client, 'kept');
  const serviceLimits = { [here]: { dailyBudget: '1.00', monthlyBudget: '2.00' } };
  await first.client.post('/v1/agents/kept/policy', { serviceLimits });
  expect((await pay(agent, here, '0.60')).status).toBe(200);
  await first.close();
  const second = await reopened();
  expect((await second.client.get('/v1/agents/kept/policy')).body['policy'].serviceLimits).toEqual(
    serviceLimits,
  );
  const { services } = (await second.client.get('/v1/agents/kept/limits')).body;
  expect(services.map(({ used }: { used: string }) => used)).toEqual(['0.60', '0.60']);
  const again = { service: here, amount: '0.41', currency: 'USDC' };
  expect((await second.client.post('/v1/agents/kept/pay', again)).body['code']).toBe('service_limit');
  await second.close();
  removeFolder(dataDir);
});
