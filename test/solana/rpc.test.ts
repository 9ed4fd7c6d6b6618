// What a node over HTTP may answer: too many requests for a moment, an error that is null, nonsense, more than a host
// can hold, and bytes without an end.
import { createServer } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRpc, RpcError, type NodeRpc } from '../../server/solana/rpc.ts';

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  text: string;
  /** The answer has no end. */
  isOpen?: true;
}
let reply: (nth: number) => Reply;
let asked = 0;
let rpc: NodeRpc;
const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    asked += 1;
    const { status = 200, headers = {}, text, isOpen } = reply(asked);
    response.writeHead(status, headers).write(text === '' ? ' ' : text);
    if (isOpen !== true) response.end();
  });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  asked = 0;
  rpc?.close();
  rpc = createRpc(url());
});
afterAll(() => {
  rpc.close();
  server.closeAllConnections();
  server.close();
});

const slot = (method = 'getSlot'): Promise<number> => rpc.call(method, [], z.number());
const good = '{"jsonrpc":"2.0","id":1,"result":7}';
const busy = (headers: Record<string, string> = { 'retry-after': '0' }): Reply => ({
  status: 429,
  headers,
  text: '',
});

it.each([
  ['HTTP', () => busy()],
  ['HTTP, without a time', () => busy({})],
  ['HTTP, until a date', () => busy({ 'retry-after': 'Fri, 31 Dec 1999 23:59:59 GMT' })],
  ['JSON-RPC', () => ({ text: '{"id":1,"error":{"code":429,"message":"Too many requests"}}' })],
])('a read that meets too many requests by %s is asked again', async (_, refuse) => {
  reply = (nth) => (nth === 1 ? refuse() : { text: good });
  expect([await slot(), asked]).toEqual([7, 2]);
});

it('a transaction is sent once, and a read is not repeated when its turn would come too late', async () => {
  reply = () => busy();
  await expect(slot('sendTransaction')).rejects.toMatchObject({ code: 'chain_unreachable' });
  expect(asked).toBe(1);
  reply = () => busy({ 'retry-after': '30' });
  await expect(slot()).rejects.toThrow('HTTP status 429. Try again later');
  expect([asked, rpc.state().why]).toEqual([2, 'it answers HTTP status 429']);
});

it('a node that has too many requests is asked by no call until it wants to be, and then by one', async () => {
  const askedWhileBusy: boolean[] = [];
  reply = (nth) => {
    askedWhileBusy.push(rpc.isBusy());
    return nth <= 2
      ? busy({ 'retry-after': nth === 1 ? '1' : '0' })
      : { text: `{"id":${nth},"error":{"code":1}}` };
  };
  const first = slot();
  while (!rpc.isBusy()) await turn();
  const others = [slot(), slot()];
  await expect(slot('sendTransaction')).rejects.toThrow('429');
  await Promise.allSettled([first, ...others]);
  // One tried, was refused, and tried again before the others asked.
  expect(askedWhileBusy).toEqual([false, false, false, false, false]);
});

it('a read that waits for a busy node ends when the connection is closed', async () => {
  let met: (value: unknown) => void;
  const meets = new Promise((resolve) => (met = resolve));
  reply = () => {
    setImmediate(() => met(null));
    return busy({ 'retry-after': '3600' });
  };
  const waiting = slot();
  await meets;
  rpc.close();
  await expect(waiting).rejects.toMatchObject({ code: 'chain_unreachable' });
});

it('an error that is null is none', async () => {
  reply = () => ({ text: '{"jsonrpc":"2.0","error":null,"id":1,"result":7}' });
  expect(await slot()).toBe(7);
});

it.each([
  'null',
  '[]',
  '1',
  '"x"',
  '{}',
  '{"id":1}',
  '{"id":2,"result":7}',
  '{"id":1,"result":null}',
  '{"id":1,"result":"7"}',
  '{"id":1,"result":7,"error":"no"}',
  '{"id":1,"error":{}}',
  '{"id":1,"error":[]}',
  '{"id":1,"error":{"code":"x"}}',
  '{"id":1,"error":{"code":-32601}}',
  '<html>',
  '',
])('%s is no answer, and is told as such', async (text) => {
  reply = () => ({ text });
  await expect(slot()).rejects.toMatchObject({ code: 'chain_unreachable', details: { method: 'getSlot' } });
});

it('an answer that drips ends at the deadline of the call', async () => {
  let drops: NodeJS.Timeout | undefined;
  const drip = createServer((_, response) => {
    drops = setInterval(() => response.write(' '), 20);
  });
  await new Promise<void>((resolve) => drip.listen(0, '127.0.0.1', resolve));
  const dripping = createRpc(`http://127.0.0.1:${(drip.address() as AddressInfo).port}`, { withinMs: 300 });
  await expect(dripping.call('getSlot', [], z.number())).rejects.toThrow('did not answer within 0.3 seconds');
  clearInterval(drops);
  dripping.close();
  drip.closeAllConnections();
  drip.close();
});

it('an answer larger than any of its method is refused while it arrives', async () => {
  reply = () => ({ text: ' '.repeat(70_000), isOpen: true });
  await expect(slot()).rejects.toThrow('gave no usable answer to getSlot: its answer is longer than 64 KiB');
});

describe('what the calls have shown', () => {
  it.each([
    ['HTTP status 503', { status: 503, text: '' }, 'it answers HTTP status 503'],
    ['a login page', { text: '<html>' }, /no JSON-RPC/],
  ])('%s is an outage, until the next answer', async (_, bad, why) => {
    reply = () => bad;
    const before = Date.now();
    await expect(slot()).rejects.toThrow();
    const { host, downSince, why: shown } = rpc.state();
    expect(host).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(downSince).toBeGreaterThanOrEqual(before);
    expect(shown).toMatch(why);
    await expect(slot()).rejects.toThrow();
    expect(rpc.state().downSince).toBe(downSince);
    reply = () => ({ text: '{"id":3,"error":{"code":-32601,"message":"no"}}' });
    await expect(slot()).rejects.toBeInstanceOf(RpcError);
    expect(rpc.state()).toEqual({ host, downSince: null, why: null });
  });

  it('a URL is cut to its host, and a refused connection is reported as such', async () => {
    rpc = createRpc('http://user:password@127.0.0.1:1/path-key?api-key=secret');
    await expect(slot()).rejects.toThrow();
    expect(rpc.state()).toMatchObject({ host: '127.0.0.1:1', why: 'the connection was refused' });
  });
});
