// The one token account that a wallet has for a mint. web3.js could derive it too, but sellers who mount the paywall
// elsewhere would have to install it, and all that comes with it, for this alone.
import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import bs58 from 'bs58';
import { invariant } from '../errors.ts';
import { base58Bytes } from '../lib/solana/solana-address.ts';
import { associatedTokenProgram, tokenProgram } from './programs.ts';

const bytesOf = (address: string): Buffer => {
  const bytes = base58Bytes(address, 32);
  invariant(bytes !== null, 'an address is 32 bytes in base58');
  return bytes;
};

const [token, associatedToken] = [bytesOf(tokenProgram), bytesOf(associatedTokenProgram)];

/**
 * The address of the associated token account of the original token program, in base58. The owner may be off the curve,
 * as a multisig's vault is. https://spl.solana.com/associated-token-account
 */
export const associatedTokenAccount = (mint: string, owner: string): string => {
  const seeds = [bytesOf(owner), token, bytesOf(mint)];
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = createHash('sha256');
    for (const part of [...seeds, Uint8Array.of(bump), associatedToken]) hash.update(part);
    const address = hash.update('ProgramDerivedAddress').digest();
    if (!isOnCurve(address)) return bs58.encode(address);
  }
  throw new Error('Invariant broken: every owner has a token account');
};

/** Whether a private key can exist: derived addresses are off the curve. */
const isOnCurve = (address: Uint8Array): boolean => {
  try {
    ed25519.Point.fromBytes(address);
    return true;
  } catch {
    return false;
  }
};
