// The full list of a transaction's accounts: the message's own, then those from lookup tables, writable ones first.
import { programs, sameKey } from './account.ts';
import type { Runtime } from './runtime.ts';
import { isWritableKey, type Message } from '../../lib/solana/wire.ts';

export interface LoadedKey {
  readonly key: Uint8Array;
  readonly writable: boolean;
  readonly signer: boolean;
  /** An instruction of the message calls it. */
  readonly isProgram: boolean;
  readonly fromTable: boolean;
}

const tableHeaderBytes = 56;

export const loadKeys = (runtime: Runtime, message: Message): LoadedKey[] => {
  const own = ownKeys(message);
  if (message.lookups.length === 0) return own;
  return [...own, ...looked(runtime, message, 'writable'), ...looked(runtime, message, 'readonly')];
};

export const ownKeys = (message: Message): LoadedKey[] => {
  const invoked = new Set(message.instructions.map(({ program }) => program));
  return message.keys.map((key, index) => ({
    key,
    writable: isWritableKey(message, index) && !invoked.has(index),
    signer: index < message.requiredSignatures,
    isProgram: invoked.has(index),
    fromTable: false,
  }));
};

export const tableKey = (key: Uint8Array, writable: boolean): LoadedKey => ({
  key,
  writable,
  signer: false,
  isProgram: false,
  fromTable: true,
});

const looked = (runtime: Runtime, message: Message, access: 'writable' | 'readonly'): LoadedKey[] =>
  message.lookups.flatMap((lookup) => {
    const table = runtime.readOwnedBy(lookup.table, (owner) => sameKey(owner, programs.lookupTable));
    return [...lookup[access]].flatMap((index) => {
      const start = tableHeaderBytes + index * 32;
      const key = table?.data.subarray(start, start + 32);
      return key?.length === 32 ? [tableKey(key, access === 'writable')] : [];
    });
  });
