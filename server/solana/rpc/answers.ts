// The answers of a Solana RPC that we rely on, checked in one place: their size, their form, and what the question
// requires of them.
import { z } from 'zod';
import type { Sighting, TransactionError } from '../../engine/ports.ts';
import { remember } from '../../lib/remember.ts';
import { addressSchema, base58Bytes, txSignatureSchema } from '../../lib/solana/solana-address.ts';

/** The most entries of a page of signatures, which is also the most that an RPC gives. */
export const pageLength = 1_000;
/** The most bytes of a transaction (https://docs.rs/solana-packet: PACKET_DATA_SIZE). */
const transactionBytes = 1_232;
/** The most that JSON makes of one byte of text, as in \u0001. */
const escaped = 6;
const KiB = 1_024;
const MiB = 1_024 * KiB;

/**
 * Each bound is of the longest answer that an honest node can give, rounded up. Strangers write memos and logs, and open
 * token accounts for anybody: what they can make longer must not be refused.
 */
const mostBytes: Readonly<Record<string, number>> = {
  // Each entry may hold a memo that fills its transaction: 7.7 MiB; a page without memos has about 250 kB.
  getSignaturesForAddress: Math.ceil((pageLength * (transactionBytes * escaped + 512)) / MiB) * MiB,
  // Inner instructions (64 with up to 10 KiB each in base58), 10 kB of logs, and balances of 256 accounts.
  getTransaction: 2 * MiB,
  // 100 token accounts of 165 bytes in base64.
  getMultipleAccounts: 256 * KiB,
  // 256 statuses, each twice with its error.
  getSignatureStatuses: 256 * KiB,
  // Some 600 bytes for each account: 6,900 of them, whose rent is 14 SOL.
  getTokenAccountsByOwner: 4 * MiB,
};

/** The most bytes of an answer to this method. */
export const mostBytesOf = (method: string): number => mostBytes[method] ?? 64 * KiB;

/** Checks the length before any entry: a long list of nonsense has as many faults as entries. */
const listWhere = <T extends z.ZodType>(isLength: (length: number) => boolean, wanted: string, entry: T) =>
  z
    .custom<unknown[]>((value) => Array.isArray(value) && isLength(value.length), `a list of ${wanted}`)
    .pipe(z.array(entry));
/** A list of exactly the length that was asked for: one of another length answers another question. */
const listOf = <T extends z.ZodType>(length: number, entry: T) =>
  listWhere((one) => one === length, `${length} entries`, entry);
const listUpTo = <T extends z.ZodType>(most: number, entry: T) =>
  listWhere((one) => one <= most, `at most ${most} entries`, entry);

const slot = z.number().int().nonnegative();
const context = z.object({ slot });
const withContext = <T extends z.ZodType>(value: T) => z.object({ context, value });
const commitment = z.enum(['processed', 'confirmed', 'finalized']);
/** Unix seconds until the end of the year 9999. */
const time = z.number().int().nonnegative().max(253_402_300_799);
const transactionError = z.union([z.string(), z.record(z.string(), z.unknown())]).nullable();

export const blockhashAnswer = withContext(
  z.object({ blockhash: addressSchema, lastValidBlockHeight: slot }),
);
export const blockhashValidAnswer = withContext(z.boolean());
export const epochInfoAnswer = z.object({ absoluteSlot: slot, blockHeight: slot });
export const slotAnswer = slot;
export const heightAnswer = slot;
export const signatureAnswer = txSignatureSchema;
export const lamportsAnswer = withContext(z.number().int().nonnegative());
export const rentAnswer = z.number().int().nonnegative();
export const blockTimeAnswer = time.nullable();
export const genesisAnswer = addressSchema;
export const prioritizationAnswer = listUpTo(
  pageLength,
  z.object({ slot, prioritizationFee: z.number().nonnegative() }),
);

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
/** @param count of the signatures that were looked up */
export const statusesAnswer = remember((count: number) => withContext(listOf(count, status)));

