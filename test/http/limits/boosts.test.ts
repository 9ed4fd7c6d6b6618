// Boosts: what they raise and what they never raise, for how long, and the one click after a refusal. And refills: the
// treasury allocates by itself when a wallet runs low, never more than the owner said, and never twice.
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { txSignatureOf } from '../../../server/engine/payment/machine/tx-signature.ts';
import { deploy, until, type TestAgent } from '../../harness/treasury.ts';
import {
  asOwner,
  client,
  codeOf,
  pass,
  settled,
  standingClock,
  treasury,
  useTreasury,
  wall,
} from '../api-treasury.ts';

useTreasury(() => ({ clock: standingClock }));
beforeAll(() => asOwner('treasury/time-zone', { timeZone: 'UTC' }));

const hour = 3_600_000;
const agentWith = (name: string, policy: object): Promise<TestAgent> =>
  deploy(client, name, { policy: { maxPerPayment: '5.00', ...policy } });
const refused = async (agent: TestAgent, amount: string): Promise<string> =>
  String((await agent.pay(amount)).body['details'].paymentId);

const boostsOf = async (name: string): Promise<unknown[]> =>
  (await client.get('/v1/boosts')).body['boosts'].filter(
    ({ node }: { node: { id: string } }) => node.id === name,
  );

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
    const end = new Date(Math.floor(wall / (24 * hour) + 1) * 24 * hour).toISOString();
    expect(boost).toMatchObject({ amount: '0.50', until: end });
    expect([await codeOf(agent, '0.20'), await codeOf(agent, '0.20')]).toEqual(['paid', 'total_budget']);
    expect(await codeOf(agent, '1.01')).toBe('max_per_payment');
    const { body } = await agent.client.get('/v1/agents/raised/policy');
    expect(body).toMatchObject({
      policy: { dailyBudget: '1.00' },
      boost: { amount: '0.50', until: end },
    });
    const { body: limits } = await client.get('/v1/agents/raised/limits');
    expect(limits['budgets'][0]).toMatchObject({ field: 'dailyBudget', limit: '1.50', used: '1.20' });
  });

  it('that ends earlier raises nothing when some of the budget is free again', async () => {
    const agent = await agentWith('waiting', { dailyBudget: '1.00' });
    expect(await codeOf(agent, '0.30')).toBe('paid');
    pass(2 * hour);
    await asOwner('agents/waiting/boost', { amount: '0.40', until: new Date(wall + hour).toISOString() });
    expect(await codeOf(agent, '1.10')).toBe('paid');
    const paidAt = wall;
    const { body } = await client.get('/v1/dashboard');
    const { inForce } = body['agents'].find((one: { agentId: string }) => one.agentId === 'waiting');
    // What was paid first leaves the day two hours earlier, and with the boost that would be enough.
    const hours = (Date.parse(inForce.freeAt) - paidAt) / hour;
    expect([inForce.dailyBudget, Math.round(hours)]).toEqual(['1.40', 24]);
  });

  it('ends by itself, and what was spent under it still counts', async () => {
    const agent = await agentWith('ending', { dailyBudget: '1.00' });
    await asOwner('agents/ending/boost', { amount: '1.00', until: new Date(wall + hour).toISOString() });
    expect(await codeOf(agent, '1.50')).toBe('paid');
    pass(hour);
    expect(await codeOf(agent, '0.01')).toBe('daily_budget');
    await asOwner('agents/ending/policy', { dailyBudget: '1.50' });
    expect(await codeOf(agent, '0.01')).toBe('daily_budget');
    expect((await client.get('/v1/agents/ending/policy')).body['boost']).toBeNull();
    pass(24 * hour);
    expect(await codeOf(agent, '1.50')).toBe('paid');
  });

  it('is one at a time on a node, and ends at the owner’s word', async () => {
    const agent = await agentWith('single', { dailyBudget: '1.00' });
    await asOwner('agents/single/boost', { amount: '1.00' });
    const { boost } = await asOwner('agents/single/boost', { amount: '0.10' });
    expect([await codeOf(agent, '1.11'), await codeOf(agent, '1.10')]).toEqual(['daily_budget', 'paid']);
    expect(await boostsOf('single')).toMatchObject([{ boost: { amount: '0.10' } }]);
    const path = `/v1/boosts/${String(boost.boostId)}`;
    expect((await client.call('DELETE', path)).body['boost']).toBeNull();
    expect((await client.call('DELETE', path)).status).toBe(404);
    await asOwner('agents/single/boost', { amount: '5.00' });
    await asOwner('agents/single/boost', { amount: '0' });
    expect(await boostsOf('single')).toEqual([]);
    expect(await codeOf(agent, '0.01')).toBe('daily_budget');
  });

  it('leaves a budget unset that is not set, and lasts 7 days at most', async () => {
    const agent = await agentWith('unset', { dailyBudget: '9.00' });
    await asOwner('agents/unset/boost', { amount: '0.01' });
    const { body } = await client.get('/v1/agents/unset/policy');
    expect(body['policy']).toMatchObject({ weeklyBudget: null, monthlyBudget: null });
    expect(await codeOf(agent, '2.00')).toBe('paid');
    const late = { amount: '1', until: new Date(wall + 7 * 24 * hour + 1_000).toISOString() };
    const answer = await client.post('/v1/agents/unset/boost', late);
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
    const { body: foreseen } = await client.get(path);
    expect(foreseen).toMatchObject({
      payment: { agentId: 'clicked', amount: '0.40' },
      boosts: [
        { node: { kind: 'agent', id: 'clicked' }, amount: '0.30' },
        { node: { kind: 'group', id: groupId, name: 'Clicked' }, amount: '0.10' },
      ],
      otherwise: null,
    });
    expect(await codeOf(agent, '0.40')).toBe('daily_budget');
    const done = await client.post(path);
    expect(done.body['boosts']).toEqual(foreseen['boosts']);
    expect([await codeOf(agent, '0.41'), await codeOf(agent, '0.40')]).toEqual(['daily_budget', 'paid']);
    // A second click adds to the boost in force.
    const again = await refused(agent, '0.25');
    await client.post(`/v1/transfers/${again}/boost`);
    expect(await codeOf(agent, '0.25')).toBe('paid');
  });

  it('raises nothing when another limit would refuse the payment all the same', async () => {
    const agent = await agentWith('barred', { dailyBudget: '1.00', maxPerPayment: '2.00' });
    const id = await refused(agent, '1.50');
    await asOwner('agents/barred/policy', { maxPerPayment: '1.00' });
    const path = `/v1/transfers/${id}/boost`;
    const { body } = await client.get(path);
    expect(body).toMatchObject({
      boosts: [{ amount: '0.50' }],
      otherwise: expect.stringContaining('for one payment'),
    });
    const answer = await client.post(path);
    expect([answer.status, answer.body['error']]).toEqual([
      409,
      expect.stringMatching(/^A boost would not allow this payment\. /),
    ]);
    expect((await client.get('/v1/agents/barred/policy')).body['boost']).toBeNull();
    const paid = await agent.pay('0.10');
    const other = await client.post(`/v1/transfers/${String(paid.body['paymentId'])}/boost`);
    expect([other.status, other.body['code']]).toEqual([409, 'conflict']);
  });
});

