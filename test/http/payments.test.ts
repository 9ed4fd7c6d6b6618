// Paying over /v1, the histories of payments and deposits, the owner’s transfers and ceiling, and the two ways to stop all.
import { PublicKey, SystemProgram } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usdc } from '../../server/money.ts';
import { usdcMints } from '../../server/contract/treasury/networks.ts';
import { createColdWallet } from '../harness/chain/cold-wallet.ts';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { deploy, openTreasury, rpcCall, type Treasury, until } from '../harness/treasury.ts';
import { client, newWallet, payer, settled, treasury, useTreasury } from './api-treasury.ts';

useTreasury();

describe('pay', () => {
  const path = '/v1/agents/payer/pay';

  it('answers with the result of the specification, and its receipt opens the paid API', async () => {
    const { status, body } = await payer.pay('0.01');
    expect(status).toBe(200);
    expect(body).toMatchObject({ amount: '0.01', currency: 'USDC', status: 'confirmed' });
    expect(body['xPaymentHeader']).toMatch(/^v1\.[A-Za-z0-9+/]+=*$/);
    const url = `${treasury.host.url}/sandbox/weather?city=Bern`;
    expect((await fetch(url)).status).toBe(402);
    expect((await fetch(url, { headers: { 'X-Payment': body['xPaymentHeader'] } })).status).toBe(200);
    const { body: told } = await client.get(`/v1/agents/payer/payments/${body['paymentId']}`);
    expect(told).toMatchObject({ ...body, service: 'sandbox-weather', agentId: 'payer', failure: null });
  });

  it('is 404 for an unknown service', async () => {
    const unknown = await payer.client.post(path, {
      service: 'no such service',
      amount: '0.01',
      currency: 'USDC',
    });
    expect([unknown.status, unknown.body['code']]).toEqual([404, 'not_found']);
  });

  it('is 202 without a wait, and can be asked about', async () => {
    const { status, body } = await payer.pay('0.02', { prefer: 'wait=0' });
    expect([status, body['status']]).toEqual([202, 'pending']);
    const told = await until('confirmation', async () => {
      const answer = await client.get(`/v1/agents/payer/payments/${body['paymentId']}`);
      return answer.body['status'] === 'confirmed' && answer.body;
    });
    expect(told['xPaymentHeader']).toMatch(/^v1\./);
  });

  it.each([
    ['maxPerPayment', { maxPerPayment: '0.5' }, '0.51', 'max_per_payment'],
    ['dailyBudget', { dailyBudget: '0' }, '0.01', 'daily_budget'],
    ['cooldownSeconds', { cooldownSeconds: 3_600 }, '0.01', 'cooldown'],
    ['allowedServices', { allowedServices: ['another'] }, '0.01', 'service_not_allowed'],
  ])('is 402 by the rule %s, names it, and asks for no approval', async (rule, policy, amount, code) => {
    const { policy: before } = (await client.get('/v1/agents/payer/policy')).body;
    await client.post('/v1/agents/payer/policy', policy);
    const { status, body, headers } = await payer.pay(amount);
    expect([status, body['code'], body['details'].rule]).toEqual([402, code, rule]);
    if (code === 'cooldown') {
      expect(Date.parse(body['details'].retryAt)).toBeGreaterThan(Date.now());
      expect(Number(headers['retry-after'])).toBeGreaterThan(3_000);
    } else expect(headers['retry-after']).toBeUndefined();
    const { body: told } = await client.get(`/v1/agents/payer/payments/${body['details'].paymentId}`);
    expect(told).toMatchObject({
      status: 'denied',
      txSignature: null,
      xPaymentHeader: null,
      failure: { code },
    });
    await client.post('/v1/agents/payer/policy', before);
  });

  it('is 402 beyond the wallet’s balance', async () => {
    const poor = await deploy(client, 'poor', { allocate: null });
    const { status, body } = await poor.pay('0.01');
    expect([status, body['code'], body['details'].available]).toEqual([402, 'insufficient_balance', '0.00']);
  });
});

const amounts = (body: Record<string, { amount: string }[]>): string[] =>
  body['payments']?.map(({ amount }) => amount) ?? [];

