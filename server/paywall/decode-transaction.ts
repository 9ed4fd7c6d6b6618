// The traces of a payment in a transaction: transfers and memos among its own instructions, and changed balances. Inner
// instructions are left out: what they mean depends on the program that called them.
import bs58 from 'bs58';
import { memoProgram, tokenProgram } from '../lib/solana/programs.ts';
import type { RpcTransaction } from './transaction-reader.ts';

export interface TokenTransfer {
  amount: bigint;
  source: string;
  destination: string;
  authority: string;
}

export interface TokenBalance {
  account: string;
  mint: string;
  owner: string | undefined;
  before: bigint;
  after: bigint;
}

// The token program's instructions: first byte, length, and positions of the accounts.
const transferLayouts = [
  { tag: 3, length: 9, source: 0, destination: 1, authority: 2 },
  { tag: 12, length: 10, source: 0, destination: 2, authority: 3 },
];

/** Transfers of the original token program, plain and checked. */
export const tokenTransfers = (transaction: RpcTransaction): TokenTransfer[] =>
  instructionsOf(transaction, tokenProgram).flatMap(({ accounts, data }) => {
    const layout = transferLayouts.find(({ tag, length }) => data[0] === tag && data.length === length);
    if (layout === undefined) return [];
    const [source, destination, authority] = [layout.source, layout.destination, layout.authority].map(
      (position) => accounts[position],
    );
    if (source === undefined || destination === undefined || authority === undefined) return [];
    return [{ amount: data.readBigUInt64LE(1), source, destination, authority }];
  });

/** Texts of the memo program (v2), read from the instructions: logs are truncated and can be imitated. */
export const memos = (transaction: RpcTransaction): string[] =>
  instructionsOf(transaction, memoProgram).map(({ data }) => data.toString('utf8'));

/** Token balances after the transaction; an account that did not exist before starts at zero. */
export const tokenBalances = (transaction: RpcTransaction): TokenBalance[] => {
  const keys = accountKeys(transaction);
  const before = new Map(
    (transaction.meta.preTokenBalances ?? []).map((entry) => [
      entry.accountIndex,
      entry.uiTokenAmount.amount,
    ]),
  );
  return (transaction.meta.postTokenBalances ?? []).map((entry) => ({
    account: keys[entry.accountIndex] ?? '',
    mint: entry.mint,
    owner: entry.owner,
    before: before.get(entry.accountIndex) ?? 0n,
    after: entry.uiTokenAmount.amount,
  }));
};

const instructionsOf = (transaction: RpcTransaction, program: string) => {
  const keys = accountKeys(transaction);
  return transaction.transaction.message.instructions
    .filter((instruction) => keys[instruction.programIdIndex] === program)
    .map((instruction) => ({
      accounts: instruction.accounts.map((index) => keys[index]),
      data: Buffer.from(bs58.decode(instruction.data)),
    }));
};

// In the order that indices refer to: the message's own keys, then those that its lookup tables loaded.
const accountKeys = (transaction: RpcTransaction): string[] => {
  const { writable, readonly } = transaction.meta.loadedAddresses ?? { writable: [], readonly: [] };
  return [...transaction.transaction.message.accountKeys, ...writable, ...readonly];
};
