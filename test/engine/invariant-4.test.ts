// Invariant 4: open rows and the final rows of the last 24 hours never exceed the daily budget, also under concurrency.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatUsdc, usdc } from '../../server/money.ts';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { deploy, openTreasury, until, type Treasury } from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';

const [attempts, waiting] = [tries(300, 10_000), tries(100, 1_000)];
const units = tries(9_970, 997);
const admitted = Math.floor(1_000_000 / units);

describe('the daily budget under concurrency', () => {
  let treasury: Treasury;
  beforeAll(async () => {
    treasury = await openTreasury({ sockets: 173 });
  });
  afterAll(() => treasury.close());

  it(`admits exactly ${admitted} of ${attempts} concurrent payments of ${units} units against a budget of 1,000,000`, async () => {
    const agent = await deploy(treasury.client, 'racer', {
      dailyBudget: '1',
      maxPerPayment: '1',
      allocate: '20',
    });
    const answers = await Promise.all(
      Array.from({ length: attempts }, () => agent.pay(formatUsdc(usdc(BigInt(units))))),
    );
    const statuses = Map.groupBy(answers, ({ status }) => status);
    expect(statuses.get(200)).toHaveLength(admitted);
    expect(statuses.get(402)).toHaveLength(attempts - admitted);
    const { store, time } = treasury.host.engine.context;
    await until('all to be final', () => store.transfers.open().length === 0);
    const { open, final } = store.spend.at('racer', time.now());
    expect(open + final).toBe(BigInt(admitted * units));
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });

  it(`admits one of ${waiting} simultaneous payments in a cooldown`, async () => {
    const agent = await deploy(treasury.client, 'cool', { policy: { cooldownSeconds: 3_600 } });
    const answers = await Promise.all(Array.from({ length: waiting }, () => agent.pay('0.001')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.find(({ status }) => status === 402);
    expect(refused?.body).toMatchObject({
      code: 'cooldown',
      details: { rule: 'cooldownSeconds', limit: 3_600 },
    });
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(3_500);
  });

  it('holds the owner’s ceiling over agents that each have budget left', async () => {
    const agents = await Promise.all(['c1', 'c2', 'c3'].map((id) => deploy(treasury.client, id)));
    const { body } = await treasury.client.get('/v1/treasury/policy');
    const ceiling = (Number(body['spent']) + 0.1).toFixed(6);
    await treasury.client.post('/v1/treasury/policy', { dailyBudget: ceiling });
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => agents[n % 3]?.pay('0.01')));
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(10);
    expect(answers.find((answer) => answer?.status === 402)?.body['code']).toBe('owner_ceiling');
    await treasury.client.post('/v1/treasury/policy', { dailyBudget: null });
    expect((await agents[0]?.pay('0.01'))?.status).toBe(200);
  });
});

describe('the window of 86,400 seconds', () => {
  it('lets the budget be spent again after a day and not a second before, and says when', async () => {
    let wall = Date.now();
    let up = 0;
    const clock = { wall: () => wall, monotonic: () => up };
    const pass = (ms: number): void => {
      wall += ms;
      up += ms;
    };
    const treasury = await openTreasury({ clock });
    try {
      const agent = await deploy(treasury.client, 'daily', { dailyBudget: '1', maxPerPayment: '1' });
      const start = wall;
      expect((await agent.pay('0.6')).status).toBe(200);
      pass(3_600_000);
      expect((await agent.pay('0.4')).status).toBe(200);
      const { store } = treasury.host.engine.context;
      await until('both to be final', () => store.transfers.open().length === 0);
      const refused = await agent.pay('0.5');
      expect(refused.body).toMatchObject({ code: 'daily_budget', details: { limit: '1.00', spent: '1.00' } });
      const retryAt = Date.parse(refused.body['details'].retryAt);
      expect(retryAt).toBeGreaterThanOrEqual(start + 86_400_000);
      expect(retryAt).toBeLessThan(start + 86_400_000 + 5_000);
      pass(retryAt - wall - 1_000);
      expect((await agent.pay('0.5')).status).toBe(402);
      pass(2_000);
      expect((await agent.pay('0.5')).status).toBe(200);
      expect((await agent.pay('0.2')).status).toBe(402);
    } finally {
      await treasury.close();
    }
  });

  it('pauses payments when the clock jumps, until the owner unfreezes', async () => {
    let wall = Date.now();
    const clock = { wall: () => wall, monotonic: () => 0 };
    const treasury = await openTreasury({ clock });
    try {
      const agent = await deploy(treasury.client, 'jumpy', { dailyBudget: '1', maxPerPayment: '1' });
      expect((await agent.pay('1')).status).toBe(200);
      const { store } = treasury.host.engine.context;
      await until('it to be final', () => store.transfers.open().length === 0);
      wall += 48 * 3_600_000;
      const paused = await agent.pay('1');
      expect([paused.status, paused.body['code']]).toEqual([503, 'clock_unsafe']);
      await treasury.client.post('/v1/unfreeze');
      expect((await agent.pay('1')).status).toBe(200);
      wall -= 48 * 3_600_000;
      expect((await agent.pay('1')).body['code']).toBe('clock_unsafe');
    } finally {
      await treasury.close();
    }
  });
});