describe('the histories', () => {
  beforeAll(async () => {
    for (let n = 0; n < 45; n += 1) await payer.pay(`0.0${n + 10}`);
    await payer.pay('2.01');
    await settled();
  });

  it('of spending are newest first, 20 unless asked otherwise, without denied payments', async () => {
    const { body } = await payer.client.get('/v1/agents/payer/spend-history');
    expect(body['payments']).toHaveLength(20);
    expect(amounts(body)[0]).toBe('0.054');
    expect(body['payments'][0]).toMatchObject({
      service: 'Sandbox Weather',
      serviceId: 'sandbox-weather',
      agentId: 'payer',
      currency: 'USDC',
      status: 'confirmed',
    });
    const all = await payer.client.get('/v1/agents/payer/spend-history?limit=500');
    expect(amounts(all.body)).not.toContain('2.01');
    const times = all.body['payments'].map((one: { timestamp: string }) => one.timestamp);
    expect(times.toSorted().toReversed()).toEqual(times);
    expect((await payer.client.get('/v1/agents/payer/spend-history?limit=1')).body['payments']).toHaveLength(
      1,
    );
  });

  it('of spending continue at a cursor, without a gap or a repetition', async () => {
    const all = (await payer.client.get('/v1/agents/payer/spend-history?limit=500')).body['payments'];
    const paged: unknown[] = [];
    for (let before = ''; ;) {
      const { body } = await payer.client.get(`/v1/agents/payer/spend-history?limit=7${before}`);
      if (body['payments'].length === 0) break;
      paged.push(...body['payments']);
      before = `&before=${body['payments'].at(-1).cursor}`;
    }
    expect(paged).toEqual(all);
  });

  it('on the dashboard hold denials, at most 50 entries, and the time in UTC', async () => {
    const { body } = await client.get('/v1/dashboard');
    expect(body['recentActivity']).toHaveLength(50);
    const [denied, approved] = body['recentActivity'];
    expect(denied).toMatchObject({
      agent: 'payer',
      venue: 'Sandbox Weather',
      amount: '2.01',
      rail: 'sol',
      status: 'denied',
    });
    expect(approved).toMatchObject({ status: 'approved' });
    for (const { time, timestamp } of body['recentActivity']) expect(time).toBe(timestamp.slice(11, 16));
    const own = body['agents'].find((one: { agentId: string }) => one.agentId === 'payer');
    const paid = (await client.get('/v1/agents/payer/spend-history?limit=500')).body['payments'] as {
      amount: string;
    }[];
    expect(own.lifetimePayments).toBe(paid.length);
    expect(Number(own.lifetimeSpent)).toBeCloseTo(
      paid.reduce((sum, { amount }) => sum + Number(amount), 0),
      6,
    );
    expect(own.spentToday).toBe(own.lifetimeSpent);
    expect(own.policy).toEqual({ dailyBudget: '100.00' });
    expect(body['treasury']).toMatchObject({ walletAddress: treasury.owner, currency: 'USDC', decimals: 6 });
    expect(body['treasury'].amount).toMatch(/^\d+$/);
    expect(body).toMatchObject({ network: 'sandbox', frozen: false, locked: false, pendingApprovals: 0 });
  });

  it('of deposits hold USDC from outside: newest first, with a cursor, without recalls', async () => {
    const first = await client.post('/v1/sandbox/faucet', { amount: '1.25' });
    expect(first.body).toMatchObject({ amount: '1.25', currency: 'USDC' });
    const two = await client.post('/v1/sandbox/faucet', { amount: '0.000001' });
    const { body } = await client.get('/v1/treasury/deposits');
    const all = body['deposits'].map(
      ({ amount, currency }: Record<string, string>) => `${amount} ${currency}`,
    );
    expect(all.filter((one: string) => one.endsWith('USDC'))).toEqual([
      '0.000001 USDC',
      '1.25 USDC',
      '1000.00 USDC',
    ]);
    expect(body['deposits'][0].txSignature).toBe(two.body['txSignature']);
    const large = (await client.get('/v1/treasury/deposits?least=0.01')).body['deposits'];
    expect(large.map(({ amount }: { amount: string }) => amount)).not.toContain('0.000001');
    expect(large.length).toBe(body['deposits'].length - 1);
    expect((await client.get('/v1/treasury/deposits?least=0')).status).toBe(400);
    const cursor = body['deposits'][0].cursor;
    const rest = await client.get(`/v1/treasury/deposits?limit=1&before=${cursor}`);
    expect(rest.body['deposits'].map((one: { amount: string }) => one.amount)).toEqual(['1.25']);
  });
});

describe('a service whose payee is no wallet', () => {
  const offCurve = PublicKey.findProgramAddressSync(
    [Buffer.from('vault')],
    SystemProgram.programId,
  )[0].toBase58();

  it.each([
    ['the address of a program’s account', [offCurve], 'it has no USDC account', [501, 'not_available']],
    ['nothing at all', [], 'odd names no wallet', [400, 'bad_request']],
  ])('(%s) is reported as such, and nothing is paid', async (_, payees, why, refused) => {
    const { store } = treasury.host.engine.context;
    const weather = store.services.get('sandbox-weather');
    if (weather === undefined) throw new Error('the sandbox has its weather');
    store.atomically(() => store.services.upsert({ ...weather, id: 'odd', payees }));
    const before = store.transfers.lastSeq();
    const { status, body } = await payer.client.post('/v1/agents/payer/pay', {
      service: 'odd',
      amount: '0.01',
      currency: 'USDC',
    });
    expect([status, body['code']]).toEqual(refused);
    expect(body['error']).toContain(why);
    expect(store.transfers.lastSeq()).toBe(before);
  });
});

const send = (): Promise<{ text: string }> =>
  client.post('/v1/agents/fresh/allocate', { amount: '0.1' }, { key: 'once' });

