// Ed25519 as wallets sign, judged strictly: the canonical form of a signature alone, and no key of small order.
import { ed25519 } from '@noble/curves/ed25519';
import bs58 from 'bs58';

/** The public key of an address; null when no wallet can have it: strict RFC 8032, no point of small order. */
export const keyOfAddress = (address: string): Uint8Array | null => {
  try {
    const key = bs58.decode(address);
    const point = ed25519.Point.fromBytes(key, false);
    return point.isSmallOrder() ? null : key;
  } catch {
    return null;
  }
};

/** Strict verification: only the canonical form of a signature counts, though looser rules accept others. */
export const isSignature = (signature: Uint8Array, message: Uint8Array, address: string): boolean => {
  const key = keyOfAddress(address);
  if (key === null || signature.length !== 64) return false;
  try {
    return ed25519.verify(signature, message, key, { zip215: false });
  } catch {
    return false;
  }
};
