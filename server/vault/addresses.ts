// Addresses as bytes.
import bs58 from 'bs58';
import { invariant } from '../errors.ts';
import {
  associatedTokenProgram,
  computeBudgetProgram,
  memoProgram,
  systemProgram,
  tokenProgram,
} from '../lib/solana/programs.ts';

/** The 32 bytes of a base58 address. @throws Error when it is not one */
export const addressBytes = (address: string): Buffer => {
  const bytes = bs58.decodeUnsafe(address);
  invariant(bytes?.length === 32, 'an address is 32 bytes in base58');
  return Buffer.from(bytes);
};

export const programs = {
  system: addressBytes(systemProgram),
  token: addressBytes(tokenProgram),
  associatedToken: addressBytes(associatedTokenProgram),
  memo: addressBytes(memoProgram),
  computeBudget: addressBytes(computeBudgetProgram),
} as const;

/** Remembers the last `limit` results of a pure function; the oldest leaves first. */
export const remember = <T>(limit: number, compute: (key: string) => T): ((key: string) => T) => {
  const known = new Map<string, T>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = compute(key);
    const oldest = known.keys().next().value;
    if (known.size >= limit && oldest !== undefined) known.delete(oldest);
    known.set(key, value);
    return value;
  };
};
