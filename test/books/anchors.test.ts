// Anchors on a real sandbox: once for each span, never while something is stopped, at the edges, and over a SIGKILL.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finalUntil } from '../../server/books/final.ts';
import { createMerkleTree } from '../../server/books/merkle.ts';
import { readAnchorMemo, readAnchorText, type AnchorFacts } from '../../server/books/verify/anchor-text.ts';
import { verdictLines } from '../../server/books/verify/told.ts';
import { freeze } from '../../server/engine/payment/owner/stop.ts';
import type { Transfer } from '../../server/engine/ports.ts';
import { letIn, run } from '../cli/terminal.ts';
import {
  aDay,
  anchoringIn,
  dayMs,
  openAnchoring,
  verifyText,
  type Anchoring,
} from '../harness/chain/anchored.ts';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { beforeSigning } from '../harness/engine/before-signing.ts';
import { useFolders } from '../harness/folders.ts';
import { killAt } from '../harness/programs/kill-at.ts';
import { createRpcProxy, type Proxy } from '../harness/chain/rpc-proxy.ts';
import {
  deploy,
  openSandbox,
  openTreasury,
  removeFolder,
  rpcCall,
  spawnTreasury,
  temporaryFolder,
  until,
  type TestAgent,
  type TestSandbox,
} from '../harness/treasury.ts';

const folder = useFolders();
let books: Anchoring;
let agent: TestAgent;
beforeAll(async () => {
  books = await openAnchoring();
  await setZone('Europe/Berlin');
  agent = await deploy(books.client, 'scout', { dailyBudget: '50' });
});
afterAll(() => books.close());

const setZone = (timeZone: string) => books.client.post('/v1/treasury/time-zone', { timeZone });

const memoOn = async (transaction: string | null): Promise<string> => {
  const connection = new Connection(books.host.rpcUrl, 'confirmed');
  const found = await connection.getTransaction(transaction ?? '', { maxSupportedTransactionVersion: 0 });
  expect(found?.meta?.err).toBeNull();
  expect(found?.transaction.message.getAccountKeys().get(0)?.toBase58()).toBe(books.owner);
  return Buffer.from(found?.transaction.message.compiledInstructions.at(-1)?.data ?? []).toString();
};

it('is off until the owner turns it on', async () => {
  await books.pass(aDay);
  expect(await books.anchors()).toEqual({
    on: false,
    cost: '0.000005',
    signer: books.owner,
    until: null,
    waiting: ['Anchoring is off.'],
    anchors: [],
  });
});

it('writes root and count of all entries so far on the chain, and a reader without a treasury verifies them', async () => {
  for (let n = 0; n < 3; n += 1) expect((await agent.pay('0.25')).status).toBe(200);
  await books.pass(aDay);
  const [first] = await books.final(1);
  const memo = await memoOn(first?.transaction ?? null);
  expect(memo.length).toBeLessThanOrEqual(400);
  const facts = readAnchorMemo(memo);
  const text = await books.statement();
  const lines = text.split('\n').slice(1, -2);
  const tree = createMerkleTree();
  for (const line of lines) tree.add(line);
  expect(facts).toMatchObject({ zone: 'Europe/Berlin', from: 0, previous: null, entries: lines.length });
  expect(facts?.root).toBe(tree.root());
  expect(lines.length).toBeGreaterThan(5);
  const verdict = await verifyText(text, books.owner, books.host.rpcUrl);
  expect(verdict.faults).toEqual([]);
  expect(verdictLines(verdict, books.owner)[0]).toMatch(
    new RegExp(
      `^These ${lines.length} entries from the beginning to .* are complete and unaltered since they were anchored at .* by ${books.owner}\\.$`,
    ),
  );
});

