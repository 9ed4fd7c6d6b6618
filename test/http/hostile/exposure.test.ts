// The one honest number, as its owner sees it, with nothing read for the test: never less than the chain would let a thief
// take after a move of ours, and that to the unit once all is settled.
import { partsOfExposure, partsOfTotal } from '../../../server/contract/treasury/exposure.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFunds } from '../../../server/engine/records/funds.ts';
import { formatUsdc, parseUsdc, usdc } from '../../../server/money.ts';
import { createColdWallet, type ColdWallet } from '../../harness/chain/cold-wallet.ts';
import { createDice } from '../../harness/dice.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../../harness/treasury.ts';
import { isLarge, tries } from '../../harness/tries.ts';

const one = 1_000_000n;
/** TREASURY_STEPS takes another number of steps. */
const steps = Number(process.env['TREASURY_STEPS'] ?? tries(120, 10_000));

let treasury: Treasury;
let agents: TestAgent[];
let cold: ColdWallet;
let other: ColdWallet;
/** Micro-USDC in accounts beside the usual ones. */
let aside = 0n;

beforeAll(async () => {
  treasury = await openTreasury();
  const limits = { dailyBudget: '100000', maxPerPayment: '100', allocate: '5.00' };
  agents = [await deploy(treasury.client, 'one', limits), await deploy(treasury.client, 'two', limits)];
  cold = await createColdWallet(treasury.host.rpcUrl, 30n * one);
  other = await createColdWallet(treasury.host.rpcUrl, 300n * one);
  await treasury.client.post('/v1/cold', { address: cold.address });
});
afterAll(() => treasury.close());

/** What the keys of this machine reach, as the chain shows it. */
const reachable = async (): Promise<bigint> => {
  const { chain, store } = treasury.host.engine.context;
  const { units } = await chain.balances(store.wallets.list().map(({ address }) => address));
  const { balance, allowance, delegate } = await cold.account();
  const drawable = delegate === treasury.owner ? allowance : 0n;
  const drawn = drawable < balance ? drawable : balance;
  return units.reduce((sum: bigint, held) => sum + (held ?? 0n), drawn + aside);
};

const text = (units: bigint): string => formatUsdc(usdc(units));
const unitsOf = (amount: unknown): bigint => parseUsdc(String(amount)) ?? -1n;
const sumOf = (parts: ReturnType<typeof partsOfTotal>): bigint =>
  parts.reduce((sum, [, amount]) => sum + unitsOf(amount), 0n);
/** The number, whose parts are always its terms, as those of the total are. */
const told = async (): Promise<bigint> => {
  const { exposure, total } = (await treasury.client.get('/v1/dashboard')).body;
  expect([sumOf(partsOfExposure(exposure)), sumOf(partsOfTotal(total))]).toEqual(
    [exposure, total].map(({ amount }) => unitsOf(amount)),
  );
  return unitsOf(exposure.amount);
};
const isRight = async (): Promise<boolean> => (await told()) === (await reachable());

it('is never low while money goes from the cold wallet to an agent and back', async () => {
  const { client } = treasury;
  await cold.allow(treasury.owner, 20n * one);
  await client.post(
    '/v1/treasury/withdraw',
    { to: cold.address, amount: '980', asset: 'USDC' },
    { key: 'all' },
  );
  await until('the allowance', isRight);
  const before = await told();
  const seen = new Set<bigint>();
  const over = new AbortController();
  const looks = (async () => {
    while (!over.signal.aborted) seen.add(await told());
  })();
  for (const move of ['allocate', 'recall', 'allocate'])
    for (let n = 0; n < 12; n += 1) {
      // An agent that looks at its balance has it read in the slot of its next allocation.
      await agents[0]?.client.get('/v1/agents/one/balance');
      expect((await client.post(`/v1/agents/one/${move}`, { amount: '1.00' })).status).toBe(200);
    }
  await until('to the unit', async () => (await told()) === before);
  over.abort();
  await looks;
  expect([...seen].filter((amount) => amount < before)).toEqual([]);
});

