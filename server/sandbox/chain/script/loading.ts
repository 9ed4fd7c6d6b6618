// A transaction before it runs: its accounts, who pays, and all for which it is refused as a whole.
import { type Account, programs, sameKey, view } from '../account.ts';
import { exactFeeOf } from '../fee.ts';
import { type Message, decodeTransaction, keyText } from '../../../lib/solana/wire.ts';
import { instructionsSysvar, sysvarOwner } from './genesis.ts';
import type { Working } from './instruction.ts';
import { lookedUp } from './lookup-tables.ts';
import { TransactionRefusal } from './refusal.ts';
import { isRentKept } from './rent.ts';
import { isSignature } from './signatures.ts';
import type { World } from './world.ts';
import { writeLocks } from './write-locks.ts';

export interface LoadedTransaction {
  readonly message: Message;
  readonly keys: readonly Uint8Array[];
  readonly writable: readonly boolean[];
  /** As they were; null where there was none. */
  readonly before: readonly (Account | null)[];
  /** To be changed; the fee is taken already. */
  readonly accounts: readonly Working[];
  readonly fee: bigint;
}

const mostLocks = 64;
/** The weight of each account besides its data, and of each table of addresses in all. */
const accountBytes = 64;
const tableBytes = 8248;

/** @throws TransactionRefusal of one that must not run; nobody is charged for it */
export const loadTransaction = (
  world: World,
  wire: Uint8Array,
  verifiesSignatures: boolean,
): LoadedTransaction => {
  const { message, signatures } = decodeTransaction(wire);
  const keys = [...message.keys, ...lookedUp(world, message)];
  checkLocks(keys);
  if (verifiesSignatures) checkSignatures(message, signatures);
  const mostBytes = loadedBytesLimit(message);
  const bytesOfTables = message.lookups.length * tableBytes;
  checkSize(bytesOfTables, mostBytes);
  const fee = exactFeeOf(message);
  const before = keys.map((key) => world.read(key));
  const accounts = before.map((account, index) => working(account, keys[index]));
  chargePayer(accounts[0], fee);
  checkSize(before.reduce(addSize, bytesOfTables), mostBytes);
  return { message, keys, writable: writeLocks(message, keys), before, accounts, fee };
};

const checkLocks = (keys: readonly Uint8Array[]): void => {
  if (keys.length > mostLocks) throw new TransactionRefusal('TooManyAccountLocks');
  if (new Set(keys.map(keyText)).size < keys.length) throw new TransactionRefusal('AccountLoadedTwice');
};

const checkSignatures = ({ bytes, keys }: Message, signatures: readonly Uint8Array[]): void => {
  const areValid = signatures.every((signature, index) => {
    const key = keys[index];
    return key !== undefined && isSignature(signature, bytes, key);
  });
  if (!areValid) throw new TransactionRefusal('SignatureFailure');
};

const nothing = new Uint8Array();

const working = (account: Account | null, key: Uint8Array | undefined): Working => {
  if (key && sameKey(key, instructionsSysvar))
    return { lamports: 0n, owner: sysvarOwner, executable: false, data: nothing };
  return account
    ? { ...account }
    : { lamports: 0n, owner: programs.system, executable: false, data: nothing };
};

/** The payer is charged before anything runs, and so can be refused before. */
const chargePayer = (payer: Working | undefined, fee: bigint): void => {
  if (!payer || payer.lamports === 0n) throw new TransactionRefusal('AccountNotFound');
  if (!sameKey(payer.owner, programs.system) || payer.data.length > 0)
    throw new TransactionRefusal('InvalidAccountForFee');
  if (payer.lamports < fee) throw new TransactionRefusal('InsufficientFundsForFee');
  const before = { ...payer };
  payer.lamports -= fee;
  if (!isRentKept(before, payer))
    throw new TransactionRefusal({ InsufficientFundsForRent: { account_index: 0 } });
};

const addSize = (sum: number, account: Account | null): number =>
  account ? sum + accountBytes + account.data.length : sum;

const checkSize = (bytes: number, most: number): void => {
  if (bytes > most) throw new TransactionRefusal('MaxLoadedAccountsDataSizeExceeded');
};

/** The wishes of a transaction to the compute budget, read before anything runs. */
const leastHeap = 32 * 1024;
const mostHeap = 256 * 1024;
const mostLoadedBytes = 64 * 1024 * 1024;

/** Length of each wish by its code: heap, units, price, loaded bytes. */
const wishBytes: Readonly<Record<number, number>> = { 1: 5, 2: 5, 3: 9, 4: 5 };

/**
 * Bytes of accounts that the transaction may load.
 * @throws TransactionRefusal of a wish that is malformed, impossible, or made twice
 */
const loadedBytesLimit = ({ keys, instructions }: Message): number => {
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
