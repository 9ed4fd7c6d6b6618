// An x402 seller's claim about the settlement: PAYMENT-RESPONSE, or X-PAYMENT-RESPONSE in version 1.
import { base58Bytes } from '../../lib/solana/solana-address.ts';
import { decodeLoosely } from '../../lib/base64-json.ts';
import type { SellerResponse, Settlement } from './protocol.ts';
import { inert } from './words.ts';

/** Sellers mix up the versions' header names, so both are read. */
export const readX402Settlement = (response: SellerResponse): Settlement => {
  const header = response.header('payment-response') ?? response.header('x-payment-response');
  const said = header === null ? null : decodeLoosely(header);
  const { success, transaction, errorReason, errorMessage } = said ?? {};
  return {
    success: typeof success === 'boolean' ? success : null,
    txSignature: signatureIn(transaction),
    error: textIn(errorReason) ?? textIn(errorMessage),
  };
};

/** A transaction's signature in base58; null for anything else. */
export const signatureIn = (value: unknown): string | null =>
  typeof value === 'string' && base58Bytes(value, 64) !== null ? value : null;

/** One short line; null when there is no text. */
export const textIn = (value: unknown): string | null =>
  typeof value === 'string' ? inert(value) || null : null;
