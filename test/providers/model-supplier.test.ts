// Requests to a supplier of language models, against a local server; and the prices of models.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeEach, beforeAll, expect, it } from 'vitest';
import type { SupplierRequest } from '../../server/engine/ports.ts';
import { createPriceList } from '../../server/providers/model-prices.ts';
import { createModelSender } from '../../server/providers/model-supplier.ts';
import { until } from '../harness/treasury.ts';

const key = 'sk-0123456789-secret';
let asked: { message: IncomingMessage; body: string }[] = [];
let answer: (response: ServerResponse) => unknown;
const sockets = new Set<Socket>();
const server = createServer((message, response) => {
  sockets.add(message.socket);
  let body = '';
  message.setEncoding('utf8').on('data', (text: string) => (body += text));
  message.on('end', () => {
    asked.push({ message, body });
    answer(response);
  });
});
const own = 'http://127.0.0.1:9';
const sender = createModelSender({ allowOrigins: [], ownOrigins: () => [own] });
let baseUrl = '';
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
beforeEach(() => {
  asked = [];
  sockets.clear();
});
afterAll(() => {
  sender.close();
  server.close();
});

type Changes = Partial<Omit<SupplierRequest, 'supplier'>> & {
  supplier?: Partial<SupplierRequest['supplier']>;
};
const ask = ({ supplier, ...rest }: Changes = {}) =>
  sender.ask({
    supplier: { name: 'Mine', kind: 'openai-compatible', baseUrl, allowPrivate: true, ...supplier },
    key,
    path: '/chat/completions',
    body: '{"model":"m"}',
    headers: {},
    signal: new AbortController().signal,
    ...rest,
  });
const textOf = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  let text = '';
  for await (const piece of body) text += Buffer.from(piece).toString();
  return text;
};
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'no refusal',
    (error: { message: string; details?: object; cause?: Error }) => ({
      said: [error.message, error.cause?.message].filter(Boolean).join(' '),
      ...error.details,
    }),
  );

it('sends exactly the body to the one path, with the key in one header and nothing of who asked', async () => {
  answer = (response) => response.setHeader('set-cookie', 'a=b').setHeader('request-id', 'r1').end('{}');
  const headers = {
    Authorization: 'Bearer of-the-agent',
    'x-api-key': 'of-the-agent',
    Cookie: 'a=b',
    'X-Forwarded-For': '10.0.0.1',
    'accept-encoding': 'gzip',
    'anthropic-beta': 'some',
  };
  const first = await ask({ headers });
  expect([first.status, first.headers['set-cookie'], first.headers['request-id']]).toEqual([
    200,
    undefined,
    'r1',
  ]);
  expect(await textOf(first.body)).toBe('{}');
  const [{ message, body } = { message: undefined, body: '' }] = asked;
  expect([message?.method, message?.url, body]).toEqual(['POST', '/v1/chat/completions', '{"model":"m"}']);
  expect(message?.headers).toEqual({
    accept: '*/*',
    'accept-encoding': 'identity',
    'anthropic-beta': 'some',
    authorization: `Bearer ${key}`,
    connection: 'keep-alive',
    'content-length': '13',
    'content-type': 'application/json',
    host: new URL(baseUrl).host,
    'user-agent': 'agent-treasury',
  });
  await textOf((await ask()).body);
  expect(sockets.size).toBe(1);
});

it('names Anthropic’s key and version in its own headers', async () => {
  answer = (response) => response.end('{}');
  const anthropic = createModelSender({ allowOrigins: [new URL(baseUrl).origin], ownOrigins: () => [own] });
  const supplier = { name: 'Claude', kind: 'anthropic', baseUrl, allowPrivate: false } as const;
  const request = { supplier, key, path: '/models', headers: {}, signal: new AbortController().signal };
  await textOf((await anthropic.ask(request)).body);
  const { method, headers } = asked[0]?.message ?? {};
  expect([method, headers?.['x-api-key'], headers?.['anthropic-version'], headers?.authorization]).toEqual([
    'GET',
    key,
    '2023-06-01',
    undefined,
  ]);
  anthropic.close();
});

it('hands a stream on piece by piece, and ends the connection when it is no longer wanted', async () => {
  let open: ServerResponse | undefined;
  answer = (response) => {
    open = response;
    response.write('data: 1\n\n');
  };
  const end = new AbortController();
  const { body } = await ask({ signal: end.signal });
  const pieces = body[Symbol.asyncIterator]();
  expect(String(Buffer.from((await pieces.next()).value as Uint8Array))).toBe('data: 1\n\n');
  end.abort(new Error('no longer wanted'));
  await expect(pieces.next()).rejects.toThrow('no longer wanted');
  await until('the connection to end', () => open?.destroyed === true);
});

