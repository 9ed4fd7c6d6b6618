// What a treasury needs of an RPC, and what a node may answer: too many requests for a moment, an error that is null,
// nonsense, more than a host can hold, and bytes without an end. A question requires of its answer a length, an order, and
// that it answers this question and no other.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import bs58 from 'bs58';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  blockhashAnswer,
  blockTimeAnswer,
  genesisAnswer,
  mostBytesOf,
  pageLength,
  signaturesAnswer,
  statusesAnswer,
  tokenAccountsAnswer,
  transactionAnswer,
} from '../../server/solana/rpc/answers.ts';
import { rpcNeeds } from '../../server/solana/rpc/probe.ts';
import { createRpc, RpcError, type NodeRpc } from '../../server/solana/rpc/rpc.ts';

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
  // The chain of another test may have had this port: its clients look for its websocket still.
  if (request.method !== 'POST') return void response.destroy();
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

const ask = (method = 'getSlot'): Promise<number> => rpc.call(method, [], z.number());
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
  expect([await ask(), asked]).toEqual([7, 2]);
});

it('a transaction is sent once, and a read is not repeated when its turn would come too late', async () => {
  reply = () => busy();
  await expect(ask('sendTransaction')).rejects.toMatchObject({ code: 'chain_unreachable' });
  expect(asked).toBe(1);
  reply = () => busy({ 'retry-after': '30' });
  await expect(ask()).rejects.toThrow('HTTP status 429. Try again later');
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
  const first = ask();
  while (!rpc.isBusy()) await turn();
  const others = [ask(), ask()];
  await expect(ask('sendTransaction')).rejects.toThrow('429');
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
  const waiting = ask();
  await meets;
  rpc.close();
  await expect(waiting).rejects.toMatchObject({ code: 'chain_unreachable' });
});

it('an error that is null is none', async () => {
  reply = () => ({ text: '{"jsonrpc":"2.0","error":null,"id":1,"result":7}' });
  expect(await ask()).toBe(7);
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
  await expect(ask()).rejects.toMatchObject({ code: 'chain_unreachable', details: { method: 'getSlot' } });
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
  await expect(ask()).rejects.toThrow('gave no usable answer to getSlot: its answer is longer than 64 KiB');
});

describe('what the calls have shown', () => {
  it.each([
    ['HTTP status 503', { status: 503, text: '' }, 'it answers HTTP status 503'],
    ['a login page', { text: '<html>' }, /no JSON-RPC/],
  ])('%s is an outage, until the next answer', async (_, bad, why) => {
    reply = () => bad;
    const before = Date.now();
    await expect(ask()).rejects.toThrow();
    const { host, downSince, why: shown } = rpc.state();
    expect(host).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(downSince).toBeGreaterThanOrEqual(before);
    expect(shown).toMatch(why);
    await expect(ask()).rejects.toThrow();
    expect(rpc.state().downSince).toBe(downSince);
    reply = () => ({ text: '{"id":3,"error":{"code":-32601,"message":"no"}}' });
    await expect(ask()).rejects.toBeInstanceOf(RpcError);
    expect(rpc.state()).toEqual({ host, downSince: null, why: null });
  });

  it('a URL is cut to its host, and a refused connection is reported as such', async () => {
    rpc = createRpc('http://user:password@127.0.0.1:1/path-key?api-key=secret');
    await expect(ask()).rejects.toThrow();
    expect(rpc.state()).toMatchObject({ host: '127.0.0.1:1', why: 'the connection was refused' });
  });
});

const signature = (n: number): string => bs58.encode(Buffer.alloc(64, n));
const entry = (n: number, slot = 100 - n) => ({ signature: signature(n), slot, err: null, blockTime: 1 });
const context = { slot: 1 };
const status = { slot: 1, err: null, confirmationStatus: 'finalized' };
const key = bs58.encode(Buffer.alloc(32, 9));
/** One signature, then what would be the message. */
const wire = (n: number): string =>
  Buffer.concat([Buffer.of(1), Buffer.alloc(64, n), Buffer.of(5)]).toString('base64');
const transaction = (n: number, slot: number) => ({
  slot,
  blockTime: null,
  transaction: [wire(n), 'base64'],
  meta: { err: null, fee: 5_000 },
});
const page = { limit: 3, before: signature(8), until: signature(9) };

