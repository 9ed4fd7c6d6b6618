// The statement, as CSV and as JSON.
import { beforeAll, describe, expect, it } from 'vitest';
import { client, newWallet, payer, settled, treasury, useTreasury } from './api-treasury.ts';
import { deploy } from '../harness/treasury.ts';

useTreasury();

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
    expect(rows.map((row) => row.at(-1))).toEqual(['', "'=Research"]);
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
