// The owner’s transfers over /v1, the ceiling, and the two ways to stop everything.
import { PublicKey } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usdcMints } from '../../server/contract/networks.ts';
import { deploy, openTreasury, rpcCall, type Treasury } from '../harness/treasury.ts';
import { client, newWallet, payer, settled, treasury, useTreasury } from './api-treasury.ts';

useTreasury();
/** The agent that these tests change. */
beforeAll(async () => {
  await client.post('/v1/agents/deploy', { agentId: 'fresh', dailyBudget: '5', maxPerPayment: '1.5' });
});

const send = (): Promise<{ text: string }> =>
  client.post('/v1/agents/fresh/allocate', { amount: '0.1' }, { key: 'once' });

describe('allocate and recall', () => {
  it('move USDC and answer with the transfer and the agent’s balance', async () => {
    const first = await client.post('/v1/agents/fresh/allocate', { amount: '3.5', currency: 'USDC' });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      agentId: 'fresh',
      amount: '3.50',
      currency: 'USDC',
      status: 'confirmed',
      balance: '3.50',
    });
    const back = await client.post('/v1/agents/fresh/recall', { amount: '1' });
    expect(back.body).toMatchObject({
      agentId: 'fresh',
      amount: '1.00',
      status: 'confirmed',
      balance: '2.50',
    });
  });

  it('are 402 beyond the balance', async () => {
    const more = await client.post('/v1/agents/fresh/allocate', { amount: '100000' });
    expect([more.status, more.body['code']]).toEqual([402, 'insufficient_balance']);
    const back = await client.post('/v1/agents/fresh/recall', { amount: '100' });
    expect([back.status, back.body['code']]).toEqual([402, 'insufficient_balance']);
  });

  it('are made once under one idempotency key', async () => {
    const [one, two] = await Promise.all([send(), send()]);
    await settled();
    expect(JSON.parse(one.text).transferId).toBe(JSON.parse(two.text).transferId);
    expect((await client.get('/v1/agents/fresh/balance')).body['balance']).toBe('2.60');
  });
});

let keys = 0;
const withdraw = (body: object, key: string | null = `key ${(keys += 1)}`) =>
  client.post('/v1/treasury/withdraw', body, key === null ? {} : { key });

describe('withdraw', () => {
  it('needs an Idempotency-Key', async () => {
    const { status, body } = await withdraw({ asset: 'USDC', to: newWallet(), amount: '1' }, null);
    expect(status).toBe(400);
    expect(body['error']).toMatch(/^Idempotency-Key: /);
  });

  it('sends USDC once under one key, to a wallet that never had any', async () => {
    const to = newWallet();
    const first = await withdraw({ asset: 'USDC', to, amount: '2.000001' }, 'out');
    expect(first.status, first.text).toBe(200);
    expect(first.body).toMatchObject({
      agentId: null,
      amount: '2.000001',
      currency: 'USDC',
      status: 'confirmed',
    });
    await settled();
    const { text } = await withdraw({ asset: 'USDC', to, amount: '2.000001' }, 'out');
    expect(JSON.parse(text).transferId).toBe(first.body['transferId']);
    expect((await withdraw({ asset: 'USDC', to, amount: '2' }, 'out')).status).toBe(409);
  });

  it('sends SOL', async () => {
    const before = Number((await client.get('/v1/dashboard')).body['treasury'].sol);
    const { status, body } = await withdraw({ asset: 'SOL', to: newWallet(), amount: '0.5' });
    expect([status, body['amount'], body['currency']]).toEqual([200, '0.50', 'SOL']);
    await treasury.host.engine.context.funds.refreshLamports();
    expect(Number((await client.get('/v1/dashboard')).body['treasury'].sol)).toBeLessThan(before - 0.499);
  });

  it('is 402 beyond what the treasury holds', async () => {
    for (const asset of ['USDC', 'SOL']) {
      const { status, body } = await withdraw({ asset, to: newWallet(), amount: '99999' });
      expect([asset, status, body['code']]).toEqual([asset, 402, 'insufficient_balance']);
    }
  });

  it('sends USDC to a multisig that has a USDC account, and nothing to one that has none', async () => {
    const [first, second] = ['first', 'second'].map((seed) =>
      PublicKey.findProgramAddressSync(
        [Buffer.from(seed)],
        new PublicKey('SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf'),
      )[0].toBase58(),
    );
    await rpcCall(treasury.host.rpcUrl, 'sandbox_fundUsdc', [first, '0']);
    expect(await withdraw({ asset: 'USDC', to: first, amount: '0.25' })).toMatchObject({ status: 200 });
    for (const wrong of [
      { asset: 'SOL', to: first },
      { asset: 'USDC', to: second },
    ]) {
      const { status, body } = await withdraw({ ...wrong, amount: '0.1' });
      expect([status, body['error']]).toEqual([
        400,
        expect.stringMatching(/^to: this is not the address of a wallet/),
      ]);
    }
  });

  it('does not go to USDC itself, though somebody opened an account for it', async () => {
    await rpcCall(treasury.host.rpcUrl, 'sandbox_fundUsdc', [usdcMints.sandbox, '0']);
    const { status, body } = await withdraw({ asset: 'USDC', to: usdcMints.sandbox, amount: '0.1' });
    expect([status, body['error']]).toEqual([400, expect.stringMatching(/^to: this is not the address/)]);
  });

  it('goes neither to a program’s address nor back to the treasury itself', async () => {
    const seeds = [Buffer.from('x')];
    const [derived] = PublicKey.findProgramAddressSync(
      seeds,
      new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
    );
    for (const to of [derived.toBase58(), treasury.owner, '1'.repeat(44), 'z'.repeat(44)]) {
      for (const asset of ['USDC', 'SOL']) {
        const { status, body } = await withdraw({ asset, to, amount: '0.1' });
        expect([to, status]).toEqual([to, 400]);
        expect(body['error']).toMatch(/^to: /);
      }
    }
  });
});

