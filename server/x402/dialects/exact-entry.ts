// An entry of x402's `accepts`, scheme "exact" on Solana. Versions 1 and 2 name the amount and the network differently.
// https://github.com/coinbase/x402/blob/main/specs/schemes/exact/scheme_exact_svm.md
import { z } from 'zod';
import { x402Networks } from '../../contract/treasury/networks.ts';
import type { AnswerLimits, Offer } from '../../engine/ports.ts';
import { demandIn } from './demand.ts';
import { among, faultOf, memoSchema, says, tokenFields, unitsSchema, accountSchema } from './fields.ts';
import type { Fault, Market } from './protocol.ts';

type ExactEntry = Pick<Offer, 'amount' | 'payee' | 'splits' | 'memo' | 'announced'> & { feePayer: string };

/**
 * Reads entries of one version. It ignores what an entry says of blockhashes, heights, slots and nonces: we sign only
 * values of our own RPC.
 */
export const createEntryReader = (
  { network, mint }: Market,
  version: 'v1' | 'v2',
): ((entry: unknown) => ExactEntry | Fault) => {
  const shared = {
    scheme: among(['exact']),
    network: among([x402Networks[network][version]]),
    asset: among([mint]),
    payTo: accountSchema,
    maxTimeoutSeconds: z.unknown().optional(),
    extra: z.object(
      { feePayer: accountSchema, memo: memoSchema, contentLength: z.unknown().optional(), ...tokenFields },
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
    if (!read.success) return { ...faultOf(read.error), ...demandIn(entry) };
    const { amount, payTo, extra, maxTimeoutSeconds } = read.data;
    const announced = announcedIn(maxTimeoutSeconds, extra.contentLength);
    return { amount, payee: payTo, splits: [], feePayer: extra.feePayer, memo: extra.memo, announced };
  };
};

/** Sellers may leave these out, or give them in a form that does not help. */
const announcedIn = (seconds: unknown, bytes: unknown): Partial<AnswerLimits> => ({
  ...(isCount(seconds) ? { withinMs: seconds * 1_000 } : {}),
  ...(isCount(bytes) ? { mostBytes: bytes } : {}),
});
const isCount = (value: unknown): value is number => typeof value === 'number' && value > 0 && value < 1e12;
