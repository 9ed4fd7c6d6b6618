// Two nodes that carry one treasury, over real HTTP: reads and sends go on while one of them does not answer.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import bs58 from 'bs58';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { transactionAnswer } from '../../server/solana/rpc/answers.ts';
import { ofOneNetwork } from '../../server/solana/rpc/one-network.ts';
import { createFailover } from '../../server/solana/rpc/failover.ts';
import { createRpc, RpcError, type NodeRpc, type Rpc } from '../../server/solana/rpc/rpc.ts';
import { whenChecked } from '../../server/solana/rpc/when-checked.ts';
import { listSignatures } from '../../server/solana/history/moves.ts';

const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
interface Question {
  id: number;
  method: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- parameters of every shape
  params: any[];
}
/** A node: what it answers, and the methods that it was asked for. */
interface Node {
  server: Server;
  asked: string[];
  genesis: string;
  /** A result, an error with a `code`, a number as HTTP status, or null for silence. */
  answer: (question: Question) => unknown;
}

const openNode = async (): Promise<Node> => {
  const listener: RequestListener = async (request, response) => {
    // Another treasury may look here for the WebSocket of its RPC, which is at the RPC's port + 1.
    if (request.method !== 'POST') return void response.destroy();
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const question = JSON.parse(Buffer.concat(parts).toString()) as Question;
    const isGenesis = question.method === 'getGenesisHash';
    if (!isGenesis) node.asked.push(question.method);
    const truth = isGenesis ? { result: node.genesis } : null;
    const answer = truth ?? node.answer(question);
    if (answer === null) request.socket.destroy();
    else if (typeof answer === 'number') response.writeHead(answer, { 'retry-after': '30' }).end();
    else response.end(JSON.stringify({ id: question.id, ...(answer as object) }));
  };
  const node: Node = {
    server: createServer(listener),
    asked: [],
    genesis: mint,
    answer: () => ({ result: 'none' }),
  };
  await new Promise<void>((resolve) => node.server.listen(0, '127.0.0.1', resolve));
  return node;
};

const rpcTo = ({ server }: Node) => createRpc(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);

let nodes: [Node, Node];
let rpcs: [NodeRpc, NodeRpc];
let both: Rpc;
beforeEach(async () => {
  nodes = [await openNode(), await openNode()];
  rpcs = [rpcTo(nodes[0]), rpcTo(nodes[1])];
  const ofOne = ofOneNetwork(null);
  both = createFailover(ofOne(rpcs[0]), ofOne(rpcs[1]));
  nodes[0].answer = () => ({ result: 'first' });
  nodes[1].answer = () => ({ result: 'second' });
});
afterEach(() => {
  for (const part of [both, ...rpcs]) part.close();
  for (const { server } of nodes) {
    server.closeAllConnections();
    server.close();
  }
});

const read = () => both.call('getSlot', [], z.string());
const send = () => both.call('sendTransaction', ['bytes'], z.string());
const refused = (code: number) => () => ({ error: { code, message: 'no' } });

it('a read goes to the first node while it answers, and to the second when it does not', async () => {
  expect(await read()).toBe('first');
  expect(nodes[1].asked).toEqual([]);
  nodes[0].answer = () => null;
  expect(await read()).toBe('second');
});

it.each([
  ['is silent', () => null],
  ['has too many requests', () => 429],
  ['is of another plan', () => 403],
])('a node that %s is skipped until it answers', async (_, fault) => {
  nodes[0].answer = fault;
  await read();
  await read();
  expect([nodes[0].asked.length, nodes[1].asked.length]).toEqual([1, 2]);
});

it('a node that is down is probed, and asked first again when it answers', { timeout: 30_000 }, async () => {
  nodes[0].answer = () => null;
  await read();
  nodes[0].answer = ({ method }) => ({ result: method === 'getBlockHeight' ? 7 : 'first' });
  await expect.poll(read).toBe('first');
  expect(nodes[0].asked.slice(0, 2)).toEqual(['getSlot', 'getBlockHeight']);
});

it.each([
  ['an error', refused(-32_601)],
  ['an answer of another form', () => ({ result: 7 })],
])('%s of one node sends the question to the other, and is no outage', async (_, fault) => {
  nodes[0].answer = fault;
  expect(await read()).toBe('second');
  expect(rpcs[0].state().downSince).toBe(null);
});

it('when both fail, the error that one of them answered with is reported', async () => {
  nodes[0].answer = () => null;
  nodes[1].answer = refused(-32_016);
  const error = await read().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RpcError);
  expect((error as RpcError).rpcCode).toBe(-32_016);
  nodes[1].answer = () => null;
  await expect(read()).rejects.toMatchObject({ code: 'chain_unreachable' });
});

