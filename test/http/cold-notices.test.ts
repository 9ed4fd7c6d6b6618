// What the owner of a cold treasury is told, and agents that are refilled from it.
import { afterEach, describe, expect, it } from 'vitest';
import { allWell, audit, clean } from '../harness/audit.ts';
import { liveFromCold } from '../harness/living-cold.ts';
import { deploy, openTreasury, until, type Treasury } from '../harness/treasury.ts';

const one = 1_000_000n;
let treasury: Treasury;
afterEach(() => treasury.close());

const post = (path: string, body: object = {}) => treasury.client.post(`/v1/${path}`, body);
const settled = () =>
  until('all to end', () => treasury.host.engine.context.store.transfers.open().length === 0);
/** The notices of little money, newest first. */
const told = async (): Promise<[string, number][]> => {
  const { funds, store } = treasury.host.engine.context;
  await funds.compare();
  return store.notices
    .list({ before: null, limit: 50, failed: false })
    .filter(({ kind }) => kind === 'low_balance')
    .map(({ text, count }) => [text, count]);
};

const draw = async (amount: string): Promise<void> => {
  expect((await post('agents/scout/allocate', { amount })).status).toBe(200);
  await settled();
};

describe('the owner', () => {
  it('is told once when a fifth of the allowance is left, and again after a new one runs low', async () => {
    treasury = await openTreasury({ showNotice: () => {} });
    await deploy(treasury.client, 'scout', { allocate: null });
    const cold = await liveFromCold(treasury, 10n * one);
    await draw('7.99');
    expect(await told()).toEqual([]);
    await draw('0.01');
    const first =
      '2.00 of the 10.00 USDC that you allowed are left. Set a new allowance before agents run out.';
    expect(await told()).toEqual([[first, 1]]);
    await draw('0.50');
    expect(await told()).toEqual([[first, 1]]);
    await cold.allow(treasury.owner, 20n * one);
    expect(await told()).toEqual([[first, 1]]);
    await draw('17.00');
    const second =
      '3.00 of the 20.00 USDC that you allowed are left. Set a new allowance before agents run out.';
    expect(await told()).toEqual([
      [second, 1],
      [first, 1],
    ]);
  });
});

describe('a refill', () => {
  it('draws on the cold treasury within its allowance, once, and stops when the owner stops drawing', async () => {
    treasury = await openTreasury();
    const { engine } = treasury.host;
    const agent = await deploy(treasury.client, 'scout', { allocate: null });
    const cold = await liveFromCold(treasury, 6n * one);
    await post('agents/scout/refill', { refill: { below: '2.00', to: '5.00', perDay: '20.00' } });
    await post('cold/stop');
    await engine.refills.look();
    await settled();
    expect(await cold.account()).toMatchObject({ allowance: 6n * one });
    await post('cold/resume');
    // Two refills are at least a minute apart, so these looks make one.
    await Promise.all([engine.refills.look(), engine.refills.look()]);
    await engine.refills.look();
    await settled();
    expect(await cold.account()).toMatchObject({ balance: 1_495n * one, allowance: one });
    const rows = engine.context.store.transfers.list({ limit: 50 }).filter(({ cause }) => cause === 'refill');
    const paid = rows.filter(({ state }) => state === 'final');
    expect(paid.map(({ source, amount }) => [source, amount])).toEqual([[cold.address, 5n * one]]);
    expect((await agent.pay('0.50')).status).toBe(200);
    await settled();
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });
});
