// Base58 strings of a fixed number of bytes; each value has exactly one spelling.
import bs58 from 'bs58';
import { z } from 'zod';

/** Reads `text` as exactly `length` bytes; null when it is not base58 or has another length. */
export const base58Bytes = (text: string, length: number): Buffer | null => {
  // Base58 has one digit for each 0.73 bytes; the bound keeps long texts from its quadratic decoder.
  if (text.length > length * 1.4 + 1) return null;
  try {
    const bytes = Buffer.from(bs58.decode(text));
    return bytes.length === length ? bytes : null;
  } catch {
    return null;
  }
};

export const addressSchema = z
  .string()
  .refine((text) => base58Bytes(text, 32) !== null, 'must be a Solana address (32 bytes in base58)');

export const txSignatureSchema = z
  .string()
  .refine((text) => base58Bytes(text, 64) !== null, 'must be a Solana signature (64 bytes in base58)');
