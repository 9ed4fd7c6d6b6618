// Transactions that land, those that do not, and their cost; pages of an address's history, and blocks.
import { ComputeBudgetProgram } from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, test } from 'vitest';

import type { Payer, TestSandbox } from './support.ts';
import {
  balance,
  latestBlockhash,
  memo,
  newKey,
  newPayer,
  send,
  signed,
  startSandbox,
  statuses,
  transfer,
} from './support.ts';

const fee = 5000;
const sol = 1_000_000_000;

interface Meta {
  fee: number;
  err: unknown;
  logMessages: string[];
  preBalances: number[];
  postBalances: number[];
}

const metaOf = async (sandbox: Parameters<typeof send>[0], signature: string): Promise<Meta | undefined> =>
  (await sandbox.call<{ meta: Meta } | null>('getTransaction', signature, { commitment: 'confirmed' }))?.meta;

const overdraft = (payer: Payer, blockhash: string) =>
  signed(payer, blockhash, [transfer(payer, newKey().address, 2 * sol)]);

describe('one transaction lands once', () => {
  test('equal transfers under one blockhash are one transaction', async () => {
    const sandbox = await startSandbox();
    const [payer, to] = [await newPayer(sandbox), newKey()];
    const { blockhash } = await latestBlockhash(sandbox);
    const one = signed(payer, blockhash, [transfer(payer, to.address, 1_000_000)]);

    await send(sandbox, one);
    await expect(send(sandbox, one)).rejects.toMatchObject({
      code: -32002,
      message: 'Transaction simulation failed: This transaction has already been processed',
      data: { err: 'AlreadyProcessed', logs: [], accounts: null },
    });
    expect(await send(sandbox, one, { skipPreflight: true })).toBe(one.signature);
    expect(await balance(sandbox, to.text)).toBe(1_000_000);
    expect(await balance(sandbox, payer.text)).toBe(sol - 1_000_000 - fee);
    const history = await sandbox.call<unknown[]>('getSignaturesForAddress', to.text);
    expect(history).toHaveLength(1);
  });

  test('a memo makes them two transactions', async () => {
    const sandbox = await startSandbox();
    const [payer, to] = [await newPayer(sandbox), newKey()];
    const { blockhash } = await latestBlockhash(sandbox);
    for (const text of ['at:1', 'at:2']) {
      await send(sandbox, signed(payer, blockhash, [transfer(payer, to.address, 1_000_000), memo(text)]));
    }
    expect(await balance(sandbox, to.text)).toBe(2_000_000);
  });

  test('under a blockhash that is 150 blocks old, and not under an older one', async () => {
    const sandbox = await startSandbox({ slotMs: 3_600_000 });
    const payer = await newPayer(sandbox);
    const heightNow = (): Promise<number> => sandbox.call('getBlockHeight', { commitment: 'processed' });
    const { blockhash, lastValidBlockHeight } = await latestBlockhash(sandbox);
    expect(lastValidBlockHeight).toBe((await heightNow()) + 150);

    while ((await heightNow()) < lastValidBlockHeight) await sandbox.call('sandbox_warp', 1);
    const valid = await sandbox.call('isBlockhashValid', blockhash, { commitment: 'processed' });
    expect(valid).toMatchObject({ value: true });
    await send(sandbox, signed(payer, blockhash, [memo('in time')]));

    while ((await heightNow()) === lastValidBlockHeight) await sandbox.call('sandbox_warp', 1);
    const late = signed(payer, blockhash, [memo('too late')]);
    await expect(send(sandbox, late)).rejects.toMatchObject({
      code: -32002,
      message: 'Transaction simulation failed: Blockhash not found',
      data: { err: 'BlockhashNotFound' },
    });
    expect(await send(sandbox, late, { skipPreflight: true })).toBe(late.signature);
    expect((await statuses(sandbox, [late.signature])).value).toEqual([null]);
    const expired = await sandbox.call('isBlockhashValid', blockhash, { commitment: 'processed' });
    expect(expired).toMatchObject({ value: false });
  });

  test('is refused under a blockhash that the bank of its preflight does not know yet', async () => {
    const sandbox = await startSandbox({ slotMs: 3_600_000, finalizeMs: 100 * 3_600_000 });
    const payer = await newPayer(sandbox);
    const { blockhash } = await latestBlockhash(sandbox);
    const one = signed(payer, blockhash, [memo('fresh')]);
    await expect(send(sandbox, one, { preflightCommitment: 'finalized' })).rejects.toThrow(
      'Blockhash not found',
    );
    await send(sandbox, one, { preflightCommitment: 'confirmed' });
  });
});

