// The owner's view of the past: the list with its filters, one transfer, sums by day, and the preview of another
// policy.
import { beforeAll, describe, expect, it } from 'vitest';
import { deploy, type TestAgent } from '../harness/treasury.ts';
import { client, payer, settled, useTreasury } from './api-treasury.ts';

useTreasury();

let other: TestAgent;
let ids: string[];
const say = (description: string, amount: string) =>
  payer.client.post('/v1/agents/payer/pay', {
    service: 'sandbox-weather',
    amount,
    currency: 'USDC',
    description,
  });

beforeAll(async () => {
  other = await deploy(client, 'other', { dailyBudget: '1', maxPerPayment: '0.5', allocate: '5' });
  const paid = [await say('one % of Ötzi', '0.10'), await say('two_three', '0.20'), await say('', '0.30')];
  ids = paid.map(({ body }) => String(body['paymentId']));
  await other.pay('0.40');
  await other.pay('0.60');
  await settled();
});

const list = async (query: string): Promise<Record<string, unknown>[]> =>
  (await client.get(`/v1/activity?${query}`)).body['entries'];
const amounts = async (query: string): Promise<unknown[]> => (await list(query)).map(({ amount }) => amount);

describe('the activity', () => {
  it('holds every transfer and every refusal, newest first', async () => {
    const entries = await list('');
    expect(entries.map(({ kind, amount, status }) => `${kind} ${amount} ${status}`)).toEqual([
      'payment 0.60 denied',
      'payment 0.40 confirmed',
      'payment 0.30 confirmed',
      'payment 0.20 confirmed',
      'payment 0.10 confirmed',
      'allocation 5.00 confirmed',
      'allocation 50.00 confirmed',
    ]);
    expect(entries[0]).toMatchObject({ failure: { code: 'max_per_payment' }, txSignature: null });
  });

  it.each([
    ['agentId=other', ['0.60', '0.40', '5.00']],
    ['kind=allocation', ['5.00', '50.00']],
    ['status=denied', ['0.60']],
    ['status=confirmed&kind=payment', ['0.40', '0.30', '0.20', '0.10']],
    ['serviceId=sandbox-weather&agentId=payer', ['0.30', '0.20', '0.10']],
    ['q=%25', ['0.10']],
    ['q=w__three', []],
    ['q=TWO_', ['0.20']],
    ['q=Ötzi', ['0.10']],
    ['q=nothing like it', []],
    ['to=2020-01-01', []],
    ['from=2020-01-01&kind=allocation', ['5.00', '50.00']],
  ])('is filtered by %s', async (query, expected) => {
    expect(await amounts(query)).toEqual(expected);
  });

  it('continues where a page ended', async () => {
    const first = await list('limit=3');
    const rest = await list(`limit=500&before=${String(first.at(-1)?.['cursor'])}`);
    expect([...first, ...rest]).toEqual(await list(''));
  });

  it('is read page by page until nothing is older', async () => {
    const read: unknown[] = [];
    for (let before: number | null = null, page = ''; page === '' || before !== null;) {
      page = `/v1/activity?limit=3${before === null ? '' : `&before=${before}`}`;
      const { body } = await client.get(page);
      read.push(...(body['entries'] as unknown[]));
      before = body['next'] as number | null;
    }
    expect(read).toEqual(await list('limit=500'));
    expect((await client.get('/v1/activity?q=quicksilver')).body).toEqual({ entries: [], next: null });
  });

  it('finds a payment by its signature', async () => {
    const [entry] = await list(`q=${ids[0] ?? ''}`);
    expect(await amounts(`q=${String(entry?.['txSignature'])}`)).toEqual(['0.10']);
  });
});

describe('one transfer', () => {
  it('is returned with its states’ times, its fee and its receipt', async () => {
    const { body } = await client.get(`/v1/transfers/${ids[1] ?? ''}`);
    expect(body).toMatchObject({ id: ids[1], amount: '0.20', state: 'final', description: 'two_three' });
    expect(body['receipt']).toMatch(/^v1\./);
    const { asked, reserved, signed, sent, seen, ended } = body['times'];
    const order = [asked, reserved, signed, sent, seen, ended].map((time) => Date.parse(String(time)));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(Number(body['feeSol'])).toBeGreaterThan(0);
  });

  it('that does not exist is 404', async () => {
    expect((await client.get('/v1/transfers/pay_none')).status).toBe(404);
  });
});

describe('spending', () => {
  it('is summed by day, agent and service, and agrees with the statement', async () => {
    const { body } = await client.get('/v1/spending?days=2');
    expect(body['agents']).toEqual([
      { agentId: 'payer', amount: '0.60', payments: 3 },
      { agentId: 'other', amount: '0.40', payments: 1 },
    ]);
    expect(body['services']).toEqual([
      { serviceId: 'sandbox-weather', service: 'Sandbox Weather', amount: '1.00', payments: 4 },
    ]);
    const today = new Date().toISOString().slice(0, 10);
    for (const { day } of body['days']) expect([today, yesterday()]).toContain(day);
  });
});

const yesterday = (): string => new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

const preview = async (body: object) => (await client.post('/v1/agents/payer/policy/preview', body)).body;

describe('a preview of a policy', () => {
  it('allows the payments that were made when no field changes, and changes nothing itself', async () => {
    const before = (await client.get('/v1/agents/payer/policy')).body;
    expect(await preview({})).toEqual({
      days: 30,
      payments: 3,
      allowed: { amount: '0.60', payments: 3 },
      asked: { amount: '0.00', payments: 0 },
      refused: [],
      truncated: false,
    });
    await preview({ dailyBudget: '0' });
    expect((await client.get('/v1/agents/payer/policy')).body).toEqual(before);
  });

  it.each([
    [{ maxPerPayment: '0.20' }, { allowed: 2, asked: 0, refused: [['maxPerPayment', '0.30', 1]] }],
    [{ dailyBudget: '0.30' }, { allowed: 2, asked: 0, refused: [['dailyBudget', '0.30', 1]] }],
    [{ dailyBudget: '0.35' }, { allowed: 2, asked: 0, refused: [['dailyBudget', '0.30', 1]] }],
    [{ cooldownSeconds: 3_600 }, { allowed: 1, asked: 0, refused: [['cooldownSeconds', '0.50', 2]] }],
    [{ allowedServices: ['another'] }, { allowed: 0, asked: 0, refused: [['allowedServices', '0.60', 3]] }],
    [{ approveAbove: '0.15' }, { allowed: 1, asked: 2, refused: [] }],
    [{ newPayees: 'approve' }, { allowed: 2, asked: 1, refused: [] }],
  ])('under %j says how it would have decided', async (change, { allowed, asked, refused }) => {
    const body = await preview(change);
    expect(body['allowed'].payments).toBe(allowed);
    expect(body['asked'].payments).toBe(asked);
    expect(body['refused']).toEqual(refused.map(([rule, amount, payments]) => ({ rule, amount, payments })));
  });

  it('includes payments that the policy in force refused', async () => {
    const { body } = await client.post('/v1/agents/other/policy/preview', { maxPerPayment: '1' });
    expect(body).toMatchObject({ payments: 2, allowed: { amount: '1.00', payments: 2 }, refused: [] });
  });
});
