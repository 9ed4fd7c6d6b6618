// paid_fetch against sellers that behave badly, as an agent sees it: nothing is paid twice or beyond maxAmount, and
// the agent learns what became of its money. The host's own tests cover its handling of such sellers.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { deploy, instantly, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { openX402Seller, type X402Seller } from '../x402/strict-x402-seller.ts';
import { envOf, openBridge, type Bridge } from './bridge.ts';
import { debitsOf } from './chain.ts';

interface Asked {
  method: string;
  url: string;
  receipt: string | undefined;
  body: string;
}

type Answer = (asked: Asked, response: ServerResponse) => void;

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
  answer(asked, response);
});
let seller = '';
let payee = '';
let x402: X402Seller;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  seller = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  x402 = await openX402Seller();
  treasury = await openTreasury({
    args: [...instantly, '--allow-origin', seller, '--allow-origin', x402.url],
  });
  await x402.trade(treasury.host.rpcUrl);
  payee = treasury.host.engine.context.store.services.get('sandbox-weather')?.payees[0] ?? '';
  agent = await deploy(treasury.client, 'buyer');
  bridge = await openBridge(envOf(agent, treasury));
});
afterAll(async () => {
  await bridge.close();
  await x402.close();
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
  recipient: payee,
  invoice: `inv-${seen.length}`,
  ...more,
});
const payments = async (): Promise<number> =>
  (await agent.client.get('/v1/agents/buyer/spend-history?limit=500')).body['payments'].length;
/** The number of payments made meanwhile. */
const paidBy = async (work: () => Promise<unknown>): Promise<number> => {
  const before = await payments();
  await work();
  return (await payments()) - before;
};
const fetchPaid = (args: Record<string, unknown> = {}) =>
  bridge.call('paid_fetch', { url: `${seller}/data?x=1`, ...args });

it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
  'repeats %s with path, query, headers and body after the payment, once, and buys again when asked again',
  async (method) => {
    answer = ({ receipt }, response) =>
      send(response, receipt === undefined ? 402 : 200, receipt === undefined ? quote() : { yes: 1 });
    const ids = new Set<string>();
    const count = await paidBy(async () => {
      for (const _ of [1, 2]) {
        const { content, text } = await fetchPaid({ method, body: '{"a":1}', headers: { 'x-own': 'yes' } });
        expect(content).toMatchObject({
          status: 200,
          body: '{"yes":1}',
          payment: { amount: '0.02', service: seller, status: 'confirmed', dialect: 'receipt' },
        });
        expect(text).toContain(`0.02 USDC paid to ${seller}; the API answered 200.`);
        ids.add(content['payment'].paymentId);
      }
    });
    expect([count, ids.size]).toEqual([2, 2]);
    const asked = { method, url: '/data?x=1', body: '{"a":1}' };
    const unpaid = { ...asked, receipt: undefined };
    const paid = { ...asked, receipt: expect.stringMatching(/^v1\./) };
    expect(seen).toMatchObject([unpaid, paid, unpaid, paid]);
  },
);

it.each([
  ['hangs up', (response: ServerResponse) => void response.destroy()],
  ['breaks', (response: ServerResponse) => send(response, 500, {})],
  ['refuses', (response: ServerResponse) => send(response, 402, quote({ error: 'Not enough' }))],
])('shows the same receipt again to a seller that %s after the payment', async (how, fail) => {
  answer = ({ receipt }, response) => (receipt === undefined ? send(response, 402, quote()) : fail(response));
  const args = { url: `${seller}/lost?${how.replace(' ', '')}` };
  const count = await paidBy(async () => {
    const first = await fetchPaid(args);
    expect(first).toMatchObject({
      isError: true,
      content: { code: 'not_delivered', details: { paymentId: expect.any(String) } },
    });
    expect(first.text).toContain('Do not pay for it again');
    const { paymentId } = first.content['details'];
    // Also with another maxAmount: it is paid.
    for (const wish of [{}, { maxAmount: '0.5' }])
      expect((await fetchPaid({ ...args, ...wish })).content).toMatchObject({
        code: 'not_delivered',
        details: { paymentId },
      });
    // With a lower one than the price, nothing more is paid, and the answer waits.
    expect((await fetchPaid({ ...args, maxAmount: '0.001' })).content).toMatchObject({
      code: 'conflict',
      details: { paymentId, amount: '0.02' },
    });
    answer = (_asked, response) => send(response, 200, { late: true });
    expect((await fetchPaid(args)).content).toMatchObject({ status: 200, payment: { paymentId } });
  });
  expect(count).toBe(1);
  const receipts = seen.flatMap(({ receipt }) => receipt ?? []);
  expect(receipts).toHaveLength(4);
  expect(new Set(receipts).size).toBe(1);
});

it('shows the same x402 payload again to a seller that failed before it settled', async () => {
  x402.isBroken = true;
  const args = { url: `${x402.url}/tea` };
  const count = await paidBy(async () => {
    const first = await fetchPaid(args);
    expect(first).toMatchObject({
      isError: false,
      content: { status: 'pending', paymentId: expect.any(String), seller: { status: 500 } },
    });
    expect(first.text).toMatch(/^The payment pay_\w+ is pending and the answer has not come\./);
    expect(first.text).toContain('Do not pay again');
    const { paymentId } = first.content;
    expect((await fetchPaid({ ...args, maxAmount: '1' })).content).toMatchObject({ paymentId });
    x402.isBroken = false;
    const bought = await fetchPaid(args);
    expect(bought.content).toMatchObject({
      status: 200,
      body: '{"sold":"/tea"}',
      payment: { paymentId, amount: '0.03', dialect: 'x402-v2' },
    });
  });
  const landed = await debitsOf(treasury.host.rpcUrl, agent.wallet);
  expect([count, landed.filter(({ to }) => to.includes(x402.payee)).length]).toEqual([1, 1]);
});

