// The owner's view of the past: the list with its filters, one transfer, sums by day and under a filter, the preview of another
// policy, and the statement, as CSV and as JSON.
import { beforeAll, describe, expect, it } from 'vitest';
import { deploy, type TestAgent } from '../harness/treasury.ts';
import { client, newWallet, payer, settled, treasury, useTreasury } from './api-treasury.ts';

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
  const { store } = treasury.host.engine.context;
  const weather = store.services.get('sandbox-weather');
  if (weather === undefined) throw new Error('the sandbox sells the weather');
  store.atomically(() => store.services.upsert({ ...weather, id: 'maps', name: 'Maps' }));
  const payment = { service: 'maps', amount: '0.40', currency: 'USDC' };
  await other.client.post('/v1/agents/other/pay', payment);
  await other.pay('0.60');
  await settled();
});

const list = async (query: string): Promise<Record<string, unknown>[]> =>
  (await client.get(`/v1/activity?${query}`)).body['entries'];
const amounts = async (query: string): Promise<unknown[]> => (await list(query)).map(({ amount }) => amount);

describe('the activity', () => {
  it('has nothing where a status and an outcome exclude each other', async () => {
    expect(await list('status=failed&outcome=paid')).toEqual([]);
    expect((await client.get('/v1/activity/totals?status=failed&outcome=paid')).status).toBe(200);
  });

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
    expect((await client.get('/v1/activity?q=quicksilver')).body).toEqual({
      entries: [],
      next: null,
      zone: 'UTC',
    });
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
      { agentId: 'payer', amount: '0.60', payments: 3, requests: 0 },
      { agentId: 'other', amount: '0.40', payments: 1, requests: 0 },
    ]);
    expect(body['services']).toEqual([
      { serviceId: 'sandbox-weather', service: 'Sandbox Weather', amount: '0.60', payments: 3, requests: 0 },
      { serviceId: 'maps', service: 'Maps', amount: '0.40', payments: 1, requests: 0 },
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

describe('a search', () => {
  it('finds an agent by the name that is shown, also once it is archived', async () => {
    await deploy(client, 'worker-042', { allocate: null });
    await client.post('/v1/agents/worker-042/rename', { displayName: 'Wörker 42' });
    const { text } = await client.post('/v1/agents/worker-042/allocate', { amount: '0.01' });
    await client.post('/v1/agents/worker-042/recall', { amount: '0.01' });
    expect(text).toContain('confirmed');
    for (const query of ['Wörker 42', 'wöRKER', 'worker-042'])
      expect([query, await amounts(`q=${query}`)]).toEqual([query, ['0.01', '0.01']]);
    await settled();
    expect((await client.post('/v1/agents/worker-042/archive')).status).toBe(200);
    expect(await amounts('q=Wörker 42')).toEqual(['0.01', '0.01']);
    expect((await totals('q=Wörker 42'))['flows']).toMatchObject({ own: { amount: '0.02', count: 2 } });
  });

  it('finds an address, a signature and an id from their beginning alone', async () => {
    const [{ payee, txSignature, id }] = (await list('kind=allocation&agentId=other')) as [
      { payee: string; txSignature: string; id: string },
    ];
    for (const whole of [payee, txSignature, id]) {
      expect(await amounts(`q=${whole.slice(0, 12)}`)).toContain('5.00');
      expect(await amounts(`q=${whole.slice(5, 17)}`)).toEqual([]);
    }
  });
});

const totals = async (query = '') => (await client.get(`/v1/activity/totals?${query}`)).body;

describe('the totals', () => {
  it('sum what was paid by agent and by service, the largest first, without what was refused or moved', async () => {
    expect(await totals()).toMatchObject({
      amount: '1.00',
      payments: 4,
      settling: { amount: '0.00', payments: 0 },
      agents: [
        { agentId: 'payer', amount: '0.60', payments: 3 },
        { agentId: 'other', amount: '0.40', payments: 1 },
      ],
      services: [
        { serviceId: 'sandbox-weather', service: 'Sandbox Weather', amount: '0.60', payments: 3 },
        { serviceId: 'maps', service: 'Maps', amount: '0.40', payments: 1 },
      ],
    });
  });

  it('follow the filter in force', async () => {
    expect(await totals('agentId=other&serviceId=maps')).toMatchObject({ amount: '0.40', payments: 1 });
    expect(await totals('agentId=payer&serviceId=maps')).toMatchObject({ amount: '0.00', payments: 0 });
    expect(await totals('q=weather')).toMatchObject({ amount: '0.60' });
    expect(await totals('kind=allocation')).toMatchObject({ amount: '0.00', payments: 0, agents: [] });
    expect(await totals('to=2020-01-01')).toMatchObject({ amount: '0.00', services: [] });
  });

  it('agree with the statement of the same filter, row by row', async () => {
    const filter = 'agentId=payer&kind=payment&status=confirmed';
    const { text } = await client.get(`/v1/statement?format=json&${filter}`);
    const { transfers } = JSON.parse(text) as { transfers: { amount: string }[] };
    expect(transfers.map(({ amount }) => amount).toSorted()).toEqual(['0.10', '0.20', '0.30']);
    expect((await totals(filter))['amount']).toBe('0.60');
  });
});

/** RFC 4180, strictly. */
const parseCsv = (text: string): string[][] => {
  const rows: string[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/y;
  while (field.lastIndex < text.length) {
    const found = field.exec(text);
    if (found === null) throw new Error(`not RFC 4180 at ${field.lastIndex}`);
    const [, quoted, plain = '', end] = found;
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '\r\n' && field.lastIndex < text.length) rows.push([]);
  }
  return rows;
};

const count = async (query: string): Promise<number> => {
  const { status, text } = await client.get(`/v1/statement?format=json${query}`);
  expect(status, text).toBe(200);
  return (JSON.parse(text) as { transfers: [] }).transfers.length;
};

const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

describe('the statement', () => {
  const texts = [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '=HYPERLINK("http://evil.com","x")',
    'a,b',
    'say "hi"',
    'plain',
    "it's",
    '＝1+1',
  ];
  beforeAll(async () => {
    for (const description of texts)
      await payer.client.post('/v1/agents/payer/pay', {
        service: 'sandbox-weather',
        amount: '0.001',
        currency: 'USDC',
        description,
      });
    await client.post('/v1/agents/payer/recall', { amount: '1' });
    await client.post(
      '/v1/treasury/withdraw',
      { asset: 'SOL', to: newWallet(), amount: '0.1' },
      { key: 'out' },
    );
    await settled();
  });

  it('as CSV is RFC 4180, and no field of it starts a formula', async () => {
    const { status, text, headers } = await client.get('/v1/statement');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(headers['content-disposition']).toContain('attachment');
    expect(text.endsWith('\r\n')).toBe(true);
    const [head = [], ...rows] = parseCsv(text);
    expect(head).toEqual([
      'timestamp',
      'id',
      'kind',
      'agentId',
      'service',
      'amount',
      'currency',
      'status',
      'txSignature',
      'payee',
      'description',
      'reason',
      'group',
      'outcome',
    ]);
    expect(rows).toHaveLength([...treasury.host.engine.context.store.transfers.iterate({})].length);
    for (const row of rows) expect(row).toHaveLength(head.length);
    for (const field of rows.flat()) expect(field).not.toMatch(/^[=+\-@\t\r＝＋－＠]/);
    const descriptions = rows.map((row) => row[head.indexOf('description')]?.replace(/^'/, ''));
    for (const wanted of texts) expect(descriptions).toContain(wanted);
  });

  it('as JSON holds the same rows, with text unchanged', async () => {
    const { text, headers } = await client.get('/v1/statement?format=json');
    expect(headers['content-type']).toContain('application/json');
    const { transfers } = JSON.parse(text) as { transfers: Record<string, string>[] };
    const rows = parseCsv((await client.get('/v1/statement?format=csv')).text).slice(1);
    expect(transfers.map(({ id }) => id)).toEqual(rows.map(([, id]) => id));
    expect(transfers.map(({ description }) => description)).toEqual(expect.arrayContaining(texts));
    expect(new Set(transfers.map(({ kind }) => kind))).toEqual(
      new Set(['payment', 'allocation', 'recall', 'withdrawal']),
    );
  });

  it('names the group that a payment was charged to, after its agent has moved and the group is archived', async () => {
    const { body } = await client.post('/v1/groups', { name: '=Research' });
    const agent = await deploy(client, 'grouped');
    await client.post('/v1/agents/grouped/group', { groupId: body['groupId'] });
    expect((await agent.pay('0.01')).status).toBe(200);
    await client.post('/v1/agents/grouped/group', { groupId: null });
    await client.post(`/v1/groups/${String(body['groupId'])}/archive`);
    expect((await agent.pay('0.02')).status).toBe(200);
    await settled();
    const { text } = await client.get('/v1/statement?format=json&agentId=grouped&kind=payment');
    const { transfers } = JSON.parse(text) as { transfers: Record<string, string>[] };
    expect(transfers.map(({ amount, group }) => [amount, group])).toEqual([
      ['0.02', ''],
      ['0.01', '=Research'],
    ]);
    const [, ...rows] = parseCsv((await client.get('/v1/statement?agentId=grouped&kind=payment')).text);
    expect(rows.map((row) => row.slice(-2))).toEqual([
      ['', 'Paid'],
      ["'=Research", 'Paid'],
    ]);
  });

  it('includes both ends of its period: whole days, points in time to the millisecond', async () => {
    const all = [...treasury.host.engine.context.store.transfers.iterate({})];
    const first = new Date(Math.min(...all.map(({ createdAt }) => createdAt))).toISOString();
    const last = new Date(Math.max(...all.map(({ createdAt }) => createdAt))).toISOString();
    expect(await count('')).toBe(all.length);
    expect(await count(`&from=${first.slice(0, 10)}&to=${last.slice(0, 10)}`)).toBe(all.length);
    expect(await count(`&from=${first}&to=${last}`)).toBe(all.length);
    expect(await count(`&to=${day(-2)}`)).toBe(0);
    expect(await count(`&from=${day(2)}`)).toBe(0);
    expect(await count(`&from=${first}&to=${first}`)).toBe(
      all.filter(({ createdAt }) => createdAt === Date.parse(first)).length,
    );
    expect(await count(`&from=${day(1)}&to=${day(-1)}`)).toBe(0);
  });
});

describe('sorted by amount', () => {
  it('comes page by page, the largest first, USDC before SOL, and equal ones the newest first', async () => {
    const all = await list('limit=500');
    const expected = all.toSorted((a, b) => {
      const [first, second] = [a, b].map(({ currency }) => (currency === 'SOL' ? 1 : 0));
      return (
        Number(first) - Number(second) ||
        Number(b['amount']) - Number(a['amount']) ||
        Number(b['cursor']) - Number(a['cursor'])
      );
    });
    const read: unknown[] = [];
    for (let before: unknown = '', pages = 0; before !== null && pages < 50; pages += 1) {
      const { body } = await client.get(
        `/v1/activity?sort=amount&limit=4${before === '' ? '' : `&before=${String(before)}`}`,
      );
      read.push(...(body['entries'] as unknown[]));
      before = body['next'];
    }
    expect(read).toEqual(expected);
    expect(await amounts('sort=amount&agentId=payer&kind=payment&limit=2')).toEqual(['0.30', '0.20']);
  });
});