describe('a failing transaction', () => {
  test('costs nothing when preflight catches it, and may be sent again', async () => {
    const sandbox = await startSandbox();
    const payer = await newPayer(sandbox);
    const { blockhash } = await latestBlockhash(sandbox);
    const failing = overdraft(payer, blockhash);
    await expect(send(sandbox, failing)).rejects.toMatchObject({
      code: -32002,
      message: 'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
      data: { err: { InstructionError: [0, { Custom: 1 }] }, unitsConsumed: 150 },
    });
    expect(await balance(sandbox, payer.text)).toBe(sol);
    expect((await statuses(sandbox, [failing.signature])).value).toEqual([null]);
    await sandbox.call('requestAirdrop', payer.text, 2 * sol);
    await send(sandbox, failing);
    expect(await balance(sandbox, payer.text)).toBe(sol - fee);
  });

  test('lands with its error and its fee when preflight is skipped', async () => {
    const sandbox = await startSandbox();
    const payer = await newPayer(sandbox);
    const { blockhash } = await latestBlockhash(sandbox);
    const failing = overdraft(payer, blockhash);
    await send(sandbox, failing, { skipPreflight: true });

    expect(await balance(sandbox, payer.text)).toBe(sol - fee);
    const err = { InstructionError: [0, { Custom: 1 }] };
    expect((await statuses(sandbox, [failing.signature])).value).toMatchObject([
      { err, status: { Err: err } },
    ]);
    const meta = await metaOf(sandbox, failing.signature);
    expect(meta).toMatchObject({ err, fee, preBalances: [sol, 0, 1], postBalances: [sol - fee, 0, 1] });
    expect(meta?.logMessages.at(-1)).toContain('custom program error: 0x1');
    const [entry] = await sandbox.call<{ err: unknown }[]>('getSignaturesForAddress', payer.text, {
      limit: 1,
    });
    expect(entry?.err).toEqual(err);
  });

  test('pays for calling a program that does not exist', async () => {
    const sandbox = await startSandbox();
    const payer = await newPayer(sandbox);
    const { blockhash } = await latestBlockhash(sandbox);
    const lost = signed(payer, blockhash, [
      { program: newKey().address, accounts: [], data: new Uint8Array() },
    ]);
    await expect(send(sandbox, lost)).rejects.toMatchObject({ code: -32002 });
    expect(await balance(sandbox, payer.text)).toBe(sol);
    await send(sandbox, lost, { skipPreflight: true });
    expect(await balance(sandbox, payer.text)).toBe(sol - fee);
    expect((await statuses(sandbox, [lost.signature])).value[0]?.err).toBe('InvalidProgramForExecution');
  });

  test('never lands when nobody can pay for it or its signature is wrong', async () => {
    const sandbox = await startSandbox();
    const { blockhash } = await latestBlockhash(sandbox);
    const [poor, payer] = [newKey(), await newPayer(sandbox)];
    const unpaid = signed(poor, blockhash, [memo('no money')]);
    await expect(send(sandbox, unpaid)).rejects.toMatchObject({
      message:
        'Transaction simulation failed: Attempt to debit an account but found no record of a prior credit.',
      data: { err: 'AccountNotFound' },
    });
    await send(sandbox, unpaid, { skipPreflight: true });

    const bytes = Buffer.from(signed(payer, blockhash, [memo('forged')]).wire, 'base64');
    bytes[9] = (bytes[9] ?? 0) ^ 1;
    const forged = { wire: bytes.toString('base64'), signature: bs58.encode(bytes.subarray(1, 65)) };
    await expect(send(sandbox, forged)).rejects.toMatchObject({
      code: -32003,
      message: 'Transaction signature verification failure',
    });
    expect(await send(sandbox, forged, { skipPreflight: true })).toBe(forged.signature);
    expect((await statuses(sandbox, [unpaid.signature, forged.signature])).value).toEqual([null, null]);
    expect(await balance(sandbox, payer.text)).toBe(sol);
  });
});