describe('allocate and recall', () => {
  beforeAll(() => deploy(client, 'fresh', { maxPerPayment: '1.5', allocate: null }));

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

  it('sends a deposit back to its payer once, in part too, with the memo of a seller’s refund', async () => {
    const buyer = await createColdWallet(treasury.host.rpcUrl, 1_000_000n);
    await buyer.send(treasury.owner, 500_000n);
    const listed = async () => {
      const all: Record<string, string>[] = (await client.get('/v1/treasury/deposits')).body['deposits'];
      expect(all.find(({ from }) => from === 'mint')).toMatchObject({ mayBeSentBack: false });
      return all.find(({ from, status }) => from === buyer.address && status === 'final');
    };
    const deposit = await until('the deposit to be final', listed);
    expect(deposit).toMatchObject({ mayBeSentBack: true, sentBackBy: null });
    const { txSignature: refundOf } = deposit;
    const body = { asset: 'USDC', to: buyer.address, amount: '0.2', refundOf };
    const refusals: [object, string][] = [
      [{ ...body, to: newWallet() }, `to: must be the payer of this deposit, ${buyer.address}`],
      [{ ...body, amount: '0.500001' }, 'amount: must be at most the 0.50 USDC of this deposit'],
      [
        { ...body, refundOf: '2'.repeat(88) },
        'refundOf: the treasury has no final deposit of this transaction',
      ],
      [{ ...body, asset: 'SOL' }, 'refundOf: '],
    ];
    for (const [wrong, error] of refusals) {
      const answer = await withdraw(wrong);
      expect([answer.status, answer.body['error']]).toEqual([400, expect.stringContaining(error)]);
    }
    const answers = await Promise.all([withdraw(body), withdraw(body)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const { transferId } = answers.find(({ status }) => status === 200)?.body ?? {};
    expect(await listed()).toMatchObject({ mayBeSentBack: false, sentBackBy: transferId });
    expect((await withdraw({ ...body, amount: '0.1' })).body['error']).toContain('was sent back already');
    await settled();
    const [row] = treasury.host.engine.context.store.transfers.list({ kinds: ['withdrawal'], limit: 1 });
    const signature = row?.signed?.signature;
    const history = await rpcCall(treasury.host.rpcUrl, 'getSignaturesForAddress', [
      treasury.owner,
      { limit: 1 },
    ]);
    expect(history).toMatchObject([{ signature, memo: expect.stringContaining(`refund:${refundOf}`) }]);
    const sale = { txSignature: refundOf, recipient: treasury.owner, amount: '0.5', name: 'GET /x' };
    const twice = [sale, sale, { ...sale, amount: '0.4' }];
    expect((await client.post('/v1/books/sales', { sales: twice })).body).toMatchObject({
      deposits: { entries: 1, amount: '0.50' },
    });
    const { text } = await client.get('/v1/books?format=hledger');
    expect(text.match(/Income:Sales:GET-x +-?[\d.]+/g)).toEqual([
      expect.stringMatching(/ -0\.5/),
      expect.stringMatching(/ 0\.2/),
    ]);
  });

  it('is not offered for a deposit from an account of an agent of its own', async () => {
    const agent = await deploy(client, 'two-accounts', { allocate: null });
    const { store, time } = treasury.host.engine.context;
    const came = {
      wallet: treasury.owner,
      asset: 'USDC',
      amount: usdc(1n),
      slot: 1,
      at: time.now(),
    } as const;
    const ids = { id: 'dep_second', txSignature: '5'.repeat(88), from: agent.wallet };
    store.atomically(() => store.deposits.insert({ ...came, ...ids, status: 'final' }));
    const { deposits } = (await client.get('/v1/treasury/deposits')).body;
    expect(deposits.find(({ from }: { from: string }) => from === agent.wallet)).toMatchObject({
      mayBeSentBack: false,
    });
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

describe('a label of an address', () => {
  it('is given, changed and removed by the owner; agents see none, and the journal covers it', async () => {
    const address = newWallet();
    const set = async (label: string | null) =>
      (await client.post('/v1/labels', { address, label })).body['labels'];
    expect(await set('Accountant')).toEqual([{ address, label: 'Accountant' }]);
    expect(await set('Exchange')).toEqual([{ address, label: 'Exchange' }]);
    expect((await client.get('/v1/labels')).body['labels']).toEqual([{ address, label: 'Exchange' }]);
    const { client: agent } = await deploy(client, 'no-labels');
    expect((await agent.get('/v1/labels')).status).toBe(403);
    expect((await agent.post('/v1/labels', { address, label: 'Mine' })).status).toBe(403);
    expect((await client.post('/v1/labels', { address, label: ' ' })).status).toBe(400);
    expect(await set(null)).toEqual([]);
    expect(await set('Exchange')).toHaveLength(1);
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });
});

describe('the owner’s ceiling', () => {
  it('is null at first, is set, read and lifted', async () => {
    const { body } = await client.get('/v1/treasury/policy');
    expect(body['dailyBudget']).toBeNull();
    expect((await client.post('/v1/treasury/policy', { dailyBudget: '0.000001' })).body).toEqual({
      ...body,
      dailyBudget: '0.000001',
      // The first of what was spent is a day old then.
      inForce: { dailyBudget: '0.000001', boost: null, freeAt: expect.stringMatching(/^20/) },
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
