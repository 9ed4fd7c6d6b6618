// Paying over /v1, and the histories of payments and deposits.
import { PublicKey, SystemProgram } from '@solana/web3.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { deploy, until } from '../harness/treasury.ts';
import { client, payer, settled, treasury, useTreasury } from './api-treasury.ts';

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