test('a bid for compute units is part of the fee that is predicted, charged and recorded', async () => {
  const sandbox = await startSandbox();
  const payer = await newPayer(sandbox);
  const { blockhash } = await latestBlockhash(sandbox);
  const budget = [
    ComputeBudgetProgram.setComputeUnitLimit({ units: 10_000 }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_234_567 }),
  ].map(({ programId, data }) => ({ program: programId.toBytes(), accounts: [], data }));
  const one = signed(payer, blockhash, [...budget, memo('dear')]);
  const expected = fee + Math.ceil((10_000 * 1_234_567) / 1_000_000);

  const message = Buffer.from(one.wire, 'base64').subarray(65).toString('base64');
  const foretold = await sandbox.call('getFeeForMessage', message, { commitment: 'processed' });
  expect(foretold).toMatchObject({ value: expected });
  await send(sandbox, one);
  expect((await metaOf(sandbox, one.signature))?.fee).toBe(expected);
  expect(await balance(sandbox, payer.text)).toBe(sol - expected);
});

describe('simulation', () => {
  test('changes nothing, and checks signatures only when asked', async () => {
    const sandbox = await startSandbox();
    const [payer, to] = [await newPayer(sandbox), newKey()];
    const { blockhash } = await latestBlockhash(sandbox);
    const { wire } = signed(payer, blockhash, [transfer(payer, to.address, 1_000_000)]);
    const unsigned = Buffer.from(wire, 'base64').fill(0, 1, 65).toString('base64');
    const simulate = (config: object): Promise<unknown> =>
      sandbox.call('simulateTransaction', unsigned, {
        encoding: 'base64',
        commitment: 'processed',
        ...config,
      });

    const accounts = { encoding: 'base64', addresses: [to.text, payer.text] };
    expect(await simulate({ accounts })).toMatchObject({
      value: { err: null, accounts: [{ lamports: 1_000_000 }, { lamports: sol - 1_000_000 - fee }] },
    });
    expect(await simulate({ sigVerify: true })).toMatchObject({ value: { err: 'SignatureFailure' } });
    await expect(simulate({ sigVerify: true, replaceRecentBlockhash: true })).rejects.toMatchObject({
      code: -32602,
    });
    expect(await balance(sandbox, to.text)).toBe(0);
  });

  test('reports an unknown blockhash unless it may replace it', async () => {
    const sandbox = await startSandbox();
    const payer = await newPayer(sandbox);
    const { wire } = signed(payer, newKey().text, [memo('unknown')]);
    const config = { encoding: 'base64', commitment: 'processed' };
    expect(await sandbox.call('simulateTransaction', wire, config)).toMatchObject({
      value: { err: 'BlockhashNotFound', logs: [] },
    });
    const before = await latestBlockhash(sandbox);
    const { value } = await sandbox.call<{ value: { err: unknown; replacementBlockhash: typeof before } }>(
      'simulateTransaction',
      wire,
      { ...config, replaceRecentBlockhash: true },
    );
    // Blocks go on meanwhile.
    const after = await latestBlockhash(sandbox);
    const { blockhash, lastValidBlockHeight } = value.replacementBlockhash;
    expect(value.err).toBeNull();
    expect(lastValidBlockHeight).toBeGreaterThanOrEqual(before.lastValidBlockHeight);
    expect(lastValidBlockHeight).toBeLessThanOrEqual(after.lastValidBlockHeight);
    expect(await sandbox.call('isBlockhashValid', blockhash, config)).toMatchObject({ value: true });
  });
});

interface Entry {
  signature: string;
  memo: string | null;
  slot: number;
  blockTime: number;
}

