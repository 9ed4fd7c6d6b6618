// The wishes of a transaction to the compute budget, read before anything runs.
import { programs, sameKey, view } from '../account.ts';
import type { Message } from '../wire.ts';
import { TransactionRefusal } from './refusal.ts';

const leastHeap = 32 * 1024;
const mostHeap = 256 * 1024;
const mostLoadedBytes = 64 * 1024 * 1024;

/** Length of each wish by its code: heap, units, price, loaded bytes. */
const wishBytes: Readonly<Record<number, number>> = { 1: 5, 2: 5, 3: 9, 4: 5 };

/**
 * Bytes of accounts that the transaction may load.
 * @throws TransactionRefusal of a wish that is malformed, impossible, or made twice
 */
export const loadedBytesLimit = ({ keys, instructions }: Message): number => {
  const wishes = new Map<number, { index: number; data: Buffer }>();
  for (const [index, { program, data }] of instructions.entries()) {
    const key = keys[program];
    if (!key || !sameKey(key, programs.computeBudget)) continue;
    const code = data[0] ?? 0;
    if (data.length < (wishBytes[code] ?? Infinity)) throw malformed(index);
    if (wishes.has(code)) throw new TransactionRefusal({ DuplicateInstruction: index });
    wishes.set(code, { index, data: view(data) });
  }
  const heap = wishes.get(1);
  if (heap && !isHeap(heap.data.readUInt32LE(1))) throw malformed(heap.index);
  const loaded = wishes.get(4)?.data.readUInt32LE(1) ?? mostLoadedBytes;
  if (loaded === 0) throw new TransactionRefusal('InvalidLoadedAccountsDataSizeLimit');
  return Math.min(loaded, mostLoadedBytes);
};

const isHeap = (bytes: number): boolean => bytes >= leastHeap && bytes <= mostHeap && bytes % 1024 === 0;

const malformed = (index: number): TransactionRefusal =>
  new TransactionRefusal({ InstructionError: [index, 'InvalidInstructionData'] });
