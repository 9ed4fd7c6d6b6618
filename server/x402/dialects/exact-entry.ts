// An entry of x402's `accepts`, scheme "exact" on Solana: versions 1 and 2 differ in the amount's name and the network's.
// https://github.com/coinbase/x402/blob/main/specs/schemes/exact/scheme_exact_svm.md
import { z } from 'zod';
import type { AnswerLimits, Network, Offer } from '../../engine/ports.ts';
import {
  among,
  faultOf,
  feePayerSchema,
  memoSchema,
  says,
  tokenFields,
  unitsSchema,
  walletSchema,
} from './fields.ts';
import type { Fault, Market } from './protocol.ts';

export type ExactEntry = Pick<Offer, 'amount' | 'payee' | 'memo' | 'announced'> & { feePayer: string };

/** CAIP-2 ids, and version 1's names. The sandbox wears mainnet's, which is what the official packages know. */
const networkIds: Readonly<Record<Network, { v1: string; v2: string }>> = {
  sandbox: { v1: 'solana', v2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' },
  mainnet: { v1: 'solana', v2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' },
  devnet: { v1: 'solana-devnet', v2: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' },
};

/**
 * A reader of entries of one version. What an entry says of blockhashes, heights, slots and nonces is not read: our own
 * RPC's values are the ones that are signed.
 */
export const createEntryReader = (
  { network, mint }: Market,
  version: 'v1' | 'v2',
): ((entry: unknown) => ExactEntry | Fault) => {
  const shared = {
    scheme: among(['exact']),
    network: among([networkIds[network][version]]),
    asset: among([mint]),
    payTo: walletSchema,
    maxTimeoutSeconds: z.unknown().optional(),
    extra: z.object(
      { feePayer: feePayerSchema, memo: memoSchema, contentLength: z.unknown().optional(), ...tokenFields },
      { error: says('must be an object') },
    ),
  };
  const isEntry = { error: says('must be an object') };
  const schema =
    version === 'v2'
      ? z.object({ ...shared, amount: unitsSchema }, isEntry)
      : z
          .object({ ...shared, maxAmountRequired: unitsSchema }, isEntry)
          .transform(({ maxAmountRequired: amount, ...rest }) => ({ ...rest, amount }));
  return (entry) => {
    const read = schema.safeParse(entry);
    if (!read.success) return faultOf(read.error);
    const { amount, payTo, extra, maxTimeoutSeconds } = read.data;
    const announced = announcedIn(maxTimeoutSeconds, extra.contentLength);
    return { amount, payee: payTo, feePayer: extra.feePayer, memo: extra.memo, announced };
  };
};

/** Sellers say this or not, and not always in a form that helps. */
const announcedIn = (seconds: unknown, bytes: unknown): Partial<AnswerLimits> => ({
  ...(isCount(seconds) ? { withinMs: seconds * 1_000 } : {}),
  ...(isCount(bytes) ? { mostBytes: bytes } : {}),
});
const isCount = (value: unknown): value is number => typeof value === 'number' && value > 0 && value < 1e12;