const refused: [string, z.ZodType, unknown][] = [
  ['statuses of fewer signatures than were looked up', statusesAnswer(2), { context, value: [status] }],
  ['statuses of more', statusesAnswer(1), { context, value: [null, status] }],
  ['fewer accounts than were read', tokenAccountsAnswer(2), { context, value: [null] }],
  ['a page longer than was asked for', signaturesAnswer(page), [1, 2, 3, 4].map((n) => entry(n))],
  ['a page of which slots rise', signaturesAnswer(page), [entry(2), entry(1)]],
  ['a page with an entry twice', signaturesAnswer(page), [entry(1, 5), entry(1, 5)]],
  ['a page with the entry below which it begins', signaturesAnswer(page), [entry(8)]],
  ['a page with the entry above which it ends', signaturesAnswer(page), [entry(9)]],
  ['a page with a signature that is none', signaturesAnswer(page), [{ ...entry(1), signature: key }]],
  ['another transaction', transactionAnswer({ signature: signature(1) }), transaction(2, 7)],
  [
    'a transaction in another slot',
    transactionAnswer({ signature: signature(1), slot: 8 }),
    transaction(1, 7),
  ],
  ['a time before 1970', blockTimeAnswer, -1],
  ['a time in milliseconds of a year far away', blockTimeAnswer, 8_640_000_000_000],
  ['half a second', blockTimeAnswer, 1.5],
  [
    'a blockhash that is none',
    blockhashAnswer,
    { context, value: { blockhash: 'abc', lastValidBlockHeight: 1 } },
  ],
  ['a genesis hash of 64 bytes', genesisAnswer, signature(1)],
];
it.each(refused)('refuses %s', (_, schema, value) => {
  expect(schema.safeParse(value).success).toBe(false);
});

it('takes the answers of an honest node', () => {
  expect(statusesAnswer(2).parse({ context, value: [null, status] }).value).toHaveLength(2);
  expect(signaturesAnswer(page).parse([entry(1, 5), entry(2, 5), entry(3, 4)])).toHaveLength(3);
  expect(transactionAnswer({ signature: signature(1), slot: 7 }).parse(transaction(1, 7))).toMatchObject({
    slot: 7,
  });
  expect(transactionAnswer({ signature: signature(1) }).parse(null)).toBe(null);
  expect(genesisAnswer.parse(key)).toBe(key);
});

describe('a long list of nonsense', () => {
  it('has one fault, and not one for each entry', () => {
    const { error } = signaturesAnswer({ limit: pageLength }).safeParse(
      Array.from({ length: 100_000 }, () => ({})),
    );
    expect(error?.issues).toHaveLength(1);
  });
});

it('a page of memos as long as strangers can make them fits into the bound of its method', () => {
  // A transaction of 1,232 bytes has room for 1,030 of a memo; JSON makes six of each.
  const memo = '\u0001'.repeat(1_030);
  const longest = { ...entry(1), memo: `[1030] ${memo}`, confirmationStatus: 'finalized' };
  expect(1_000 * (JSON.stringify(longest).length + 1)).toBeLessThan(mostBytesOf('getSignaturesForAddress'));
});

const folder = new URL('../../server/solana/', import.meta.url);
/** The faucet's is the sandbox's own. */
const notNeeded = ['requestAirdrop'];

/** One list: the calls that the program makes, the probe, and the page for the owner. */
it('what is needed of an RPC lists every method that the program calls, and operating.md says what does not work without it', () => {
  const called = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('probe.ts'))
    .flatMap((file) => [...readFileSync(new URL(file, folder), 'utf8').matchAll(/call\(\s*'([a-z]\w+)'/gi)])
    .map(([, method = '']) => method)
    .filter((method) => !notNeeded.includes(method) && !method.startsWith('sandbox_'));
  expect(new Set(Object.keys(rpcNeeds))).toEqual(new Set([...called, 'websocket', 'isBlockhashValid']));
  const text = readFileSync(new URL('../../build/docs/operating.md', import.meta.url), 'utf8');
  const table = text.slice(
    text.indexOf('### What an RPC must be able to do'),
    text.indexOf('### When the network'),
  );
  for (const [what, { without }] of Object.entries(rpcNeeds)) {
    const row =
      table.split('\n').find((line) => line.includes(what === 'websocket' ? what : `\`${what}\``)) ?? '';
    const sentence = `${without[0]?.toLowerCase()}${without.slice(1, -1)}`.replace(/^uSDC/, 'USDC');
    expect(row.toLowerCase(), what).toContain(sentence.toLowerCase());
  }
});