it('counts what lies in accounts beside the usual ones, and says so until each wallet was read', async () => {
  const { context } = treasury.host.engine;
  const before = await told();
  const funds = createFunds(context);
  expect([funds.aside.isWhole(), funds.aside.units()]).toEqual([false, 0n]);
  const wallets = [treasury.owner, ...agents.map(({ wallet }) => wallet)];
  for (const wallet of wallets) await other.payAside(wallet, 11n * one, wallet === treasury.owner ? 1n : 0n);
  await funds.compare();
  expect([funds.aside.isWhole(), funds.aside.units()]).toEqual([true, 33n * one]);
  await context.funds.compare();
  await until('the unit in the usual account', async () => (await told()) === before + 33n * one + 1n);
  const { exposure } = (await treasury.client.get('/v1/dashboard')).body;
  expect(exposure.aside).toBe('33.00');
  // A deposit is what the usual account got.
  const deposit = async () => (await treasury.client.get('/v1/treasury/deposits?limit=1')).body.deposits[0];
  expect(
    await until('the deposit', async () => ((await deposit()).from === other.address ? deposit() : null)),
  ).toMatchObject({ amount: '0.000001' });
  for (const wallet of wallets) {
    const { units } = await context.chain.balances([wallet]);
    expect(context.store.wallets.get(wallet)?.balance).toBe(units[0]);
  }
  aside = 33n * one;
});

it(`is right to the unit after each of ${steps} steps`, { timeout: 300_000 + steps * 500 }, async () => {
  const { client, owner, host } = treasury;
  // In the steps of this seed an allowance is larger than what it may be drawn from.
  const seed = isLarge ? Math.floor(Math.random() * 2 ** 32) : 2;
  const dice = createDice(seed);
  const some = (most: number): bigint => BigInt(1 + Math.floor(dice.roll() * most * 1e6));
  const agent = (): TestAgent => agents[dice.roll() < 0.5 ? 0 : 1] as TestAgent;
  let key = 0;
  const withdraw = (to: string, amount: string) =>
    client.post('/v1/treasury/withdraw', { to, amount, asset: 'USDC' }, { key: `w${(key += 1)}` });
  const own: [string, () => Promise<unknown>][] = [
    ['allocate', () => client.post(`/v1/agents/${agent().agentId}/allocate`, { amount: text(some(20)) })],
    ['pay', () => agent().pay(text(some(2)))],
    ['recall', () => client.post(`/v1/agents/${agent().agentId}/recall`, { amount: text(some(4)) })],
    ['withdraw to the cold wallet', () => withdraw(cold.address, text(some(10)))],
    ['withdraw', () => withdraw(other.address, text(some(4)))],
    ['deposit', () => client.post('/v1/sandbox/faucet', { amount: text(some(10)) })],
    ['stop drawing', () => client.post('/v1/cold/stop')],
    ['resume drawing', () => client.post('/v1/cold/resume')],
  ];
  const outside: [string, () => Promise<unknown>][] = [
    ['allow', () => cold.allow(owner, some(40))],
    ['allow another', () => cold.allow(other.address, some(40))],
    ['revoke', () => cold.revoke()],
    ['the owner spends', async () => cold.send(other.address, (await cold.account()).balance / 3n)],
    ['the owner is paid', () => other.send(cold.address, some(5))],
    ['the issuer freezes it or thaws it', async () => cold.freeze(!(await cold.account()).isFrozen)],
  ];
  const moves = [...own, ...outside];
  const wrong: string[] = [];
  for (let step = 0; step < steps; step += 1) {
    const at = Math.floor(dice.roll() * moves.length);
    const [name, make] = moves[at] as (typeof moves)[number];
    await make().catch(() => {});
    const [first, most] = [await told(), await reachable()];
    if (at < own.length && first < most)
      wrong.push(`step ${step}, ${name}: ${text(first)} at first, and the chain says ${text(most)}`);
    await until('all to end', () => host.engine.context.store.transfers.open().length === 0);
    await until(`to be right after step ${step}, ${name}, seed ${seed}`, isRight);
    if ((await client.get('/v1/dashboard')).body['frozen'] === true) wrong.push(`step ${step}: frozen`);
  }
  expect(wrong, `seed ${seed}`).toEqual([]);
});
