// paid_fetch against sellers that behave badly: nothing is paid twice, nothing beyond what was wished, and the agent is
// told what became of its money.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { envOf, openBridge, type Bridge } from './bridge.ts';

interface Asked {
  method: string;
  url: string;
  receipt: string | undefined;
  body: string;
}

type Answer = (asked: Asked, response: ServerResponse, request: IncomingMessage) => void;

let treasury: Treasury;
let agent: TestAgent;
let bridge: Bridge;
let seen: Asked[] = [];
let answer: Answer;
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const receipt = request.headers['x-payment'];
  const asked = {
    method: request.method ?? '',
    url: request.url ?? '',
    receipt: typeof receipt === 'string' ? receipt : undefined,
    body: Buffer.concat(chunks).toString('utf8'),
  };
  seen.push(asked);
  answer(asked, response, request);
});
let seller = '';

beforeAll(async () => {
  treasury = await openTreasury();
  agent = await deploy(treasury.client, 'buyer');
  bridge = await openBridge(envOf(agent, treasury));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  seller = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await bridge.close();
  server.close();
  server.closeAllConnections();
  await treasury.close();
});
afterEach(() => {
  seen = [];
});

const send = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};
const quote = (more = {}) => ({
  amount: '0.02',
  currency: 'USDC',
  recipient: treasury.owner,
  invoice: `inv-${seen.length}`,
  service: 'sandbox-weather',
  ...more,
});
const payments = async (): Promise<number> =>
  (await agent.client.get('/v1/agents/buyer/spend-history?limit=500')).body['payments'].length;
/** How many payments were made meanwhile. */
const paidBy = async (work: () => Promise<unknown>): Promise<number> => {
  const before = await payments();
  await work();
  return (await payments()) - before;
};
const fetchPaid = (args: Record<string, unknown> = {}) =>
  bridge.call('paid_fetch', { url: `${seller}/data?x=1`, ...args });

it('repeats method, path, query and body with the receipt, once', async () => {
  answer = ({ receipt }, response) =>
    send(response, receipt === undefined ? 402 : 200, receipt === undefined ? quote() : { yes: 1 });
  const count = await paidBy(async () => {
    const { content } = await fetchPaid({ method: 'POST', body: '{"a":1}', headers: { 'x-own': 'yes' } });
    expect(content).toMatchObject({ status: 200, body: '{"yes":1}', payment: { amount: '0.02' } });
  });
  expect(count).toBe(1);
  expect(seen).toMatchObject([
    { method: 'POST', url: '/data?x=1', body: '{"a":1}', receipt: undefined },
    { method: 'POST', url: '/data?x=1', body: '{"a":1}', receipt: expect.stringMatching(/^v1\./) },
  ]);
});

it.each([
  ['hangs up', (response: ServerResponse) => void response.destroy()],
  ['breaks', (response: ServerResponse) => send(response, 500, {})],
])('shows the same receipt again to a seller that %s after the payment', async (_, fail) => {
  answer = ({ receipt }, response) => (receipt === undefined ? send(response, 402, quote()) : fail(response));
  const args = { url: `${seller}/lost?${_.replace(' ', '')}` };
  const count = await paidBy(async () => {
    const first = await fetchPaid(args);
    expect(first).toMatchObject({ isError: true, content: { details: { paymentId: expect.any(String) } } });
    expect(first.text).toContain('does not pay again');
    answer = (_asked, response) => send(response, 200, { late: true });
    const second = await fetchPaid(args);
    expect(second.content).toMatchObject({
      status: 200,
      payment: { paymentId: first.content['details'].paymentId },
    });
  });
  expect(count).toBe(1);
  const receipts = seen.flatMap(({ receipt }) => receipt ?? []);
  expect(receipts).toHaveLength(2);
  expect(new Set(receipts).size).toBe(1);
});

it('is patient with a seller that does not see the payment yet', async () => {
  answer = ({ receipt }, response) => {
    if (receipt === undefined) send(response, 402, quote());
    else if (seen.length < 3) send(response, 402, quote({ retry: true }));
    else send(response, 200, {});
  };
  expect(await paidBy(async () => expect((await fetchPaid()).content).toMatchObject({ status: 200 }))).toBe(
    1,
  );
});

it('pays a seller that refuses the receipt once, and says so', async () => {
  answer = (_asked, response) => send(response, 402, quote({ error: 'Not enough' }));
  const count = await paidBy(async () => {
    const called = await fetchPaid({ url: `${seller}/greedy` });
    expect(called).toMatchObject({ isError: true, content: { next: expect.stringContaining('Do not pay') } });
  });
  expect([count, seen.length]).toEqual([1, 2]);
});

it.each<[string, Answer, Record<string, unknown>, string]>([
  [
    'asks for more than was wished',
    (_, response) => send(response, 402, quote()),
    { maxAmount: '0.01' },
    'maxAmount',
  ],
  ['names another service', (_, response) => send(response, 402, quote()), { service: 'other' }, 'not other'],
  [
    'names no service',
    (_, response) => send(response, 402, quote({ service: undefined })),
    {},
    'find_service',
  ],
  [
    'names an unknown service',
    (_, response) => send(response, 402, quote({ service: 'nobody' })),
    {},
    'no service',
  ],
  [
    'wants another currency',
    (_, response) => send(response, 402, quote({ currency: 'EUR' })),
    {},
    'Nothing was paid',
  ],
  ['wants nothing', (_, response) => send(response, 402, quote({ amount: '0' })), {}, 'Nothing was paid'],
  [
    'speaks x402 version 2',
    (_, response) => send(response, 402, {}, { 'payment-required': 'e30=' }),
    {},
    'version 2',
  ],
  [
    'speaks x402 version 1',
    (_, response) => send(response, 402, { x402Version: 1, ...quote() }),
    {},
    'version 1',
  ],
  [
    'speaks MPP',
    (_, response) => send(response, 402, quote(), { 'www-authenticate': 'Payment id="1"' }),
    {},
    'MPP',
  ],
  ['talks too much', (_, response) => void response.end(Buffer.alloc(1_048_577)), {}, '1 MiB'],
])('pays nothing to a seller that %s', async (_, behaviour, args, words) => {
  answer = behaviour;
  const count = await paidBy(async () => {
    const called = await fetchPaid({ url: `${seller}/bad`, ...args });
    expect(called.isError).toBe(true);
    expect(called.text).toContain(words);
  });
  expect(count).toBe(0);
});

it('follows no redirect', async () => {
  answer = (_, response) =>
    send(response, 302, {}, { location: `${treasury.host.url}/sandbox/weather?city=Rome` });
  expect((await fetchPaid()).content).toMatchObject({ status: 302, payment: null });
  expect(seen).toHaveLength(1);
});

it.each([
  'http://example.com/',
  'http://localhost:1/',
  'ftp://127.0.0.1/',
  'not a url',
  'https://user:pass@example.com/',
  'OWN/v1/dashboard',
  'OWN/sandbox/../v1/agents/buyer/balance',
])('does not ask %s', async (url) => {
  const called = await fetchPaid({ url: url.replace('OWN', treasury.host.url) });
  expect(called).toMatchObject({ isError: true, content: { code: 'bad_request' } });
});

it('lets the agent set no header of the payment’s own', async () => {
  expect(await fetchPaid({ headers: { 'X-Payment': 'v1.x' } })).toMatchObject({ isError: true });
  expect(seen).toEqual([]);
});