it.each([
  ['a header', (response: ServerResponse) => response.setHeader('x-debug', `key ${key}`).end('{}')],
  ['a piece', (response: ServerResponse) => response.writeHead(401).end(`{"error":"bad key ${key}"}`)],
  [
    'two pieces',
    async (response: ServerResponse) => {
      response.write(`bad key ${key.slice(0, 7)}`);
      await new Promise((next) => setTimeout(next, 50));
      response.end(key.slice(7));
    },
  ],
])('cuts an answer that holds the key in %s', async (_where, says) => {
  answer = says;
  let passed = '';
  const reading = ask().then(async ({ body }) => {
    for await (const piece of body) passed += Buffer.from(piece).toString();
  });
  expect(await refusal(reading)).toEqual({
    said: 'Mine repeated the owner’s key in its answer, which was cut off there.',
    sent: true,
  });
  expect(passed).not.toContain(key.slice(0, 7));
});

it('passes what only begins as the key does', async () => {
  answer = (response) => response.end(`sk-0123 and sk-`);
  expect(await textOf((await ask()).body)).toBe('sk-0123 and sk-');
});

it('follows no redirect, and takes no compressed answer', async () => {
  answer = (response) => response.writeHead(307, { location: `${baseUrl}/other` }).end();
  expect(await refusal(ask())).toMatchObject({
    sent: true,
    said: expect.stringContaining('another address'),
  });
  answer = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x');
  expect(await refusal(ask())).toMatchObject({ sent: true, said: expect.stringContaining('compressed') });
  expect(asked).toHaveLength(2);
});

it.each([
  ['a private address without the owner’s word', { allowPrivate: false }, 'must begin with https://'],
  [
    'a private address over https',
    { allowPrivate: false, baseUrl: 'https://127.0.0.1:1/v1' },
    'must not be on',
  ],
  [
    'a name in a private network',
    { allowPrivate: false, baseUrl: 'https://localhost:1/v1' },
    'private network',
  ],
  ['a public address in plain text', { baseUrl: 'http://93.184.215.14/v1' }, 'must begin with https://'],
  ['the treasury itself', { baseUrl: `${own}/v1` }, 'is the treasury itself'],
  ['a place where nobody listens', { baseUrl: 'http://127.0.0.1:1/v1' }, 'could not be reached'],
])('sends nothing to %s', async (_where, supplier, why) => {
  expect(await refusal(ask({ supplier }))).toMatchObject({ sent: false, said: expect.stringContaining(why) });
  expect(asked).toEqual([]);
});

it('looks once more in the turn in which the request leaves, and tells what has left', async () => {
  answer = (response) => response.destroy();
  const stopped = ask({
    beforeSending: () => {
      throw new Error('stopped');
    },
  });
  await expect(stopped).rejects.toThrow('stopped');
  await turn();
  expect(asked).toEqual([]);
  expect(await refusal(ask())).toMatchObject({ sent: true });
});

it('the price list has a model by its exact id alone', () => {
  const list = createPriceList();
  const now = Date.parse('2026-11-27');
  const find = (kind: 'openai' | 'anthropic' | 'openrouter' | 'openai-compatible', id: string) =>
    list.find(kind, id, now)?.prices;
  expect(find('anthropic', 'claude-sonnet-4-5')).toMatchObject({
    input: 3_000_000n,
    hourCacheWrite: 6_000_000n,
  });
  expect(find('openai', 'gpt-5-2025-08-07')).toMatchObject({ output: 10_000_000n, cachedInput: 125_000n });
  // Its price was changed on 2026-03-13, and has had no tiers since.
  expect(list.find('anthropic', 'claude-sonnet-4-6', Date.parse('2026-01-01'))?.prices.tiers).toHaveLength(1);
  expect(find('anthropic', 'claude-sonnet-4-6')?.tiers).toBeUndefined();
  for (const id of ['claude-sonnet-4-5-20990101', 'claude-sonnet-4-5x', 'Claude-Sonnet-4-5'])
    expect(find('anthropic', id)).toBeUndefined();
  expect(find('openai', 'claude-sonnet-4-5') ?? find('openai-compatible', 'gpt-5')).toBeUndefined();
  // An image model's tokens cost more than its text, and a free one may change.
  expect(find('openai', 'gpt-image-1')).toBeUndefined();
});