/** Token accounts in base64: the amount is at byte 64. */
const tokenAccountData = z
  .object({ data: z.tuple([z.string(), z.literal('base64')]) })
  .nullable()
  .transform((account) => {
    if (account === null) return null;
    const data = Buffer.from(account.data[0], 'base64');
    return data.length < 72 ? null : data.readBigUInt64LE(64);
  });
/** @param count of the accounts that were read */
export const tokenAccountsAnswer = remember((count: number) => withContext(listOf(count, tokenAccountData)));

export const ownedAccountsAnswer = withContext(
  listUpTo(10_000, z.object({ pubkey: z.string(), account: tokenAccountData })),
);

export const accountAnswer = withContext(
  z
    .object({ owner: z.string(), data: z.tuple([z.string(), z.literal('base64')]) })
    .nullable()
    .transform((account) =>
      account === null ? null : { owner: account.owner, data: Buffer.from(account.data[0], 'base64') },
    ),
);

const listed = z.object({
  signature: txSignatureSchema,
  slot,
  err: transactionError,
  blockTime: time.nullish(),
});
export type Listed = z.infer<typeof listed>;

export interface SignatureRange {
  limit: number;
  /** Signatures: the page begins below `before`, and ends above `until`. */
  before?: string | undefined;
  until?: string | undefined;
}

/** A page of signatures: newest first, none twice, and none of those that bound it. */
export const signaturesAnswer = ({ limit, before, until }: SignatureRange) =>
  listUpTo(limit, listed)
    .refine((page) => page.every((one, n) => one.slot <= (page[n - 1]?.slot ?? Infinity)), 'newest first')
    .refine((page) => new Set(page.map((one) => one.signature)).size === page.length, 'no entry twice')
    .refine(
      (page) => page.every((one) => one.signature !== before && one.signature !== until),
      'nothing outside of the range that was asked for',
    );

const tokenBalance = z.object({
  accountIndex: z.number().int(),
  mint: z.string(),
  owner: z.string().optional(),
  uiTokenAmount: z.object({ amount: z.string().regex(/^\d+$/) }),
});
const accountsOfTransaction = 256;
const landed = z.object({
  slot,
  blockTime: time.nullish(),
  transaction: z.tuple([z.string(), z.literal('base64')]),
  meta: z.object({
    err: transactionError,
    fee: z.number().int().nonnegative(),
    preTokenBalances: listUpTo(accountsOfTransaction, tokenBalance).nullish(),
    postTokenBalances: listUpTo(accountsOfTransaction, tokenBalance).nullish(),
    // Lamports of every account that the transaction names: some hold more than a safe integer.
    preBalances: listUpTo(accountsOfTransaction, z.number().nonnegative()).nullish(),
    postBalances: listUpTo(accountsOfTransaction, z.number().nonnegative()).nullish(),
    loadedAddresses: z
      .object({
        writable: listUpTo(accountsOfTransaction, z.string()),
        readonly: listUpTo(accountsOfTransaction, z.string()),
      })
      .nullish(),
  }),
});
export type Landed = z.infer<typeof landed>;

/** A transaction that has the signature, in the slot in which it was listed, if it was. */
export const transactionAnswer = (asked: { signature: string; slot?: number }) =>
  landed
    .refine((one) => isSignedBy(one.transaction[0], asked.signature), 'the transaction that was asked for')
    .refine((one) => one.slot === (asked.slot ?? one.slot), 'in the slot in which it was listed')
    .nullable();

/** A transaction begins with the count of its signatures, in one byte, and 64 bytes for each. */
const isSignedBy = (transaction: string, signature: string): boolean => {
  const wire = Buffer.from(transaction, 'base64');
  const wanted = base58Bytes(signature, 64);
  return Array.from({ length: wire[0] ?? 0 }, (_, n) => wire.subarray(1 + n * 64, 65 + n * 64)).some(
    (one) => wanted?.equals(one) === true,
  );
};
