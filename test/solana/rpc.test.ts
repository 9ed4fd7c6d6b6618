// What a node over HTTP may answer: too many requests for a moment, an error that is null, and nonsense.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRpc, RpcError, type NodeRpc } from '../../server/solana/rpc.ts';

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  text: string;
}
let reply: (nth: number) => Reply;
let asked = 0;
let rpc: NodeRpc;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    asked += 1;
    const { status = 200, headers = {}, text } = reply(asked);
    response.writeHead(status, headers).end(text);
  });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  asked = 0;
  rpc?.close();
  rpc = createRpc(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
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

it('a read is asked three times at most, and a transaction is sent once', async () => {
  reply = () => busy();
  await expect(slot()).rejects.toMatchObject({ code: 'chain_unreachable' });
  expect(asked).toBe(3);
  await expect(slot('sendTransaction')).rejects.toMatchObject({ code: 'chain_unreachable' });
  expect(asked).toBe(4);
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

describe('what the calls have shown', () => {
  it.each([
    ['HTTP status 503', { status: 503, text: '' }, 'it answers HTTP status 503'],
    ['too many requests', busy(), 'it answers HTTP status 429'],
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

  it('a URL is cut to its host, and a refused connection is told as such', async () => {
    rpc = createRpc('http://user:password@127.0.0.1:1/path-key?api-key=secret');
    await expect(slot()).rejects.toThrow();
    expect(rpc.state()).toMatchObject({ host: '127.0.0.1:1', why: 'the connection was refused' });
  });
});