describe('the owner’s ceiling', () => {
  it('is null at first, is set, read and lifted', async () => {
    const { body } = await client.get('/v1/treasury/policy');
    expect(body['dailyBudget']).toBeNull();
    expect((await client.post('/v1/treasury/policy', { dailyBudget: '0.000001' })).body).toEqual({
      ...body,
      dailyBudget: '0.000001',
    });
    const refused = await payer.pay('0.01');
    expect([refused.status, refused.body['code']]).toEqual([402, 'owner_ceiling']);
    expect((await client.post('/v1/treasury/policy', { dailyBudget: null })).body).toEqual(body);
    expect((await payer.pay('0.01')).status).toBe(200);
  });
});

describe('freeze and lock', () => {
  it('stop payments and allocations with 403 and report what may still land', async () => {
    const frozen = await client.post('/v1/freeze', { reason: 'lunch' });
    expect(frozen.body).toMatchObject({
      frozen: true,
      reason: 'lunch',
      mayStillLand: { payments: 0, amount: '0.00', until: null },
    });
    expect((await client.post('/v1/freeze', { reason: 'other' })).body).toEqual(frozen.body);
    const refused = [
      await payer.pay('0.01'),
      await client.post('/v1/agents/payer/allocate', { amount: '1' }),
    ];
    for (const { status, body } of refused) expect([status, body['code']]).toEqual([403, 'frozen']);
    expect((await client.get('/v1/dashboard')).body['frozen']).toBe(true);
    expect((await client.post('/v1/unfreeze')).body).toMatchObject({
      frozen: false,
      since: null,
      reason: null,
    });
    expect((await payer.pay('0.01')).status).toBe(200);
  });

  it('drop the signing keys from memory: routes that sign are 503, routes that read still work', async () => {
    expect((await client.post('/v1/lock')).body).toEqual({ locked: true });
    const body = { agentId: 'late', dailyBudget: '1', maxPerPayment: '1' };
    const refused = [
      await payer.pay('0.01'),
      await client.post('/v1/agents/payer/allocate', { amount: '1' }),
      await client.post('/v1/agents/payer/recall', { amount: '1' }),
      await client.post(
        '/v1/treasury/withdraw',
        { asset: 'USDC', to: newWallet(), amount: '1' },
        { key: 'locked' },
      ),
      await client.post('/v1/agents/deploy', body),
    ];
    for (const answer of refused) expect([answer.status, answer.body['code']]).toEqual([503, 'locked']);
    expect((await client.get('/v1/dashboard')).body['locked']).toBe(true);
    expect((await payer.client.get('/v1/agents/payer/spend-history')).status).toBe(200);
    const guess = await client.post('/v1/unlock', { passphrase: 'this vault has none' });
    expect([guess.status, guess.body['details'].reason]).toEqual([400, 'no_passphrase']);
    expect((await client.get('/v1/dashboard')).body['locked']).toBe(true);
    expect((await client.post('/v1/unlock')).body).toEqual({ locked: false });
    expect((await payer.pay('0.01')).status).toBe(200);
    expect((await client.post('/v1/agents/deploy', body)).status).toBe(200);
  });
});

describe('a balance', () => {
  let slow: Treasury;
  beforeAll(async () => {
    slow = await openTreasury({ args: ['--slot-ms', '60000', '--confirm-ms', '0', '--finalize-ms', '0'] });
  });
  afterAll(() => slow.close());

  it('that was read in the slot of a payment is read again after it', async () => {
    const agent = await deploy(slow.client, 'reader', { allocate: '1' });
    const read = async (): Promise<string> =>
      (await agent.client.get('/v1/agents/reader/balance')).body['balance'];
    expect(await read()).toBe('1.00');
    expect((await agent.pay('0.6')).status).toBe(200);
    expect(await read()).toBe('0.40');
  });

  it('that was read in the slot of a payment is not spent twice', async () => {
    const agent = await deploy(slow.client, 'spender', { allocate: '1' });
    expect((await agent.client.get('/v1/agents/spender/balance')).body['balance']).toBe('1.00');
    expect((await agent.pay('0.6')).status).toBe(200);
    const refused = await agent.pay('0.6');
    expect([refused.status, refused.body['code']]).toEqual([402, 'insufficient_balance']);
  });
});
