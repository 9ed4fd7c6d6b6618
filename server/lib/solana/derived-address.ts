// Addresses derived from programs, for which no key can sign, and the one token account that a wallet has for a mint. web3.js
// could derive them too, but it brings its network client, which the signer must not reach and a seller need not install.
import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import bs58 from 'bs58';
import { associatedTokenProgram, tokenProgram } from './programs.ts';

/** Whether a private key can exist for the address: derived addresses are off the curve. */
export const isOnCurve = (address: Uint8Array): boolean => {
  try {
    ed25519.Point.fromBytes(address);
    return true;
  } catch {
    return false;
  }
};

/** The first address of these seeds that no key can sign for, and how many were looked at. */
export const programAddress = (
  seeds: readonly Uint8Array[],
  program: Uint8Array,
): { address: Buffer; tries: number } => {
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = createHash('sha256');
    for (const part of [...seeds, Uint8Array.of(bump), program]) hash.update(part);
    const address = hash.update('ProgramDerivedAddress').digest();
    if (!isOnCurve(address)) return { address, tries: 256 - bump };
  }
  throw new Error('Invariant broken: some bump gives an address off the curve');
};

const [token, associatedToken] = [bs58.decode(tokenProgram), bs58.decode(associatedTokenProgram)];

/**
 * The associated token account of the original token program. The owner may be off the curve, as a multisig's vault is.
 * https://spl.solana.com/associated-token-account
 */
export const tokenAccountOf = (owner: Uint8Array, mint: Uint8Array): Buffer =>
  programAddress([owner, token, mint], associatedToken).address;
