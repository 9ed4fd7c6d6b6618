// Fields that the foreign dialects share, each as strict as what is signed from it.
import { z } from 'zod';
import { USDC_DECIMALS, usdc } from '../../money.ts';
import { tokenProgram } from '../../lib/solana/programs.ts';
import { base58Bytes } from '../../lib/solana/solana-address.ts';
import type { Fault } from './protocol.ts';
import { quoted } from './words.ts';

interface Issue {
  input?: unknown;
}

export const says =
  (rule: string) =>
  ({ input }: Issue): string =>
    `${rule}, not ${quoted(input)}`;

/** Exactly one of these values. */
export const among = <const T extends string | number>(values: readonly [T, ...T[]]) =>
  z.literal([...values], { error: says(`must be ${values.map((one) => JSON.stringify(one)).join(' or ')}`) });

const rule = says('must be whole micro-USDC above zero');
/**
 * Micro-USDC, below 10^16, in the one spelling that every reader takes alike. The protocols ask for text; sellers that
 * write a JSON integer are paid by the official clients, and no two readers differ about a safe one.
 */
export const unitsSchema = z
  .preprocess((value) => (Number.isSafeInteger(value) ? String(value) : value), z.string({ error: rule }))
  .refine((text) => /^[1-9][0-9]{0,15}$/.test(text), { error: rule })
  .transform((text) => usdc(BigInt(text)));

const anAddress = says('must be a Solana address (32 bytes in base58)');
/** Of a fee payer, or of a payee: a wallet, or a program's address such as a multisig's, where that has a USDC account. */
export const accountSchema = z
  .string({ error: anAddress })
  .refine((text) => base58Bytes(text, 32) !== null, { error: anAddress });

/** The x402 scheme "exact" on Solana allows a memo this long. */
const mostMemoBytes = 256;
/** Null when the seller wants none. */
export const memoSchema = z
  .string({ error: says('must be text') })
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be plain text')
  .refine((text) => Buffer.byteLength(text) <= mostMemoBytes, `must be at most ${mostMemoBytes} bytes`)
  .nullish()
  .transform((text) => (text === '' ? null : (text ?? null)));

/** USDC belongs to the original token program; a token of its name under another program is another coin. */
export const tokenFields = {
  decimals: among([USDC_DECIMALS]).nullish(),
  tokenProgram: among([tokenProgram]).nullish(),
};

/** The first fault of several. */
export const faultOf = (error: z.ZodError): Fault => {
  const [issue] = error.issues;
  return { path: issue?.path.join('.') ?? '', message: issue?.message ?? 'is invalid' };
};
