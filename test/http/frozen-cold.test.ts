// A cold treasury whose USDC account the issuer froze on the chain: nothing is drawn, nothing is believed that the chain lacks,
// and nothing is forgotten that comes back once it is thawed.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { allWell, audit, clean } from '../harness/audit.ts';
import { drawAsThief, type ColdWallet } from '../harness/cold-wallet.ts';
import { expectStatus } from '../harness/expect-status.ts';
import { liveFromCold } from '../harness/living-cold.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';

const usdc = 1_000_000n;
const remedy =
  'The issuer of USDC froze the account of the cold treasury. Nothing can be drawn from it until it is thawed: ask the issuer, and deposit USDC to the treasury itself meanwhile.';
let treasury: Treasury;
let agent: TestAgent;
let cold: ColdWallet;

const allocate = (amount: string) => treasury.client.post('/v1/agents/scout/allocate', { amount });
const engine = () => treasury.host.engine.context;
const view = async () => (await treasury.client.get('/v1/cold')).body['cold'];
const exposure = async () => {
  await engine().funds.compare();
  return (await treasury.client.get('/v1/dashboard')).body['exposure'];
};
const held = async (): Promise<unknown> =>
  (await agent.client.get('/v1/agents/scout/balance')).body['balance'];
const settled = () => until('all to end', () => engine().store.transfers.open().length === 0);
const thief = () => {
  const { host } = treasury;
  const draw = { from: cold.address, to: agent.wallet, units: 1n };
  return drawAsThief(host.rpcUrl, host.vault.signingKey(0), draw);
};

beforeAll(async () => {
  treasury = await openTreasury();
  agent = await deploy(treasury.client, 'scout', { allocate: '1.00' });
  cold = await liveFromCold(treasury, 20n * usdc);
});
afterAll(() => treasury.close());
beforeEach(async () => {
  if ((await cold.account()).isFrozen) await cold.freeze(false);
  await cold.allow(treasury.owner, 20n * usdc);
});

it('is not drawn on, and the refusal says what to do; once it is thawed it is drawn on again', async () => {
  await cold.freeze(true);
  // Not left to the follower: the refusal is then of the first decision.
  expect((await view()).fault).toBe('frozen');
  const { status, body } = await allocate('2.00');
  expect([status, body['code'], body['error']]).toEqual([402, 'insufficient_balance', remedy]);
  const [row] = engine().store.transfers.list({ limit: 1 });
  expect([row?.state, row?.signed]).toEqual(['denied', null]);
  expect(await cold.account()).toMatchObject({ allowance: 20n * usdc });
  await cold.freeze(false);
  expect((await allocate('2.00')).status).toBe(200);
  expect([(await cold.account()).allowance, (await view()).allowance]).toEqual([18n * usdc, '18.00']);
});

it('counts in the honest number: the chain refuses a thief now, and no longer once it is thawed', async () => {
  const before = await exposure();
  await cold.freeze(true);
  expect(await exposure()).toMatchObject({ amount: before.amount, cold: '20.00' });
  expect(await view()).toMatchObject({ fault: 'frozen', allowance: '20.00', drawable: '0.00' });
  await expect(thief()).rejects.toThrow('custom program error: 0x11');
  await cold.freeze(false);
  expect(await view()).toMatchObject({
    fault: null,
    allowance: '20.00',
    granted: '20.00',
    drawable: '20.00',
  });
});

it('may be given up while nobody can revoke it, and is counted as before', async () => {
  const before = await exposure();
  await cold.freeze(true);
  await expect(cold.revoke()).rejects.toThrow('custom program error: 0x11');
  expectStatus(await treasury.client.call('DELETE', '/v1/cold'), 200);
  expect(await exposure()).toMatchObject({ amount: before.amount, cold: '20.00' });
  await cold.freeze(false);
  expectStatus(await treasury.client.post('/v1/cold', { address: cold.address }), 200);
});

it('fails a draw that was signed before, which no agent believes, and pays the next one after the thaw', async () => {
  const { chain, store } = engine();
  const { broadcast } = chain;
  chain.broadcast = async (wire) => {
    await cold.freeze(true);
    return broadcast(wire);
  };
  const before = await held();
  const { status, body } = await allocate('2.00').finally(() => (chain.broadcast = broadcast));
  expect([status, body['code'], body['error']]).toEqual([
    502,
    'payment_failed',
    expect.stringContaining('Pay again with a new Idempotency-Key'),
  ]);
  await settled();
  const [row] = store.transfers.list({ limit: 1 });
  expect([row?.state, row?.signed === null, await held()]).toEqual(['failed', false, before]);
  expect((await allocate('2.00')).body['error']).toBe(remedy);
  await cold.freeze(false);
  expect((await allocate('2.00')).status).toBe(200);
  expect((await agent.pay('0.50')).status).toBe(200);
  await settled();
  expect(await cold.account()).toMatchObject({ allowance: 18n * usdc });
  expect(clean(await audit(treasury.host))).toEqual(allWell);
});