it('goes on from the last anchor, over days without payments, another zone, and days when the host slept', async () => {
  await books.pass(aDay);
  await books.final(2);
  await books.client.post('/v1/treasury/time-zone', { timeZone: 'America/Sao_Paulo' });
  await books.pass(aDay);
  await books.final(3);
  await agent.pay('0.1');
  await books.pass(5 * dayMs);
  const found = await books.final(4);
  const facts = [];
  for (const { transaction } of found) facts.push(readAnchorMemo(await memoOn(transaction)));
  expect(facts.map((one) => one?.zone)).toEqual([
    'Europe/Berlin',
    'Europe/Berlin',
    'America/Sao_Paulo',
    'America/Sao_Paulo',
  ]);
  for (const [index, one] of facts.entries()) {
    if (index === 0) continue;
    expect([one?.from, one?.previous]).toEqual([facts[index - 1]?.to, found[index - 1]?.transaction]);
  }
  const whole = await books.statement();
  expect((await verifyText(whole, books.owner, books.host.rpcUrl)).faults).toEqual([]);
  // A period gives the whole spans that it touches.
  const day = new Date((facts[1]?.to ?? 0) - dayMs / 2).toISOString();
  const part = await books.statement(`?from=${day}&to=${day}`);
  const verdict = await verifyText(part, books.owner, books.host.rpcUrl);
  expect(verdict.faults).toEqual([]);
  expect(verdict.proved).toMatchObject([{ from: facts[1]?.from, to: facts[1]?.to }]);
  expect(clean(await audit(books.host))).toEqual(allWell);
});

it('is written to a file by the command, which says what it holds, or that no day of a period is anchored', async () => {
  await letIn(books);
  const home = folder();
  const write = (...args: string[]) =>
    run(['books', 'statement', '--data', books.dataDir, '--out', join(home, `${args.length}`), ...args], {
      home,
    });
  const { code, stdout } = await write();
  const entries = readFileSync(join(home, '0'), 'utf8').match(/"kind":/g)?.length;
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      new RegExp(`: ${entries} entries, from the beginning up to \\d{4}-.*America/Sao_Paulo\\.`),
    ),
  ]);
  expect(await write('--from', '2099-01-01')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No day of this period is anchored'),
  });
});

it('is no spending: no budget counts it, and its fee is its only entry', async () => {
  const { store, time } = books.host.engine.context;
  const before = rows().length;
  await books.pass(aDay);
  await books.final(before + 1);
  expect(rows()[0]).toMatchObject({ agentId: null, asset: 'SOL', amount: 0n, state: 'final' });
  const { fees } = store.spend.at(null, time.now());
  await books.pass(aDay);
  await books.final(before + 2);
  expect(store.spend.at(null, time.now()).fees).toBeLessThanOrEqual(fees);
  const ids = [...(await books.statement()).matchAll(/"id":"(anc_[^"]+)","kind":"(\w+)"/g)];
  expect(ids.map(([, id, kind]) => `${id?.slice(-4)} ${kind}`)).toEqual(
    Array.from({ length: before + 1 }, () => '.fee fee'),
  );
});

const rows = () => books.host.engine.context.store.transfers.list({ kinds: ['anchor'], limit: 100 });
const landed = (): number => rows().filter(({ state }) => state === 'final').length;

it('waits for a payment of the day that is open, and for one that a fork takes back', async () => {
  const { chain, store } = books.host.engine.context;
  const before = rows().length;
  const { lifetime } = chain;
  const held = Promise.withResolvers<void>();
  chain.lifetime = () => held.promise.then(lifetime);
  await agent.pay('0.01', { prefer: 'wait=0' });
  await books.pass(dayMs, { isSettled: false });
  for (let n = 0; n < 3; n += 1)
    expect((await books.turn(true)).waiting).toEqual(['1 transfer or deposit has to be final.']);
  expect(rows()).toHaveLength(before);
  held.resolve();
  chain.lifetime = lifetime;
  await books.final(before + 1);

  // The next day's anchor is seen, taken back and seen again: no other is made for its span.
  const { sightings, onConfirmed } = chain;
  let look = 0;
  chain.onConfirmed = () => () => {};
  chain.sightings = async (signatures) => {
    const told = await sightings(signatures);
    look += 1;
    const confirmed = told.found.map((one) => one && { ...one, commitment: 'confirmed' as const });
    return { slot: told.slot + look, found: look % 2 === 1 ? confirmed : signatures.map(() => null) };
  };
  await books.pass(aDay);
  await books.turn(true);
  const anchor = () => rows()[0];
  const states = new Set<string>();
  await until('a fork', async () => {
    await books.turn(true);
    states.add(anchor()?.state ?? '');
    return states.has('seen') && states.has('sent') && look > 6;
  });
  Object.assign(chain, { sightings, onConfirmed });
  await books.final(before + 2);
  expect(rows()).toHaveLength(before + 2);
  expect(store.freeze.get()).toBeNull();
});

