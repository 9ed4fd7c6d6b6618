// Fields that the foreign dialects share, each as strict as what is signed from it.
import { z } from 'zod';
import { USDC_DECIMALS, usdc } from '../../money.ts';
import { base58Bytes } from '../../lib/solana-address.ts';
import { keyOfAddress } from '../../lib/wallet-signature.ts';
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

const rule = says('must be whole micro-USDC above zero, as text');
/** Micro-USDC, below 10^16, in the one spelling that every reader takes alike. */
export const unitsSchema = z
  .string({ error: rule })
  .regex(/^[1-9][0-9]{0,15}$/, { error: rule })
  .transform((text) => usdc(BigInt(text)));

const anAddress = says('must be a Solana address (32 bytes in base58)');
export const feePayerSchema = z
  .string({ error: anAddress })
  .refine((text) => base58Bytes(text, 32) !== null, { error: anAddress });

/** Whether a key for the address can exist: token accounts and other program accounts are off the curve. */
export const isWallet = (address: string): boolean => {
  let isOnCurve = known.get(address);
  if (isOnCurve === undefined) {
    isOnCurve = keyOfAddress(address) !== null;
    if (known.size >= mostKnown) known.clear();
    known.set(address, isOnCurve);
  }
  return isOnCurve;
};
/** A cache: the same payees come again, and the curve test is slow. */
const known = new Map<string, boolean>();
const mostKnown = 4_096;
const aWallet = says('must be the address of a wallet');
export const walletSchema = z.string({ error: aWallet }).refine(isWallet, { error: aWallet });

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
  tokenProgram: among(['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA']).nullish(),
};

/** The first fault of several. */
export const faultOf = (error: z.ZodError): Fault => {
  const [issue] = error.issues;
  return { path: issue?.path.join('.') ?? '', message: issue?.message ?? 'is invalid' };
};
