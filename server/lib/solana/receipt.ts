// Our receipt: a payer presents it in `X-Payment` to prove which transfer paid for a request.
import { createPublicKey, verify } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import { invariant } from '../../errors.ts';
import { parseUsdc } from '../../money.ts';
import { addressSchema, base58Bytes, txSignatureSchema } from './solana-address.ts';
import { jsonIn } from '../base64-json.ts';

export const receiptPrefix = 'v1.';
const maxHeaderLength = 4096;

// `:` separates the parts of a memo, so it can occur in its last part only.
const paymentIdSchema = z.string().regex(/^[A-Za-z0-9._-]{1,64}$/);
export const invoiceSchema = z.string().regex(/^[\x21-\x7e]{1,64}$/);
export const serviceSchema = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode');

const receiptSchema = z.strictObject({
  /** The Solana transaction signature, base58. */
  txSignature: txSignatureSchema,
  /** Decimal USDC, greater than zero. */
  amount: z.string().refine((text) => (parseUsdc(text) ?? 0n) > 0n, 'must be a decimal above zero'),
  currency: z.literal('USDC'),
  /** The block's time, ISO 8601 in UTC. */
  timestamp: z.iso.datetime(),
  /** The wallet that was paid, not its token account. */
  recipient: addressSchema,
  paymentId: paymentIdSchema,
  /** The wallet that paid, whose signing key made `signature`. */
  payer: addressSchema,
  network: z.enum(['sandbox', 'devnet', 'mainnet']),
  service: serviceSchema,
  /** The seller's own reference, when its 402 named one. */
  invoice: invoiceSchema.optional(),
  /** Base64 of the payer's Ed25519 signature over `receiptMessage`. */
  signature: z.string().refine((text) => base64Bytes(text)?.length === 64, 'must be 64 bytes in base64'),
});

export type Receipt = z.infer<typeof receiptSchema>;
export type UnsignedReceipt = Omit<Receipt, 'signature'>;
export type Network = Receipt['network'];

/** Canonical JSON (RFC 8785) of the receipt without its `signature`. */
export const receiptPayload = (receipt: UnsignedReceipt | Receipt): string => {
  const { signature: _, ...rest } = receipt as Receipt;
  const text = canonicalize(rest);
  invariant(text !== undefined, 'a receipt has canonical JSON');
  return text;
};

/**
 * The bytes that the payer's wallet signs. The first line separates them from everything else the wallet signs: parsed
 * as a transaction, they would require 97 signatures, 103 of them read-only, which no Solana runtime accepts.
 */
export const receiptMessage = (payload: string): Buffer =>
  Buffer.from(`agent-treasury receipt v1\n${payload}`, 'utf8');

/** The header's value, `v1.<base64 of the canonical JSON>`. */
export const encodeReceipt = (receipt: Receipt): string =>
  receiptPrefix + Buffer.from(canonicalize(receipt) ?? '', 'utf8').toString('base64');

/**
 * Parses a header's value; never throws. Null for anything but `v1.` and padded base64, at most 4 KiB, of one flat JSON
 * object with exactly the known fields. A repeated field is refused, since parsers disagree on which one counts.
 * Does not check the signature.
 */
export const decodeReceipt = (header: string): Receipt | null => {
  if (!header.startsWith(receiptPrefix) || header.length > maxHeaderLength) return null;
  const bytes = base64Bytes(header.slice(receiptPrefix.length));
  if (bytes === null || !isUtf8(bytes)) return null;
  const text = bytes.toString('utf8');
  const parsed = receiptSchema.safeParse(jsonIn(text));
  if (!parsed.success) return null;
  return countStrings(text) === 2 * Object.keys(parsed.data).length ? parsed.data : null;
};

/** Whether the payer's wallet signed this receipt. Always Ed25519: no algorithm is read from the receipt. */
export const verifyReceiptSignature = (receipt: Receipt): boolean => {
  const key = base58Bytes(receipt.payer, 32);
  const signature = base64Bytes(receipt.signature);
  if (key === null || signature?.length !== 64) return false;
  try {
    return verify(null, receiptMessage(receiptPayload(receipt)), ed25519PublicKey(key), signature);
  } catch {
    return false;
  }
};

// RFC 8410: the fixed SubjectPublicKeyInfo prefix of a 32-byte Ed25519 public key.
const spkiHead = Buffer.from('302a300506032b6570032100', 'hex');
const ed25519PublicKey = (key: Buffer) =>
  createPublicKey({ key: Buffer.concat([spkiHead, key]), format: 'der', type: 'spki' });

const base64Bytes = (text: string): Buffer | null => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
};

// The object is flat and all its values are strings, so each field accounts for two strings.
const countStrings = (json: string): number => json.match(/"(?:[^"\\]|\\.)*"/g)?.length ?? 0;
