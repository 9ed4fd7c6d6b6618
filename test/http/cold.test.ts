// The cold treasury: allocations draw on it within its allowance, and the chain alone decides.
import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatUsdc, type Usdc } from '../../server/money.ts';
import { allWell, audit, clean } from '../harness/audit.ts';
import { createColdWallet, drawAsThief, type ColdWallet } from '../harness/cold-wallet.ts';
import { deploy, openTreasury, rpcCall, until, type TestAgent, type Treasury } from '../harness/treasury.ts';

const usdc = 1_000_000n;
let treasury: Treasury;
let agent: TestAgent;
let cold: ColdWallet;
/** Somebody else with a USDC account. */
let other: ColdWallet;

const { post, get } = {
  post: (path: string, body: object = {}) => treasury.client.post(`/v1/${path}`, body),
  get: (path: string) => treasury.client.get(`/v1/${path}`),
};
const store = () => treasury.host.engine.context.store;
const allocate = (amount: string) => post('agents/scout/allocate', { amount });
const view = async () => (await get('cold')).body['cold'];
const held = async (): Promise<unknown> =>
  (await agent.client.get('/v1/agents/scout/balance')).body['balance'];
const exposure = async () => {
  await treasury.host.engine.context.funds.compare();
  return (await get('dashboard')).body['exposure'];
};
/** Gives the cold wallet 400 USDC back. */
const refill = () => rpcCall(treasury.host.rpcUrl, 'sandbox_fundUsdc', [cold.address, '400000000']);
const settled = () => until('all to end', () => store().transfers.open().length === 0);

/** The owner's changes on the chain, each of which leaves less than 2 USDC to draw. */
const changes: Record<string, () => Promise<void>> = {
  revoked: () => cold.revoke(),
  lowered: () => cold.allow(treasury.owner, 1n),
  'given to another': () => cold.allow(agent.wallet, 20n * usdc),
  emptied: async () => cold.send(other.address, (await cold.account()).balance - usdc),
};
/** Runs `change` in the midst of an allocation: before its last look at the cold account, or after it. */
const allocateWith = async (when: 'coldAccount' | 'build', change: () => Promise<void>) => {
  await cold.allow(treasury.owner, 15n * usdc);
  await view();
  const { chain } = treasury.host.engine.context;
  const { coldAccount } = chain;
  chain.coldAccount = async (address) => {
    chain.coldAccount = coldAccount;
    if (when === 'coldAccount') await change();
    const reading = await coldAccount(address);
    if (when === 'build') await change();
    return reading;
  };
  const before = await held();
  const answer = await allocate('2.00');
  await settled();
  const [row] = store().transfers.list({ limit: 1 });
  return { status: answer.status, state: row?.state, isSigned: row?.signed !== null, before };
};

beforeAll(async () => {
  treasury = await openTreasury();
  agent = await deploy(treasury.client, 'scout', { allocate: null });
  cold = await createColdWallet(treasury.host.rpcUrl, 500n * usdc);
  other = await createColdWallet(treasury.host.rpcUrl, 0n);
});
afterAll(() => treasury.close());

describe('the address of a cold treasury', () => {
  it('is refused when it is no wallet, or one of which this machine has the key', async () => {
    const managed = [treasury.owner, agent.wallet, treasury.host.engine.context.keys.address(900)];
    for (const address of managed)
      expect((await post('cold', { address })).body).toMatchObject({
        error: 'address: this machine has the key of this address: use one of a Ledger or a phone.',
      });
    expect(
      (await post('cold', { address: treasury.host.engine.context.chain.tokenAccount(agent.wallet) })).status,
    ).toBe(400);
    expect(await view()).toBeNull();
  });

  it('is kept, with what the chain lets the treasury draw', async () => {
    expect((await post('cold', { address: cold.address })).body).toMatchObject({
      cold: {
        address: cold.address,
        balance: '500.00',
        allowance: '0.00',
        drawable: '0.00',
        fault: 'delegate',
      },
    });
    await cold.allow(treasury.owner, 20n * usdc);
    expect(await view()).toMatchObject({
      allowance: '20.00',
      granted: '20.00',
      drawable: '20.00',
      fault: null,
    });
  });
});