const pages = (sandbox: TestSandbox, address: string, config: object = {}): Promise<Entry[]> =>
  sandbox.call('getSignaturesForAddress', address, { commitment: 'confirmed', ...config });

const sendSeven = async (sandbox: TestSandbox): Promise<{ address: string; signatures: string[] }> => {
  const [payer, to] = [await newPayer(sandbox), newKey()];
  const { blockhash } = await latestBlockhash(sandbox);
  const signatures: string[] = [];
  for (let index = 0; index < 7; index++) {
    const instructions = [transfer(payer, to.address, 1_000_000), memo(`at:${index}`)];
    signatures.unshift(await send(sandbox, signed(payer, blockhash, instructions)));
  }
  return { address: to.text, signatures };
};

describe('the history of an address', () => {
  test('comes newest first, in pages before and until a signature', async () => {
    const sandbox = await startSandbox();
    const { address, signatures } = await sendSeven(sandbox);
    const list = async (config: object): Promise<string[]> =>
      (await pages(sandbox, address, config)).map(({ signature }) => signature);

    expect(await list({})).toEqual(signatures);
    expect(await list({ limit: 3 })).toEqual(signatures.slice(0, 3));
    expect(await list({ limit: 3, before: signatures[2] })).toEqual(signatures.slice(3, 6));
    expect(await list({ before: signatures[5] })).toEqual(signatures.slice(6));
    expect(await list({ until: signatures[4] })).toEqual(signatures.slice(0, 4));
    expect(await list({ before: signatures[1], until: signatures[4] })).toEqual(signatures.slice(2, 4));
    expect(await list({ before: signatures[6] })).toEqual([]);
    expect((await pages(sandbox, address)).map((entry) => entry.memo)[0]).toBe('[4] at:6');
  });

  test('leaves out transactions that have not reached the commitment', async () => {
    const sandbox = await startSandbox({ finalizeMs: 3_600_000 });
    const { address } = await sendSeven(sandbox);
    expect(await pages(sandbox, address)).toHaveLength(7);
    expect(await pages(sandbox, address, { commitment: 'finalized' })).toEqual([]);
  });
});

test('a block holds the transactions of its slot, and skipped slots have no block', async () => {
  const sandbox = await startSandbox({ slotMs: 3_600_000 });
  const { signatures, address } = await sendSeven(sandbox);
  const [entry] = await pages(sandbox, address);
  const slot = entry?.slot ?? 0;
  await sandbox.call('sandbox_warp', 40);

  const config = { transactionDetails: 'signatures', commitment: 'confirmed' };
  const block = await sandbox.call<Block>('getBlock', slot, config);
  expect(block.signatures).toEqual([...signatures, expect.any(String)].toReversed());
  expect(block.blockTime).toBe(entry?.blockTime);
  const full = await sandbox.call<Block>('getBlock', slot, { maxSupportedTransactionVersion: 0 });
  expect(full.transactions).toHaveLength(8);

  const slots = await sandbox.call<number[]>('getBlocks', slot, slot + 40);
  const blocks = await Promise.all(slots.map((each) => sandbox.call<Block>('getBlock', each, config)));
  const [first = { blockHeight: 0 }] = blocks;
  expect(blocks.map(({ blockHeight }) => blockHeight)).toEqual(
    blocks.map((_, index) => first.blockHeight + index),
  );
  blocks.slice(1).forEach((each, index) => {
    expect(each.previousBlockhash).toBe(blocks[index]?.blockhash);
    expect(each.parentSlot).toBe(slots[index]);
  });
  const skipped = Array.from({ length: 40 }, (_, index) => slot + index).find(
    (each) => !slots.includes(each),
  );
  await expect(sandbox.call('getBlock', skipped, config)).rejects.toMatchObject({ code: -32007 });
  expect(await sandbox.call('getBlocksWithLimit', slot, 5)).toEqual(slots.slice(0, 5));
});

interface Block {
  blockHeight: number;
  blockTime: number;
  blockhash: string;
  previousBlockhash: string;
  parentSlot: number;
  signatures: string[];
  transactions: unknown[];
}