describe('while something is stopped', () => {
  it.each([
    ['frozen', '/v1/freeze', '/v1/unfreeze', /The owner stopped all payments/],
    ['locked', '/v1/lock', '/v1/unlock', /locked/],
  ])('no anchor is made: %s', async (_name, stop, lift, why) => {
    const before = rows().length;
    await books.pass(aDay);
    expect((await books.client.post(stop)).status).toBe(200);
    for (let n = 0; n < 3; n += 1) expect((await books.turn(true)).waiting.join()).toMatch(why);
    expect(rows()).toHaveLength(before);
    await books.client.post(lift);
    await books.final(before + 1);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['turned anchoring off', () => books.turn(false)],
    ['changed the time zone', () => setZone('Europe/Lisbon')],
  ])('none is made once the owner %s, were it under way', async (_does, change) => {
    const before = rows().length;
    const { chain, store } = books.host.engine.context;
    const { lamports } = chain;
    const { atomically } = store;
    await books.pass(aDay);
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const decided = Promise.withResolvers<void>();
    chain.lamports = async (wallet) => {
      asked.resolve();
      await held.promise;
      return lamports(wallet);
    };
    store.atomically = (work) => {
      const [, , caller = ''] = new Error().stack?.split('\n') ?? [];
      try {
        return atomically(work);
      } finally {
        if (caller.includes('makeAnchor')) decided.resolve();
      }
    };
    await books.turn(true);
    await asked.promise;
    await change();
    held.resolve();
    await decided.promise;
    chain.lamports = lamports;
    store.atomically = atomically;
    expect(rows()).toHaveLength(before);
    expect((await books.turn(false)).waiting).toEqual(['Anchoring is off.']);
    await setZone('Europe/Berlin');
    await books.final(before + 1);
  });

  it.each<[string, string, () => Promise<unknown>, () => Promise<unknown>]>([
    ['frozen', 'frozen', () => books.client.post('/v1/freeze'), () => books.client.post('/v1/unfreeze')],
    ['turned off', 'conflict', () => books.turn(false), () => books.turn(true)],
  ])(
    'none that was reserved is signed, and the next is for the same span: %s',
    async (_name, code, stop, lift) => {
      const before = landed();
      await books.pass(aDay);
      const row = await beforeSigning(books, null, () => books.turn(true), stop);
      expect(row).toMatchObject({
        kind: 'anchor',
        state: 'cancelled',
        signed: null,
        refusal: { code },
      });
      await lift();
      await books.final(before + 1);
      const [next, cancelled] = rows();
      expect(cancelled?.id).toBe(row.id);
      expect(readAnchorText(next?.invoice ?? '')).toMatchObject(spanOf(row.invoice));
    },
  );

  it('none that was signed is sent, and the next begins once the bytes have expired', async () => {
    const before = landed();
    const { chain, store } = books.host.engine.context;
    await books.pass(aDay);
    const row = await betweenSigningAndSending();
    expect(row).toMatchObject({ kind: 'anchor', state: 'unknown' });
    await books.client.post('/v1/unfreeze');
    expect((await books.turn(true)).waiting).toEqual(['The last anchor has to be final.']);
    await rpcCall(books.host.rpcUrl, 'sandbox_warp', [400]);
    await chain.finalizedHeight();
    await until('its end', () => store.transfers.get(row.id)?.state === 'dead', 30_000);
    await books.final(before + 1);
    expect(spanOf(rows()[0]?.invoice)).toEqual(spanOf(row.invoice));
    expect((await verifyText(await books.statement(), books.owner, books.host.rpcUrl)).faults).toEqual([]);
  });
});

it('without SOL for its fee it is not made, and the reason is told', async () => {
  const { chain, funds } = books.host.engine.context;
  const { lamports } = chain;
  const made = rows().length;
  const before = landed();
  await books.pass(aDay);
  chain.lamports = async () => 800_000n;
  await funds.refreshLamports();
  await books.turn(true);
  const told = await until('the reason', async () => {
    const { waiting } = await books.anchors();
    return waiting.length > 0 && waiting;
  });
  expect(told).toEqual([expect.stringContaining('SOL')]);
  expect(rows()).toHaveLength(made);
  chain.lamports = lamports;
  await funds.refreshLamports();
  await books.final(before + 1);
});

