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
