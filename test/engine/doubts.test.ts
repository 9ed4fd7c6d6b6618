// Balances in doubt are read again a slot later: once, only while they are in doubt, and never after the end.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createDoubts } from '../../server/engine/records/doubts.ts';
import type { Context } from '../../server/engine/payment/context.ts';
import type { Transfer } from '../../server/engine/ports.ts';

let inDoubt: Set<string>;
let read: string[][];
beforeEach(() => {
  vi.useFakeTimers();
  [inDoubt, read] = [new Set(['a', 'b']), []];
});
afterEach(() => vi.useRealTimers());

const transfer = { wallet: 'a', payee: 'b', source: null } as unknown as Transfer;
const doubtsHere = () =>
  createDoubts(
    {
      store: {
        wallets: { get: (address: string) => ({ doubt: inDoubt.has(address) ? 1n : 0n }) },
        cold: { get: () => null },
      },
      log: { debug: () => {} },
    } as unknown as Pick<Context, 'store' | 'log'>,
    { wallets: async (addresses) => void read.push([...addresses]), cold: async () => {} },
  );

it('are read once, however often a transfer moves on', () => {
  const doubts = doubtsHere();
  doubts.noticed(transfer);
  doubts.noticed(transfer);
  vi.runAllTimers();
  expect(read).toEqual([['a', 'b']]);
});

it('are not read once another reading has settled them', () => {
  const doubts = doubtsHere();
  doubts.noticed(transfer);
  inDoubt.delete('a');
  vi.runAllTimers();
  expect(read).toEqual([['b']]);
  doubts.noticed(transfer);
  inDoubt.clear();
  vi.runAllTimers();
  expect(read).toEqual([['b']]);
});

it('are not read after the end', async () => {
  for (const isWaiting of [true, false]) {
    const doubts = doubtsHere();
    if (isWaiting) doubts.noticed(transfer);
    await doubts.stop();
    doubts.noticed(transfer);
    vi.runAllTimers();
    expect(read).toEqual([]);
  }
});
