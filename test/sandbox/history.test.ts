// Pages of an address's history, and blocks.
import { describe, expect, test } from 'vitest';

import type { TestSandbox } from './support.ts';
import { latestBlockhash, memo, newKey, newPayer, send, signed, startSandbox, transfer } from './support.ts';

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