describe('an allocation', () => {
  it('comes from the treasury’s own wallet while that holds enough', async () => {
    expect((await allocate('1.00')).status).toBe(200);
    expect(await view()).toMatchObject({ balance: '500.00', allowance: '20.00' });
  });

  it('draws on the cold treasury when it does not, and the agent pays as ever', async () => {
    const { amount } = (await get('dashboard')).body['treasury'];
    const key = { key: 'all-out' };
    const stranger = Keypair.generate().publicKey.toBase58();
    const all = { to: stranger, amount: String(Number(amount) / 1e6), asset: 'USDC' };
    expect((await treasury.client.post('/v1/treasury/withdraw', all, key)).status).toBe(200);
    const answer = await allocate('5.00');
    expect([answer.status, answer.body]).toMatchObject([200, { status: 'confirmed' }]);
    expect(await cold.account()).toMatchObject({ balance: 495n * usdc, allowance: 15n * usdc });
    expect(await view()).toMatchObject({ balance: '495.00', allowance: '15.00', granted: '20.00' });
    expect(await held()).toBe('6.00');
    expect((await agent.pay('0.50')).status).toBe(200);
    await settled();
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });

  it('is refused with what to do when the allowance is short, before anything is signed', async () => {
    const before = store().transfers.lastSeq();
    const { status, body } = await allocate('15.000001');
    expect([status, body['code'], body['error']]).toEqual([
      402,
      'insufficient_balance',
      'The allowance on the cold treasury has 15.00 USDC left, and 15.000001 are asked for. Raise the allowance under Treasury.',
    ]);
    const [row] = store().transfers.list({ limit: 1 });
    expect([row?.seq, row?.state, row?.signed]).toEqual([before + 1, 'denied', null]);
  });

  it.each(Object.entries(changes))('is not signed when the allowance was %s since', async (_name, change) => {
    expect(await allocateWith('coldAccount', change)).toMatchObject({
      status: 402,
      state: 'cancelled',
      isSigned: false,
    });
    await refill();
  });

  it.each(Object.entries(changes))(
    'fails on the chain, and nothing is believed, when it was %s after the last look',
    async (_name, change) => {
      const { status, state, before } = await allocateWith('build', change);
      expect([status, state]).toEqual([502, 'failed']);
      expect(await held()).toBe(before);
      await refill();
    },
  );

  it('waits for nothing and nobody: one draw at a time, none while stopped or paused', async () => {
    const { host } = treasury;
    await cold.allow(treasury.owner, usdc);
    expect(await view()).toMatchObject({ drawable: '1.00' });
    const both = await Promise.all([allocate('0.60'), allocate('0.60')]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, expect.any(Number)]);
    expect(await cold.account()).toMatchObject({ allowance: 400_000n });
    expect((await post('cold/stop')).body).toMatchObject({ cold: { drawable: '0.00' } });
    expect((await allocate('0.10')).status).toBe(402);
    await post('cold/resume');
    await post('cold/pause', { paused: true });
    expect((await allocate('0.10')).body['error']).toContain('is being changed');
    await post('cold/pause', { paused: false });
    expect((await allocate('0.10')).status).toBe(200);
    await settled();
    expect(clean(await audit(host))).toEqual(allWell);
  });
});

describe('the honest number', () => {
  it('is what all wallets hold and the smaller of allowance and balance', async () => {
    const { allowance, balance } = await cold.account();
    const reach = allowance < balance ? allowance : balance;
    const { engine } = treasury.host;
    const wallets = engine.context.store.wallets.list().map(({ address }) => address);
    const { units } = await engine.context.chain.balances(wallets);
    const sum = units.reduce((all: bigint, one) => all + (one ?? 0n), 0n);
    expect(await exposure()).toMatchObject({
      amount: formatUsdc((sum + reach) as Usdc),
      cold: '0.30',
      returning: '0.00',
      isStale: false,
    });
  });
});

describe('the cold wallet', () => {
  it('is not exchanged while it allows a draw: a thief could still make it', async () => {
    const { status, body } = await post('cold', { address: other.address });
    expect([status, body['error']]).toEqual([
      409,
      `The cold treasury ${cold.address} still allows this treasury 0.30 USDC. Revoke the allowance with that wallet first.`,
    ]);
    expect((await treasury.client.call('DELETE', '/v1/cold')).status).toBe(409);
    expect(await view()).toMatchObject({ address: cold.address });
  });

  it('may be spent by its owner, which is none of ours', async () => {
    await cold.send(other.address, 100_000n);
    await treasury.host.engine.context.funds.compare();
    expect((await get('dashboard')).body['frozen']).toBe(false);
  });

  it('freezes everything when the treasury’s key draws and no row explains it', async () => {
    const { host } = treasury;
    const [from, to] = [cold.address, other.address];
    await drawAsThief(host.rpcUrl, host.vault.signingKey(0), { from, to, units: 100_000n });
    await host.engine.context.funds.compare();
    expect((await get('dashboard')).body).toMatchObject({
      frozen: true,
      freeze: { reason: expect.stringContaining('no payment explains it') },
    });
  });
});
