// Anchors on a real sandbox: what is written on the chain, once for each span, and never while something is stopped.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Connection } from '@solana/web3.js';
import { createMerkleTree } from '../../server/books/merkle.ts';
import { readAnchorMemo, readAnchorText } from '../../server/books/verify/anchor-text.ts';
import { verdictLines } from '../../server/books/verify/told.ts';
import { freeze } from '../../server/engine/payment/owner/stop.ts';
import type { Transfer } from '../../server/engine/ports.ts';
import { aDay, dayMs, openAnchoring, verifyText, type Anchoring } from '../harness/anchored.ts';
import { allWell, audit, clean } from '../harness/audit.ts';
import { beforeSigning } from '../harness/before-signing.ts';
import { useFolders } from '../harness/folders.ts';
import { deploy, rpcCall, until, type TestAgent } from '../harness/treasury.ts';
import { letIn, run } from '../cli/terminal.ts';

const folder = useFolders();
let books: Anchoring;
let agent: TestAgent;
beforeAll(async () => {
  books = await openAnchoring();
  await books.client.post('/v1/treasury/time-zone', { timeZone: 'Europe/Berlin' });
  agent = await deploy(books.client, 'scout', { dailyBudget: '50' });
});
afterAll(() => books.close());

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

  it('none is made once the owner turned it off, were it under way', async () => {
    const before = rows().length;
    const { chain } = books.host.engine.context;
    const { lamports } = chain;
    await books.pass(aDay);
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    chain.lamports = async (wallet) => {
      asked.resolve();
      await held.promise;
      const found = await lamports(wallet);
      setImmediate(answered.resolve);
      return found;
    };
    await books.turn(true);
    await asked.promise;
    await books.turn(false);
    held.resolve();
    chain.lamports = lamports;
    await answered.promise;
    expect((await books.turn(false)).waiting).toEqual(['Anchoring is off.']);
    expect(rows()).toHaveLength(before);
    await books.final(before + 1);
  });

  it('none that was reserved is signed, and the next is for the same span', async () => {
    const before = rows().length;
    await books.pass(aDay);
    const row = await beforeSigning(
      books,
      null,
      () => books.turn(true),
      () => books.client.post('/v1/freeze'),
    );
    expect(row).toMatchObject({
      kind: 'anchor',
      state: 'cancelled',
      signed: null,
      refusal: { code: 'frozen' },
    });
    await books.client.post('/v1/unfreeze');
    await books.final(before + 1);
    const [next, cancelled] = rows();
    expect(cancelled?.id).toBe(row.id);
    expect(readAnchorText(next?.invoice ?? '')).toMatchObject(spanOf(row.invoice));
  });

  it('none that was signed is sent, and the next begins once the bytes have expired', async () => {
    const before = rows().length;
    const { chain, store } = books.host.engine.context;
    await books.pass(aDay);
    const row = await betweenSigningAndSending();
    expect(row).toMatchObject({ kind: 'anchor', state: 'unknown' });
    await books.client.post('/v1/unfreeze');
    expect((await books.turn(true)).waiting).toEqual(['The last anchor has to be final.']);
    await rpcCall(books.host.rpcUrl, 'sandbox_warp', [400]);
    await chain.finalizedHeight();
    await until('its end', () => store.transfers.get(row.id)?.state === 'dead', 30_000);
    await books.final(before);
    expect(spanOf(rows()[0]?.invoice)).toEqual(spanOf(row.invoice));
    expect((await verifyText(await books.statement(), books.owner, books.host.rpcUrl)).faults).toEqual([]);
  });
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