it('finds services of other marketplaces, and says how to buy them', async () => {
  const { store } = treasury.host.engine.context;
  const weather = store.services.get('sandbox-weather');
  if (weather === undefined) throw new Error('the sandbox sells the weather');
  const listed = {
    id: 'teahouse/tea',
    name: 'Teahouse',
    endpoint: 'GET /tea',
    origin: x402.url,
    price: '0.03',
  };
  const more = { source: 'x402-marketplace', payees: [x402.payee], vouched: false } as const;
  store.atomically(() => store.services.upsert({ ...weather, ...listed, ...more }));
  const { results } = (await bridge.call('find_service', { query: 'teahouse' })).content;
  expect(results).toMatchObject([{ id: 'teahouse/tea', pricing: '$0.03' }]);
  const [{ how }] = results;
  expect(how).not.toContain('X-Payment');
  const [, url = '', method = ''] = /url "([^"]+)" and method "(\w+)"/.exec(how) ?? [];
  const bought = await bridge.call('paid_fetch', { url, method });
  expect(bought.content).toMatchObject({ status: 200, payment: { service: 'teahouse/tea' } });
});

it('sends a changed request, as long as nothing was paid for the old one', async () => {
  answer = ({ receipt }, response) =>
    send(response, receipt === undefined ? 402 : 200, receipt === undefined ? quote() : {});
  const args = { url: `${seller}/wish` };
  const count = await paidBy(async () => {
    const refused = await fetchPaid({ ...args, maxAmount: '0.01' });
    expect(refused).toMatchObject({ isError: true, content: { code: 'max_per_payment' } });
    expect(refused.text).toContain('higher maxAmount');
    expect((await fetchPaid({ ...args, maxAmount: '0.02' })).content).toMatchObject({ status: 200 });
  });
  expect(count).toBe(1);
});

it.each<[string, Answer, Record<string, unknown>, string]>([
  [
    'asks for more than maxAmount',
    (_, response) => send(response, 402, quote()),
    { maxAmount: '0.01' },
    'maxAmount',
  ],
  [
    'wants another currency',
    (_, response) => send(response, 402, quote({ currency: 'EUR' })),
    {},
    'currency',
  ],
  ['wants nothing', (_, response) => send(response, 402, quote({ amount: '0' })), {}, 'amount'],
  ['says no price', (_, response) => send(response, 402, 'Pay!'), {}, '402'],
  ['talks too much', (_, response) => void response.end(Buffer.alloc(1_048_577)), {}, '1 MiB'],
  ['hangs up', (_, response) => void response.destroy(), {}, 'reached'],
])('pays nothing to a seller that %s', async (_, behaviour, args, words) => {
  answer = behaviour;
  const count = await paidBy(async () => {
    const called = await fetchPaid({ url: `${seller}/bad`, ...args });
    expect(called.isError).toBe(true);
    expect(called.text).toContain(words);
  });
  expect(count).toBe(0);
});

it('passes binary answers on unchanged', async () => {
  answer = (_, response) =>
    void response
      .writeHead(200, { 'x-told': 'a, b', 'payment-response': 'e30=', 'content-type': 'image/x' })
      .end(Buffer.from([0xff, 0x00, 0xfe]));
  const { headers, ...content } = (await fetchPaid()).content;
  expect(content).toEqual({ status: 200, encoding: 'base64', body: '/wD+', payment: null });
  expect(headers).toEqual({ 'x-told': 'a, b', 'content-type': 'image/x' });
});

it('follows no redirect', async () => {
  const location = `${treasury.host.url}/sandbox/weather?city=Rome`;
  answer = (_, response) => send(response, 302, {}, { location });
  expect((await fetchPaid()).content).toMatchObject({ status: 302, headers: { location }, payment: null });
  expect(seen).toHaveLength(1);
});

it.each([
  'http://example.com/',
  'http://localhost:1/',
  'http://127.0.0.1:1/',
  'ftp://127.0.0.1/',
  'not a url',
  'https://user:pass@example.com/',
  'https://169.254.169.254/latest/meta-data',
  'OWN/v1/dashboard',
  'OWN/sandbox/../v1/agents/buyer/balance',
])('does not ask %s', async (url) => {
  const called = await fetchPaid({ url: url.replace('OWN', treasury.host.url) });
  expect(called).toMatchObject({ isError: true, content: { code: 'bad_request' } });
  expect(called.text).toMatch(/^url: /);
});

it('lets the agent set no payment header', async () => {
  for (const name of ['X-Payment', 'Payment-Signature', 'Host'])
    expect(await fetchPaid({ headers: { [name]: 'v1.x' } })).toMatchObject({
      isError: true,
      content: {
        code: 'bad_request',
        error: expect.stringMatching(new RegExp(`^headers: ${name} is set by`, 'i')),
      },
    });
  expect(seen).toEqual([]);
});
