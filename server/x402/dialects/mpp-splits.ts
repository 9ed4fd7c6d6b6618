// MPP's splits: further recipients of one charge, each of which gets a part of its amount in the same transaction.
// https://paymentauth.org
import { z } from 'zod';
import type { Split } from '../../engine/ports.ts';
import { shareOf } from '../../lib/share-of.ts';
import type { Usdc } from '../../money.ts';
import { accountSchema, memoSchema, says, unitsSchema } from './fields.ts';
import type { Fault } from './protocol.ts';

/** The protocol's own limit. */
const mostSplits = 8;
/** Of all memos of a charge with splits: with eight of them, so much is left in a Solana packet. */
const mostMemoBytes = 320;

export const splitsSchema = z
  .array(
    z
      .object({
        recipient: accountSchema,
        amount: unitsSchema,
        memo: memoSchema,
        // We open no account in the transaction of a seller's protocol.
        ataCreationRequired: z.literal(false, { error: says('must not be true') }).nullish(),
      })
      .transform(({ recipient: payee, amount, memo }): Split => ({ payee, amount, memo })),
    { error: says('must be a list') },
  )
  .max(mostSplits, `must be at most ${mostSplits} recipients`)
  .nullish()
  .transform((splits) => splits ?? []);

interface Charge {
  amount: Usdc;
  payee: string;
  memo: string | null;
  splits: readonly Split[];
}

const fault = (message: string): Fault => ({ path: 'methodDetails.splits', message });

/** Why this charge cannot be split so, or null. */
export const faultOfSplits = ({ amount, payee, memo, splits }: Charge): Fault | null => {
  if (splits.length === 0) return null;
  if (new Set([payee, ...splits.map((split) => split.payee)]).size <= splits.length)
    return fault('must not name a recipient twice');
  if (shareOf(amount, splits) <= 0n) return fault('must leave the recipient a part of the amount');
  const memos = [memo, ...splits.map((split) => split.memo)].join('');
  return Buffer.byteLength(memos) <= mostMemoBytes
    ? null
    : fault(`must have memos of at most ${mostMemoBytes} bytes in all, to fit into one transaction`);
};
