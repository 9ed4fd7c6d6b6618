// SIGKILL of the host at each step of an anchor, then a restart: each span has exactly one anchor that landed.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readAnchorMemo, type AnchorFacts } from '../../server/books/verify/anchor-text.ts';
import { anchoringIn, dayMs, verifyText } from '../harness/anchored.ts';
import { allWell, audit, clean } from '../harness/audit.ts';
import { killAt } from '../harness/kill-at.ts';
import { createRpcProxy, type Proxy } from '../harness/rpc-proxy.ts';
import {
  deploy,
  openTreasury,
  removeFolder,
  rpcCall,
  openSandbox,
  spawnTreasury,
  temporaryFolder,
  until,
  type TestSandbox,
} from '../harness/treasury.ts';

const dataDir = temporaryFolder();
const later = new URL('../harness/later.mjs', import.meta.url).href;
let sandbox: TestSandbox;
let proxy: Proxy;
let args: string[] = [];
let aheadMs = 0;

beforeAll(async () => {
  sandbox = await openSandbox();
  proxy = await createRpcProxy(sandbox.rpcUrl);
  args = ['--rpc', proxy.url, '--ws', `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`];
  const treasury = await openTreasury({ dataDir, args });
  await treasury.client.post('/v1/sandbox/faucet', { amount: '10' });
  const agent = await deploy(treasury.client, 'mortal', { allocate: '5' });
  for (let n = 0; n < 3; n += 1) await agent.pay('0.1');
  await until('all to be final', () => treasury.host.engine.context.store.transfers.open().length === 0);
  await treasury.close();
});
afterAll(async () => {
  await proxy.close();
  await sandbox.close();
  removeFolder(dataDir);
});

/** The anchors that the treasury wrote on the chain, oldest first, by the chain itself. */
const anchorsOnChain = async (owner: string): Promise<{ signature: string; facts: AnchorFacts }[]> => {
  const listed = (await rpcCall(sandbox.rpcUrl, 'getSignaturesForAddress', [owner])) as {
    signature: string;
    memo: string | null;
    err: unknown;
  }[];
  return listed.toReversed().flatMap(({ signature, memo, err }) => {
    const facts = readAnchorMemo((memo ?? '').replace(/^\[\d+\] /, ''));
    return facts === null || err !== null ? [] : [{ signature, facts }];
  });
};

const points: [string, string, boolean, boolean][] = [
  ['read for, before its row', 'getBalance', true, false],
  ['reserved, before a blockhash is known', 'getLatestBlockhash', false, true],
  ['signed, before the bytes reach the chain', 'sendTransaction', false, true],
  ['sent, after the bytes landed and before the RPC answered', 'sendTransaction', true, true],
  ['sent and confirmed, before it is looked up', 'getSignatureStatuses', false, true],
  ['looked up, before what was seen is on disk', 'getSignatureStatuses', true, true],
  ['seen, before it is known when', 'getBlockTime', true, true],
];

it.each(points)('SIGKILL while an anchor is %s', async (_title, method, forwardFirst, hasRow) => {
  await rpcCall(sandbox.rpcUrl, 'sandbox_warp', [dayMs / 400]);
  aheadMs += dayMs;
  const env = { NODE_OPTIONS: `--import ${later}`, LATER_MS: String(aheadMs) };
  const host = await spawnTreasury(dataDir, args, env);
  const isPending = async (): Promise<boolean> => {
    const { body } = await host.client.get('/v1/books/anchor');
    return (body['anchors'] as { status: string }[]).some(({ status }) => status === 'pending');
  };
  const { fault, ended } = killAt(host, {
    isIt: (called) => called === method,
    forwardFirst,
    ...(hasRow ? { isOnDisk: isPending } : {}),
  });
  proxy.fault = fault;
  await host.client.post('/v1/books/anchor', { on: true }).catch(() => {});
  await ended;
  proxy.fault = null;

  const books = await anchoringIn({ dataDir, args, aheadMs });
  try {
    const { store } = books.host.engine.context;
    await until('recovery', () => store.transfers.open().length === 0);
    const made = await books.final(
      points.findIndex((point) => point[1] === method && point[2] === forwardFirst) + 1,
    );
    // Once more: nothing is due until the next day has ended.
    for (let n = 0; n < 3; n += 1) await books.turn(true);
    const onChain = await anchorsOnChain(books.owner);
    expect(onChain.map(({ signature }) => signature)).toEqual(made.map(({ transaction }) => transaction));
    for (const [index, { facts }] of onChain.entries())
      expect([facts.from, facts.previous]).toEqual([
        onChain[index - 1]?.facts.to ?? 0,
        onChain[index - 1]?.signature ?? null,
      ]);
    expect((await verifyText(await books.statement(), books.owner, sandbox.rpcUrl)).faults).toEqual([]);
    expect(clean(await audit(books.host))).toEqual(allWell);
  } finally {
    await books.close();
  }
});