const refilled = (name: string, refill: object | null) => asOwner(`agents/${name}/refill`, { refill });
const holding = (name: string, allocate: string): Promise<TestAgent> =>
  deploy(client, name, {
    allocate,
    policy: { dailyBudget: '100.00', maxPerPayment: '50.00' },
  });
/** The engine does this every two seconds. */
const look = async (): Promise<void> => {
  await treasury.host.engine.refills.look();
  await settled();
};
const balance = async (name: string): Promise<unknown> =>
  (await client.get(`/v1/agents/${name}/balance`)).body['balance'];

/** What has landed is not entered until the returned function is called. */
const holdEntries = (): (() => void) => {
  const { chain } = treasury.host.engine.context;
  const { blockTime } = chain;
  const { promise, resolve } = Promise.withResolvers<void>();
  const enter = (): void => {
    chain.blockTime = blockTime;
    resolve();
  };
  onTestFinished(enter);
  chain.blockTime = (slot) => promise.then(() => blockTime(slot));
  return enter;
};
/** A payment of 0.90 from a wallet that held 1.00. */
const landed = ({ wallet }: TestAgent): Promise<unknown> =>
  until('it to land', async () => {
    const { units } = await treasury.host.engine.context.chain.balances([wallet]);
    return units[0] === 100_000n;
  });

