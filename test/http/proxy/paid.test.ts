// A seller that asks for payment, through the proxy: paid once, and its answer arrives while it is made.
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openRich, seller, useSeller } from '../../harness/seller-treasury.ts';
import { deploy, until, type TestAgent, type Treasury } from '../../harness/treasury.ts';
import { askThrough, headOf, openThrough, wholeOf, type Asked } from './through.ts';

const nothing = (): void => {};

useSeller();
let treasury: Treasury;
let agent: TestAgent;
let n = 0;
const holdMs = 1_500;
beforeAll(async () => (treasury = await openRich({ proxyHoldMs: holdMs })));
afterAll(() => treasury.close());
beforeEach(async () => {
  n += 1;
  agent = await deploy(treasury.client, `buyer-${n}`, { allocate: '1.00' });
});

const ask = (path = '/data', asked: Asked = {}) =>
  askThrough(treasury.host.url, agent, `${seller.url}${path}`, asked);
const open = (path = '/data', asked: Asked = {}) =>
  openThrough(treasury.host.url, agent, `${seller.url}${path}`, asked);
const rows = () => [
  ...treasury.host.engine.context.store.transfers.iterate({ agentId: agent.agentId, kinds: ['payment'] }),
];
const grant = async (approvalId: unknown): Promise<void> => {
  const path = `/v1/approvals/${String(approvalId)}`;
  const { hash } = (await treasury.client.get(path)).body;
  expect((await treasury.client.post(`${path}/grant`, { hash })).status).toBe(200);
};
const errorOf = ({ text }: { text: string }) =>
  JSON.parse(text) as { code: string; details: Record<string, unknown> };

it('is paid, and the answer names the payment', async () => {
  const got = await ask('/data', { method: 'POST', body: '{"a":1}' });
  expect([got.status, got.text]).toEqual([200, '{"sun":true}']);
  const payment = await until('the record', () =>
    rows().find(({ purchase }) => purchase?.delivery !== 'open'),
  );
  expect(got.headers).toMatchObject({
    'x-treasury-payment-id': payment.id,
    'x-treasury-payment-amount': '0.01',
    'content-type': 'application/json',
  });
  expect(payment.purchase).toMatchObject({
    method: 'POST',
    url: `${seller.url}/data`,
    delivery: 'delivered',
  });
});

it('hands on each piece before the next one is made', async () => {
  let more: (piece: string | null) => void = nothing;
  seller.behave = async ({ settle, response }) => {
    await settle();
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    more = (piece) => (piece === null ? response.end() : response.write(piece));
  };
  const response = await headOf(open());
  const pieces: string[] = [];
  // The seller makes a piece only once the one before it was read here.
  for (let at = 0; at < 50; at += 1) {
    more(`data: ${at}\n\n`);
    const [chunk] = (await once(response, 'data')) as [Buffer];
    pieces.push(chunk.toString());
  }
  more(null);
  await once(response, 'end');
  expect(pieces).toEqual(Array.from({ length: 50 }, (_, at) => `data: ${at}\n\n`));
  expect(rows()).toHaveLength(1);
});

it('is not paid twice when the client goes away: the same request gets the answer that it missed', async () => {
  let finish = nothing;
  seller.behave = async ({ settle, response }) => {
    await settle();
    response.writeHead(200, { 'content-length': '10' }).write('first');
    finish = () => response.end('-last');
  };
  const body = '{"q":"a long question"}';
  const first = open('/data', { method: 'POST', body, headers: { 'X-Stainless-Retry-Count': '0' } });
  const response = await headOf(first);
  await once(response, 'data');
  response.on('error', () => {});
  first.destroy();
  const second = ask('/data', { method: 'POST', body, headers: { 'X-Stainless-Retry-Count': '1' } });
  finish();
  expect(await second).toMatchObject({ status: 200, text: 'first-last' });
  expect(rows()).toHaveLength(1);
  expect(seller.shown).toHaveLength(1);
});

it('is paid again for an equal request whose answer was sent whole, and for two at the same time', async () => {
  await ask();
  await ask();
  expect(rows()).toHaveLength(2);
  await Promise.all([ask(), ask()]);
  expect(rows()).toHaveLength(4);
});

