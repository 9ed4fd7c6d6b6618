// The answers of a Solana RPC that we rely on, parsed in one place.
import { z } from 'zod';
import type { Sighting, TransactionError } from '../engine/ports.ts';

const slot = z.number().int().nonnegative();
const context = z.object({ slot });
const withContext = <T extends z.ZodType>(value: T) => z.object({ context, value });
const commitment = z.enum(['processed', 'confirmed', 'finalized']);
const transactionError = z.union([z.string(), z.record(z.string(), z.unknown())]).nullable();

export const blockhashAnswer = withContext(z.object({ blockhash: z.string(), lastValidBlockHeight: slot }));
export const blockhashValidAnswer = withContext(z.boolean());
export const epochInfoAnswer = z.object({ absoluteSlot: slot, blockHeight: slot });
export const slotAnswer = slot;
export const signatureAnswer = z.string();
export const lamportsAnswer = withContext(z.number().int().nonnegative());
export const rentAnswer = z.number().int().nonnegative();
export const blockTimeAnswer = z.number().int().nullable();
export const genesisAnswer = z.string();
export const prioritizationAnswer = z.array(z.object({ slot, prioritizationFee: z.number().nonnegative() }));

const status = z
  .object({ slot, err: transactionError, confirmationStatus: commitment.nullish() })
  .nullable()
  .transform((found): Sighting | null =>
    found === null
      ? null
      : {
          slot: found.slot,
          error: found.err as TransactionError | null,
          commitment: found.confirmationStatus ?? 'finalized',
        },
  );
export const statusesAnswer = withContext(z.array(status));

/** Token accounts in base64: the amount is at byte 64. */
const tokenAccountData = z
  .object({ data: z.tuple([z.string(), z.literal('base64')]) })
  .nullable()
  .transform((account) => {
    if (account === null) return null;
    const data = Buffer.from(account.data[0], 'base64');
    return data.length < 72 ? null : data.readBigUInt64LE(64);
  });
export const tokenAccountsAnswer = withContext(z.array(tokenAccountData));

export const ownedAccountsAnswer = withContext(
  z.array(z.object({ pubkey: z.string(), account: tokenAccountData })),
);

export const accountAnswer = withContext(
  z
    .object({ owner: z.string(), data: z.tuple([z.string(), z.literal('base64')]) })
    .nullable()
    .transform((account) =>
      account === null ? null : { owner: account.owner, data: Buffer.from(account.data[0], 'base64') },
    ),
);

export const signaturesForAddressAnswer = z.array(
  z.object({
    signature: z.string(),
    slot,
    err: transactionError,
    blockTime: z.number().int().nullish(),
  }),
);

const tokenBalance = z.object({
  accountIndex: z.number().int(),
  mint: z.string(),
  owner: z.string().optional(),
  uiTokenAmount: z.object({ amount: z.string().regex(/^\d+$/) }),
});
export const transactionAnswer = z
  .object({
    slot,
    blockTime: z.number().int().nullish(),
    transaction: z.tuple([z.string(), z.literal('base64')]),
    meta: z.object({
      err: transactionError,
      fee: z.number().int().nonnegative(),
      preTokenBalances: z.array(tokenBalance).nullish(),
      postTokenBalances: z.array(tokenBalance).nullish(),
      // Lamports of every account that the transaction names: some hold more than a safe integer.
      preBalances: z.array(z.number().nonnegative()).nullish(),
      postBalances: z.array(z.number().nonnegative()).nullish(),
      loadedAddresses: z.object({ writable: z.array(z.string()), readonly: z.array(z.string()) }).nullish(),
    }),
  })
  .nullable();