describe('a refill', () => {
  it('fills the wallet up when it falls under the amount, and only then', async () => {
    const agent = await holding('filled', '3.00');
    await refilled('filled', { below: '2.00', to: '5.00', perDay: '20.00' });
    await look();
    expect(await balance('filled')).toBe('3.00');
    await agent.pay('1.50');
    await look();
    expect(await balance('filled')).toBe('5.00');
    await agent.pay('4.00');
    await look();
    // Two refills are at least a minute apart.
    expect(await balance('filled')).toBe('1.00');
    pass(60_000);
    await look();
    expect(await balance('filled')).toBe('5.00');
    const { body } = await client.get('/v1/agents/filled/refill');
    expect(body).toMatchObject({ refilled: '7.50', refill: { below: '2.00', to: '5.00', perDay: '20.00' } });
  });

  it('never gives more than perDay in 24 hours, and goes on after them', async () => {
    const agent = await holding('daily', '1.00');
    await refilled('daily', { below: '1.00', to: '4.00', perDay: '4.50' });
    for (let n = 0; n < 4; n += 1) {
      await agent.pay(String(await balance('daily')));
      pass(60_000);
      await look();
    }
    expect((await client.get('/v1/agents/daily/refill')).body['refilled']).toBe('4.50');
    expect(await balance('daily')).toBe('0.00');
    pass(24 * hour);
    await look();
    expect(await balance('daily')).toBe('4.00');
  });

  it('gives what the treasury has left, and nothing below 0.10', async () => {
    const { amount } = (await client.get('/v1/dashboard')).body['treasury'];
    const most = String((Number(amount) - 50_000) / 1_000_000);
    await deploy(client, 'last', { allocate: most });
    await refilled('last', { below: '50000.00', to: '60000.00', perDay: '60000.00' });
    await look();
    expect((await client.get('/v1/agents/last/refill')).body['refilled']).toBe('0.00');
    await asOwner('agents/last/recall', { amount: most });
  });

  it('stops with a suspension, a freeze, the end of the policy, a recall and an archive', async () => {
    await holding('stopping', '1.00');
    const unchanged = async (): Promise<void> => {
      pass(60_000);
      await look();
      expect(await balance('stopping')).toBe('0.50');
    };
    // The engine looks by itself too: each reason begins before the one in front of it ends.
    await asOwner('freeze', { reason: 'test' });
    await asOwner('agents/stopping/recall', { amount: '0.50' });
    await refilled('stopping', { below: '1.00', to: '2.00', perDay: '50.00' });
    await unchanged();
    await asOwner('agents/stopping/kill', {});
    await asOwner('unfreeze', {});
    await unchanged();
    await asOwner('agents/stopping/policy', { expiresAt: '2020-01-01' });
    await asOwner('agents/stopping/resume', {});
    await unchanged();
    await asOwner('agents/stopping/policy', { expiresAt: null });
    pass(60_000);
    await look();
    expect(await balance('stopping')).toBe('2.00');
    await asOwner('agents/stopping/recall', { amount: '1.50' });
    expect((await client.get('/v1/agents/stopping/refill')).body['refill']).toBeNull();
    await unchanged();
  });

  it('never fills above to while a payment that has landed is not entered yet, and does not wait for it', async () => {
    const agent = await holding('behind', '1.00');
    await refilled('behind', { below: '1.00', to: '3.00', perDay: '50.00' });
    const enter = holdEntries();
    await agent.pay('0.90', { prefer: 'wait=0' });
    await landed(agent);
    await treasury.host.engine.refills.look();
    // The wallet may still hold the 0.90: it is filled up from 1.00.
    expect((await client.get('/v1/agents/behind/refill')).body['refilled']).toBe('2.00');
    enter();
    await settled();
    expect(await balance('behind')).toBe('2.10');
  });

  it('never fills above to from a balance in doubt: a payment was entered in the slot of the reading', async () => {
    const agent = await holding('doubtful', '1.00');
    await refilled('doubtful', { below: '1.00', to: '3.00', perDay: '50.00' });
    const { chain, funds, store } = treasury.host.engine.context;
    const { balances } = chain;
    const enter = holdEntries();
    onTestFinished(() => void (chain.balances = balances));
    await agent.pay('0.90', { prefer: 'wait=0' });
    await landed(agent);
    const [signed] = store.transfers.openOf('doubtful').flatMap((row) => txSignatureOf(row) ?? []);
    const { found } = await chain.sightings([signed ?? '']);
    const slot = found[0]?.slot ?? 0;
    let isEntered = false;
    chain.balances = async (wallets) => {
      const read = await balances(wallets);
      if (isEntered) {
        enter();
        await until('it to be entered', () => store.wallets.get(agent.wallet)?.pending === 0n);
      }
      return { ...read, slot };
    };
    await funds.refresh([agent.wallet]);
    isEntered = true;
    await treasury.host.engine.refills.look();
    chain.balances = balances;
    await settled();
    await until('it to be read', async () => {
      await funds.refresh([agent.wallet]);
      return store.wallets.get(agent.wallet)?.doubt === 0n;
    });
    const held = Number(await balance('doubtful'));
    expect(held).toBeLessThanOrEqual(3);
    expect(held).toBeGreaterThan(2);
  });

  it('is one at a time, however often the engine looks', async () => {
    const agent = await holding('once', '1.00');
    await refilled('once', { below: '1.00', to: '3.00', perDay: '50.00' });
    await agent.pay('0.90');
    await Promise.all(Array.from({ length: 20 }, () => treasury.host.engine.refills.look()));
    await look();
    expect(await balance('once')).toBe('3.00');
    const { body } = await client.get('/v1/activity?agentId=once&kind=allocation&limit=50');
    expect(body['entries']).toHaveLength(2);
  });

  it('waits for the next look when the records cannot be read, and ends nothing', async () => {
    const { policies } = treasury.host.engine.context.store;
    await holding('unread', '1.00');
    await refilled('unread', { below: '2.00', to: '5.00', perDay: '20.00' });
    const broken = vi.spyOn(policies, 'get').mockImplementation(() => {
      throw new Error('the records cannot be read');
    });
    onTestFinished(() => broken.mockRestore());
    await treasury.host.engine.refills.look();
    broken.mockRestore();
    await look();
    expect(await balance('unread')).toBe('5.00');
  });
});
