// Refills: the treasury allocates by itself when a wallet runs low, never more than the owner said, and never twice.
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  deploy,
  instantly,
  openTreasury,
  until,
  type TestAgent,
  type Treasury,
} from '../harness/treasury.ts';

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
});
afterAll(() => treasury.close());

const asOwner = async (path: string, body: object): Promise<Record<string, unknown>> => {
  const answer = await treasury.client.post(`/v1/${path}`, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
};
const refilled = (name: string, refill: object | null) => asOwner(`agents/${name}/refill`, { refill });
const agentWith = (name: string, allocate: string): Promise<TestAgent> =>
  deploy(treasury.client, name, {
    allocate,
    policy: { dailyBudget: '100.00', maxPerPayment: '50.00' },
  });
/** The engine does this every two seconds. */
const look = async (): Promise<void> => {
  const { engine } = treasury.host;
  await engine.refills.look();
  await until('settled', () => engine.context.store.transfers.open().length === 0);
};
const balance = async (name: string): Promise<unknown> =>
  (await treasury.client.get(`/v1/agents/${name}/balance`)).body['balance'];

describe('a refill', () => {
  it('fills the wallet up when it falls under the amount, and only then', async () => {
    const agent = await agentWith('filled', '3.00');
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
    const { body } = await treasury.client.get('/v1/agents/filled/refill');
    expect(body).toMatchObject({ refilled: '7.50', refill: { below: '2.00', to: '5.00', perDay: '20.00' } });
  });

  it('never gives more than perDay in 24 hours, and goes on after them', async () => {
    const agent = await agentWith('daily', '1.00');
    await refilled('daily', { below: '1.00', to: '4.00', perDay: '4.50' });
    for (let n = 0; n < 4; n += 1) {
      await agent.pay(String(await balance('daily')));
      pass(60_000);
      await look();
    }
    expect((await treasury.client.get('/v1/agents/daily/refill')).body['refilled']).toBe('4.50');
    expect(await balance('daily')).toBe('0.00');
    pass(24 * hour);
    await look();
    expect(await balance('daily')).toBe('4.00');
  });

  it('gives what the treasury has left, and nothing below 0.10', async () => {
    const own = await openTreasury({ args: [...instantly] });
    const { amount } = (await own.client.get('/v1/dashboard')).body['treasury'];
    await deploy(own.client, 'last', { allocate: String((Number(amount) - 50_000) / 1_000_000) });
    await own.client.post('/v1/agents/last/refill', {
      refill: { below: '50000.00', to: '60000.00', perDay: '60000.00' },
    });
    await own.host.engine.refills.look();
    expect((await own.client.get('/v1/agents/last/refill')).body['refilled']).toBe('0.00');
    await own.close();
  });

  it('stops with a suspension, a freeze, the end of the policy, a recall and an archive', async () => {
    const agent = await agentWith('stopping', '1.00');
    await refilled('stopping', { below: '1.00', to: '2.00', perDay: '50.00' });
    await agent.pay('0.50');
    const unchanged = async (): Promise<void> => {
      pass(60_000);
      await look();
      expect(await balance('stopping')).toBe('0.50');
    };
    await asOwner('agents/stopping/kill', {});
    await unchanged();
    await asOwner('agents/stopping/resume', {});
    await asOwner('freeze', { reason: 'test' });
    await unchanged();
    await asOwner('unfreeze', {});
    await asOwner('agents/stopping/policy', { expiresAt: '2020-01-01' });
    await unchanged();
    await asOwner('agents/stopping/policy', { expiresAt: null });
    pass(60_000);
    await look();
    expect(await balance('stopping')).toBe('2.00');
    await asOwner('agents/stopping/recall', { amount: '1.50' });
    expect((await treasury.client.get('/v1/agents/stopping/refill')).body['refill']).toBeNull();
    await unchanged();
  });

  it('waits for a payment that has landed and is not entered yet, and never fills above to', async () => {
    const agent = await agentWith('behind', '1.00');
    await refilled('behind', { below: '1.00', to: '3.00', perDay: '50.00' });
    const { chain } = treasury.host.engine.context;
    const { blockTime } = chain;
    const { promise: held, resolve } = Promise.withResolvers<void>();
    const enter = (): void => {
      chain.blockTime = blockTime;
      resolve();
    };
    onTestFinished(enter);
    chain.blockTime = async (slot) => {
      await held;
      return blockTime(slot);
    };
    await agent.pay('0.90', { prefer: 'wait=0' });
    await until('it to land', async () => (await chain.balances([agent.wallet])).units[0] === 100_000n);
    await treasury.host.engine.refills.look();
    const refillsOf = () => treasury.client.get('/v1/agents/behind/refill');
    expect((await refillsOf()).body['refilled']).toBe('0.00');
    enter();
    await until('it to be entered', () => treasury.host.engine.context.store.transfers.open().length === 0);
    await look();
    expect(await balance('behind')).toBe('3.00');
  });

  it('is one at a time, however often the engine looks', async () => {
    const agent = await agentWith('once', '1.00');
    await refilled('once', { below: '1.00', to: '3.00', perDay: '50.00' });
    await agent.pay('0.90');
    await Promise.all(Array.from({ length: 20 }, () => treasury.host.engine.refills.look()));
    await look();
    expect(await balance('once')).toBe('3.00');
    const { body } = await treasury.client.get('/v1/activity?agentId=once&kind=allocation&limit=50');
    expect(body['entries']).toHaveLength(2);
  });

  it('waits for the next look when the records cannot be read, and ends nothing', async () => {
    const { policies } = treasury.host.engine.context.store;
    await agentWith('unread', '1.00');
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