describe('an idempotency key', () => {
  it.each(['Idempotency-Key', 'X-Treasury-Idempotency-Key'])(
    '%s is one payment and one answer',
    async (name) => {
      const asked = { headers: { [name]: 'order-1' } };
      const [one, two] = [await ask('/data', asked), await ask('/data', asked)];
      expect(two.text).toBe(one.text);
      expect(two.headers['x-treasury-payment-id']).toBe(one.headers['x-treasury-payment-id']);
      expect(rows()).toHaveLength(1);
      expect(seller.shown).toHaveLength(1);
    },
  );

  it('of the treasury wins, and never reaches the seller; the other one does', async () => {
    const keys: unknown[] = [];
    const { behave } = seller;
    seller.behave = (shown) => {
      keys.push(
        shown.request.headers['idempotency-key'],
        shown.request.headers['x-treasury-idempotency-key'],
      );
      return behave(shown);
    };
    for (const theirs of ['a', 'b'])
      await ask('/data', { headers: { 'Idempotency-Key': theirs, 'X-Treasury-Idempotency-Key': 'ours' } });
    expect(rows()).toHaveLength(1);
    expect(keys).toEqual(['a', undefined]);
  });

  it('used for another request is refused in a way that no client repeats', async () => {
    await ask('/data', { headers: { 'Idempotency-Key': 'order-1' } });
    const other = await ask('/other', { headers: { 'Idempotency-Key': 'order-1' } });
    expect([other.status, errorOf(other).code]).toEqual([402, 'idempotency_conflict']);
    expect(other.headers['x-should-retry']).toBe('false');
    expect(rows()).toHaveLength(1);
  });
});

describe('what is not over', () => {
  it('waits for the owner, then is told as a 402 that no client repeats, and goes on once it is allowed', async () => {
    await treasury.client.post(`/v1/agents/${agent.agentId}/policy`, { approveAbove: '0' });
    const held = await ask();
    expect([held.status, errorOf(held).code]).toEqual([402, 'awaiting_approval']);
    expect(held.headers).toMatchObject({ 'x-should-retry': 'false', 'retry-after': '5' });
    const { approvalId, paymentId } = errorOf(held).details;
    const waiting = ask();
    await grant(approvalId);
    const got = await waiting;
    expect([got.status, got.headers['x-treasury-payment-id']]).toEqual([200, paymentId]);
    expect(rows()).toHaveLength(1);
  });

  it('never reaches a client that was told something else', async () => {
    await treasury.client.post(`/v1/agents/${agent.agentId}/policy`, { approveAbove: '0' });
    const held = await ask();
    const { approvalId, paymentId } = errorOf(held).details;
    await grant(approvalId);
    await until('the answer', () => rows()[0]?.purchase?.delivery === 'delivered');
    const got = await ask();
    expect([got.text, got.headers['x-treasury-payment-id']]).toEqual(['{"sun":true}', paymentId]);
    expect(seller.shown).toHaveLength(1);
  });
});

it('breaks off where the seller does, and shows the same payment again', async () => {
  const { behave } = seller;
  let finish = nothing;
  seller.behave = async ({ settle, response }) => {
    await settle();
    response.writeHead(200, { 'transfer-encoding': 'chunked' }).write('first');
    finish = () => void response.socket?.destroy();
  };
  const response = await headOf(open());
  const whole = wholeOf(response);
  finish();
  await expect(whole).rejects.toThrow('aborted');
  seller.behave = behave;
  await until('the seller’s silence', () => rows()[0]?.purchase?.delivery === 'undelivered');
  expect((await ask()).text).toBe('{"sun":true}');
  expect(rows()).toHaveLength(1);
  expect(new Set(seller.shown.map(({ transaction }) => transaction)).size).toBe(1);
});

it('pays no more than X-Treasury-Max-Amount', async () => {
  const got = await ask('/data', { headers: { 'X-Treasury-Max-Amount': '0.009' } });
  expect([got.status, errorOf(got).code]).toEqual([402, 'max_per_payment']);
  expect(rows()).toHaveLength(0);
});