it('a node that was down is asked when the other fails', async () => {
  nodes[0].answer = () => null;
  await read();
  nodes[0].answer = () => ({ result: 'first' });
  nodes[1].answer = () => null;
  expect(await read()).toBe('first');
});

it('a transaction goes to both nodes, and one that takes it is enough', async () => {
  nodes[0].answer = () => null;
  expect(await send()).toBe('second');
  nodes[0].answer = () => ({ result: 'first' });
  nodes[1].answer = refused(-32_002);
  expect(await send()).toBe('first');
  await expect.poll(() => nodes.map(({ asked }) => asked.length)).toEqual([2, 2]);
  nodes[0].answer = () => null;
  await expect(send()).rejects.toBeInstanceOf(RpcError);
});

const entry = (n: number) => {
  const bytes = Buffer.alloc(64);
  bytes.writeUInt32BE(n);
  return { signature: bs58.encode(bytes), slot: 5_000 - n, err: null };
};
const page = (from: number, count: number) => Array.from({ length: count }, (_, n) => entry(from + n));

it('the pages of one list come from one node', async () => {
  // The second node is behind: it does not know where the list of the first went on, and gives nothing.
  nodes[1].answer = () => ({ result: [] });
  const wallet = 'GokivDYuQXPZCWRkwMhdH2h91KpDQXBEmpgBgs55bnpH';
  const scan = { wallet, mint, commitment: 'confirmed', until: null } as const;
  nodes[0].answer = ({ params: [, { before }] }) =>
    before === undefined ? { result: page(0, 1_000) } : { result: page(1_000, 3) };
  expect(await listSignatures(both, scan)).toHaveLength(1_003);
  nodes[0].answer = ({ params: [, { before }] }) =>
    before === undefined ? { result: page(0, 1_000) } : null;
  await expect(listSignatures(both, scan)).rejects.toMatchObject({ code: 'chain_unreachable' });
});

it('a node of another network is not asked, also when the other one is silent', async () => {
  nodes[1].genesis = bs58.encode(Buffer.alloc(32, 1));
  expect(await read()).toBe('first');
  nodes[0].answer = () => null;
  await expect(read()).rejects.toMatchObject({ code: 'chain_unreachable' });
  expect(nodes[1].asked).toEqual([]);
});

it('a node of another network is no witness, also when it answers first', async () => {
  nodes[0].genesis = bs58.encode(Buffer.alloc(32, 1));
  const [first, second] = rpcs.map(ofOneNetwork(mint));
  await expect(first?.call('getSlot', [], z.string())).rejects.toThrow('of another network');
  expect(await second?.call('getSlot', [], z.string())).toBe('second');
  expect(nodes[0].asked).toEqual([]);
});

describe('the contents of a transaction', () => {
  const signature = bs58.encode(Buffer.alloc(64, 3));
  const wire = Buffer.concat([Buffer.of(1), Buffer.alloc(64, 3)]).toString('base64');
  const shows =
    (amount: string, err: unknown = null) =>
    () => ({
      result: {
        slot: 7,
        transaction: [wire, 'base64'],
        meta: { err, fee: 5_000, postTokenBalances: [{ accountIndex: 1, mint, uiTokenAmount: { amount } }] },
      },
    });
  const look = () => both.call('getTransaction', [signature], transactionAnswer({ signature }));

  it.each([
    ['another amount', shows('12')],
    ['a failure', shows('7', 'AccountInUse')],
  ])('are not believed when one node shows %s', async (_, lie) => {
    nodes[0].answer = lie;
    nodes[1].answer = shows('7');
    await expect(look()).rejects.toThrow('differently');
  });

  it.each([
    ['both show alike', shows('7'), shows('7')],
    ['the first alone shows', shows('7'), () => ({ result: null })],
    ['the second alone shows', () => null, shows('7')],
  ])('are those that %s', async (_, first, second) => {
    [nodes[0].answer, nodes[1].answer] = [first, second];
    expect(await look()).toMatchObject({ slot: 7, meta: { err: null } });
  });
});

it('each node is asked only which chain it serves before the chain was checked', async () => {
  const wait = { since: 0, host: 'rpc.example', why: 'it answers HTTP status 503' };
  const gate = { wait: () => wait, isChecked: () => false };
  const waiting = createFailover(whenChecked(rpcs[0], gate), whenChecked(rpcs[1], gate));
  await expect(waiting.call('getSlot', [], z.string())).rejects.toThrow('has been waiting for the network');
  expect(await waiting.call('getGenesisHash', [], z.string())).toBe(mint);
  expect(nodes.map(({ asked }) => asked)).toEqual([[], []]);
  waiting.close();
});
