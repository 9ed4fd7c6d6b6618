// Which protocol a 402 speaks, and what ours asks for.
import { z } from 'zod';
import { parseUsdc } from '../money.ts';
import type { Usdc } from '../money.ts';
import { addressSchema } from './address.ts';
import { invoiceSchema, serviceSchema } from './receipt.ts';
import type { Network } from './receipt.ts';

export type Dialect = 'x402-v2' | 'x402-v1' | 'mpp' | 'receipt';

/** What a seller of our own protocol asks for. */
export interface Quote {
  amount: Usdc;
  currency: 'USDC';
  recipient: string;
  network?: Network | undefined;
  /** Goes into the memo and the receipt. */
  invoice?: string | undefined;
  service?: string | undefined;
  expiresAt?: string | undefined;
  /** The seller does not see the payment yet: present the same receipt again, and do not pay again. */
  retry?: boolean | undefined;
}

export type PaymentRequired =
  | { dialect: 'receipt'; quote: Quote }
  | { dialect: Exclude<Dialect, 'receipt'> }
  | { dialect: 'unknown'; reason: string };

const quoteSchema = z.object({
  amount: z.string('must be a decimal string').transform((text, context): Usdc => {
    const amount = parseUsdc(text);
    if (amount !== null && amount > 0n) return amount;
    context.addIssue({ code: 'custom', message: 'must be a decimal above zero with at most six places' });
    return z.NEVER;
  }),
  currency: z.literal('USDC'),
  recipient: addressSchema,
  network: z.enum(['sandbox', 'devnet', 'mainnet']).optional(),
  invoice: invoiceSchema.optional(),
  service: serviceSchema.optional(),
  expiresAt: z.iso.datetime().optional(),
  retry: z.boolean().optional(),
});

/**
 * Reads the answer of a seller. `header` looks a name up without regard to case, as `Headers.get` does; `body` is the
 * text as received. The order is fixed because one answer may carry several dialects: header `PAYMENT-REQUIRED`
 * (x402 v2), body `x402Version: 1`, `WWW-Authenticate: Payment` (MPP), body `{amount, currency, recipient}` (ours).
 * Ours is read whole or not at all: `unknown` says which field is at fault. Never throws.
 */
export const readPaymentRequired = (
  header: (name: string) => string | null | undefined,
  body: string,
): PaymentRequired => {
  if (header('payment-required')) return { dialect: 'x402-v2' };
  const json = parseObject(body);
  if (json?.['x402Version'] === 1) return { dialect: 'x402-v1' };
  if (offersScheme(header('www-authenticate') ?? '', 'payment')) return { dialect: 'mpp' };
  if (json === null) return { dialect: 'unknown', reason: 'the body of the 402 is not a JSON object' };
  const quote = quoteSchema.safeParse(json);
  if (quote.success) return { dialect: 'receipt', quote: quote.data };
  const issue = quote.error.issues[0];
  return { dialect: 'unknown', reason: `${issue?.path.join('.') ?? 'body'}: ${issue?.message ?? 'invalid'}` };
};

const parseObject = (text: string): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
};

// A challenge's parameters may quote anything, also the name of another scheme.
const offersScheme = (challenges: string, scheme: string): boolean =>
  challenges
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .split(',')
    .some((part) => part.trim().split(/\s/)[0]?.toLowerCase() === scheme);
