// What a seller that answers 402 asks for, in our receipt protocol; the other dialects are named and not paid.
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { parseUsdc } from '../money.ts';

const quoteSchema = z.object({
  amount: z
    .string()
    .refine((text) => (parseUsdc(text) ?? 0n) > 0n, 'must be a decimal above zero with at most six places'),
  currency: z.literal('USDC'),
  recipient: z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'must be a Solana address'),
  invoice: z
    .string()
    .regex(/^[\x21-\x7e]{1,64}$/)
    .optional(),
  service: z.string().min(1).max(200).optional(),
  error: z.string().optional(),
  /** The payment is not visible yet: present the same receipt again. */
  retry: z.boolean().optional(),
});
export type Quote = z.output<typeof quoteSchema>;

/** What a purchase under way has to remember: a repeated call goes on from here. */
export interface Bought {
  quote: Quote;
  service: string;
  /** Paid: to be shown to the seller until it answers. */
  payment: { paymentId: string; txSignature: string; timestamp: string; receipt: string } | null;
}

/** @throws AppError `not_available` for what cannot be paid */
export const readQuote = (headers: Headers, body: string): Quote => {
  if (headers.has('payment-required')) throw foreign('x402 version 2');
  const json = parseJson(body);
  if (typeof json === 'object' && json !== null && 'x402Version' in json) throw foreign('x402 version 1');
  if (/^\s*payment\b/i.test(headers.get('www-authenticate') ?? '')) throw foreign('MPP');
  const quote = quoteSchema.safeParse(json);
  if (quote.success) return quote.data;
  const issue = quote.error.issues[0];
  throw new AppError(
    'not_available',
    `The seller's 402 does not say what to pay in a way this version reads (${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'invalid'}). Nothing was paid.`,
  );
};

const foreign = (dialect: string): AppError =>
  new AppError(
    'not_available',
    `The seller wants to be paid through ${dialect}, which this version cannot do. Nothing was paid.`,
  );

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