// The last on this treasury: its entries are on no chain.
it('an entry that comes into the span while its tree is made is in the anchor', async () => {
  const { store, time } = books.host.engine.context;
  const before = landed();
  const since = time.now();
  await books.pass(2 * dayMs);
  const enter = (id: string, wallet: string, later = 0): void => {
    for (const known of store.deposits.list(null, 1)) {
      store.deposits.insert({
        ...known,
        id,
        txSignature: id,
        wallet,
        status: 'confirmed',
        at: since + later,
      });
      store.deposits.settle(id, 'final');
    }
  };
  // Enough entries for several turns.
  store.atomically(() =>
    Array.from({ length: 200 }, (_, n) => enter(`dep_${n}`, books.owner, n === 0 ? 1_000 : 1)),
  );
  const { deposits } = store.books;
  let isLate = false;
  store.books.deposits = function* (span) {
    let read = 0;
    for (const one of deposits(span)) {
      yield one;
      read += 1;
      if (read !== 150 || isLate) continue;
      isLate = true;
      setImmediate(() => store.atomically(() => enter('dep_late', agent.wallet)));
    }
  };
  await books.final(before + 1);
  store.books.deposits = deposits;
  const verdict = await verifyText(await books.statement(), books.owner, books.host.rpcUrl);
  expect([verdict.faults, isLate]).toEqual([[], true]);
});

const spanOf = (text: string | null | undefined) => {
  const { from, to } = readAnchorText(text ?? '') ?? {};
  return { from, to };
};

/** Freezes in the turn in which the signature is on disk. */
const betweenSigningAndSending = async (): Promise<Transfer> => {
  const { store, keys } = books.host.engine.context;
  const { sign } = keys;
  const { grouped } = store;
  let signed = '';
  keys.sign = (id, message) => {
    signed = id;
    return sign(id, message);
  };
  store.grouped = (work) => {
    const done = grouped(work);
    return signed === '' ? done : { ...done, durable: done.durable.then(() => freezeNow()) };
  };
  const freezeNow = (): void => void freeze(books.host.engine.context, 'a test');
  try {
    await books.turn(true);
    return await until('the stop', () => {
      const row = signed === '' ? undefined : store.transfers.get(signed);
      return row?.state === 'unknown' ? row : undefined;
    });
  } finally {
    Object.assign(keys, { sign });
    Object.assign(store, { grouped });
  }
};

it('no day is final before it has ended, also by a clock that ran ahead and was set right', async () => {
  let aheadMs = 0;
  const clock = { wall: () => Date.now() + aheadMs, monotonic: () => performance.now() };
  const treasury = await openTreasury({ clock });
  const { context } = treasury.host.engine;
  const scout = await deploy(treasury.client, 'scout', { dailyBudget: '50' });
  aheadMs = 3 * dayMs;
  context.time.trust();
  expect((await scout.pay('0.1')).status).toBe(200);
  aheadMs = 0;
  context.time.trust();
  await until('all to be settled', async () => {
    await context.funds.compare();
    return context.store.transfers.open().length === 0 && context.store.deposits.unsettled().length === 0;
  });
  expect(context.time.now()).toBeGreaterThan(Date.now() + 2 * dayMs);
  expect(finalUntil(context, 'UTC')).toBeLessThanOrEqual(Date.now());
  await treasury.close();
});

describe('SIGKILL', () => {
  const dataDir = temporaryFolder();
  const later = new URL('../harness/programs/later.mjs', import.meta.url).href;
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
    const mortal = await deploy(treasury.client, 'mortal', { allocate: '5' });
    for (let n = 0; n < 3; n += 1) await mortal.pay('0.1');
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

    const again = await anchoringIn({ dataDir, args, aheadMs });
    try {
      const { store } = again.host.engine.context;
      await until('recovery', () => store.transfers.open().length === 0);
      const made = await again.final(
        points.findIndex((point) => point[1] === method && point[2] === forwardFirst) + 1,
      );
      // Once more: nothing is due until the next day has ended.
      for (let n = 0; n < 3; n += 1) await again.turn(true);
      const onChain = await anchorsOnChain(again.owner);
      expect(onChain.map(({ signature }) => signature)).toEqual(made.map(({ transaction }) => transaction));
      for (const [index, { facts }] of onChain.entries())
        expect([facts.from, facts.previous]).toEqual([
          onChain[index - 1]?.facts.to ?? 0,
          onChain[index - 1]?.signature ?? null,
        ]);
      expect((await verifyText(await again.statement(), again.owner, sandbox.rpcUrl)).faults).toEqual([]);
      expect(clean(await audit(again.host))).toEqual(allWell);
    } finally {
      await again.close();
    }
  });
});
