// Addresses as bytes, and the one token account that a wallet has for a mint.
import { createHash } from 'node:crypto';
// web3.js could do this, but it brings its network client, and the signer must not be able to reach one.
import { ed25519 } from '@noble/curves/ed25519.js';
import bs58 from 'bs58';
import { invariant } from '../errors.ts';

const DERIVED_ADDRESS = Buffer.from('ProgramDerivedAddress');

/** The 32 bytes of a base58 address. @throws Error when it is not one */
export const addressBytes = (address: string): Buffer => {
  const bytes = bs58.decodeUnsafe(address);
  invariant(bytes?.length === 32, 'an address is 32 bytes in base58');
  return Buffer.from(bytes);
};

export const programs = {
  system: addressBytes('11111111111111111111111111111111'),
  token: addressBytes('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
  associatedToken: addressBytes('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'),
  memo: addressBytes('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
  computeBudget: addressBytes('ComputeBudget111111111111111111111111111111'),
} as const;

/** Whether the address can have a private key: token accounts and other derived addresses are off the curve. */
export const isOnCurve = (address: Uint8Array): boolean => {
  try {
    ed25519.Point.fromBytes(address);
    return true;
  } catch {
    return false;
  }
};

/** The associated token account of the classic token program. https://spl.solana.com/associated-token-account */
export const tokenAccountOf = (owner: Uint8Array, mint: Uint8Array): Buffer => {
  for (let bump = 255; bump >= 0; bump -= 1) {
    const address = createHash('sha256')
      .update(owner)
      .update(programs.token)
      .update(mint)
      .update(Uint8Array.of(bump))
      .update(programs.associatedToken)
      .update(DERIVED_ADDRESS)
      .digest();
    if (!isOnCurve(address)) return address;
  }
  throw new Error('Invariant broken: every owner has a token account');
};

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
