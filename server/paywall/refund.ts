// Sends a payment back, at most once. A refund is kept before it is sent, so that a second call sends the same
// transaction again; another one takes its place only when the first can no longer land, and never after one has landed.
import { setTimeout as wait } from 'node:timers/promises';
import bs58 from 'bs58';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { formatUsdc, parseUsdc, usdc, type Usdc } from '../money.ts';
import { refundMemo } from '../lib/solana/transfer-memo.ts';
import { isSignature } from '../lib/solana/wallet-signature.ts';
import { encodeMessage, encodeTransaction } from '../lib/solana/wire.ts';
import { checkPayment } from './check-payment.ts';
import type { Terms } from './ledger.ts';
import { amountIn, memoOf, transferChecked } from './instructions.ts';
import type { TransactionReader } from './transaction-reader.ts';
import type { GrantStore, Payment, Paywall, Refund, Refunded, Signer } from './types.ts';

interface RefundDeps {
  terms: Pick<Terms, 'mint' | 'network'>;
  reader: TransactionReader;
  store: GrantStore;
  tokenAccount: (owner: string) => string;
}

const seenWithinMs = 30_000;

const pageLength = 1_000;

const historySchema = z.array(
  z.object({ signature: z.string(), err: z.unknown(), memo: z.string().nullish() }),
);
const blockhashSchema = z.object({
  value: z.object({ blockhash: z.string(), lastValidBlockHeight: z.number().int() }),
});
const epochSchema = z.object({ absoluteSlot: z.number(), blockHeight: z.number() });
const statusesSchema = z.object({
  context: z.object({ slot: z.number() }),
  value: z.tuple([z.object({ err: z.unknown(), confirmationStatus: z.string().nullish() }).nullable()]),
});

/** The `refund` of a paywall. @throws Error, a sentence that begins with `refund:` and says what to do */
export const createRefund =
  (deps: RefundDeps): Paywall['refund'] =>
  async (payment, signer, part = {}) => {
    const { findRefund, saveRefund } = deps.store;
    if (findRefund === undefined || saveRefund === undefined)
      throw new Error('refund: the store must have findRefund and saveRefund');
    try {
      return await refund(deps, payment, signer, amountOf(payment, part));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const cause = error.cause instanceof Error ? error.cause.message : error.message;
      throw new Error(`refund: ${cause}. Call refund again; it pays once`, { cause: error });
    }
  };

/** @throws Error when it is no part of what was paid */
const amountOf = (payment: Payment, { amount = payment.amount }: { amount?: string | undefined }): Usdc => {
  const [units, paid] = [parseUsdc(amount) ?? 0n, parseUsdc(payment.amount) ?? 0n];
  if (units === 0n || units > paid)
    throw new Error(
      `refund: amount must be decimal USDC above zero, such as "0.05", and at most the ${payment.amount} that were paid`,
    );
  return usdc(units);
};

const refund = async (
  deps: RefundDeps,
  payment: Payment,
  signer: Signer,
  amount: Usdc,
): Promise<Refunded> => {
  const { store } = deps;
  const { txSignature } = payment;
  if (!(await store.isUsed(txSignature))) throw new Error('refund: this payment was not granted here');
  let standing = await store.findRefund?.(txSignature);
  refuseAnother(standing, amount);
  if (standing?.landed === true) return landedAs(standing);
  if (standing === undefined || (await canNoLongerLand(deps, standing))) {
    const earlier = standing && (await findInHistory(deps, payment));
    if (standing && earlier) return note(deps, { ...standing, refundSignature: earlier }, standing);
    const made = await compose(deps, payment, signer, amount);
    const isKept = await store.saveRefund?.(made, standing?.refundSignature ?? null);
    // Another call was faster: its refund is the one that counts.
    standing = isKept === true ? made : await store.findRefund?.(txSignature);
  }
  if (standing === undefined) throw new Error('refund: the store has lost a refund');
  refuseAnother(standing, amount);
  return send(deps, standing);
};

/** A payment has one refund, of whatever part: this one would be told of as the other. */
const refuseAnother = (standing: Refund | undefined, amount: Usdc): void => {
  const begun = standing && amountIn(standing.wire);
  if (begun !== undefined && begun !== null && begun !== amount)
    throw new Error(
      `refund: this payment has a refund of ${formatUsdc(usdc(begun))} USDC, and there is one for each payment`,
    );
};

/** @throws Error when the chain does not show the payment as it is given, or the signature is not the recipient's */
const compose = async (
  { terms, reader, tokenAccount }: RefundDeps,
  payment: Payment,
  signer: Signer,
  amount: Usdc,
): Promise<Refund> => {
  const { txSignature, payer, recipient } = payment;
  const paidAmount = usdc(parseUsdc(payment.amount) ?? 0n);
  const source = tokenAccount(recipient);
  const found = await reader.read(txSignature, 'confirmed');
  if (found === null) throw new Error('refund: the chain does not show the payment');
  const all = { maxAgeMs: Infinity, expiresAt: null };
  const due = { ...all, amount: paidAmount, recipient, account: source, mint: terms.mint };
  const paid = checkPayment(
    { txSignature, payer, timestamp: null, memo: null },
    found,
    due,
    found.blockTime * 1_000,
  );
  if ('refused' in paid) throw new Error(`refund: ${paid.refused.message}`);

  const destination = tokenAccount(payer);
  const latest = await reader.call('getLatestBlockhash', [{ commitment: 'finalized' }]);
  const { blockhash, lastValidBlockHeight } = blockhashSchema.parse(latest).value;
  const message = encodeMessage(bs58.decode(recipient), bs58.decode(blockhash), [
    memoOf(refundMemo(txSignature)),
    transferChecked({ source, destination, authority: recipient, mint: terms.mint, amount }),
  ]);
  const signature = await signer(message);
  if (!isSignature(signature, message, recipient))
    throw new Error(`refund: the signer did not sign with the key of ${recipient}`);
  const wire = encodeTransaction([signature], message).toString('base64');
  return { txSignature, refundSignature: bs58.encode(signature), wire, lastValidBlockHeight };
};

const send = async (deps: RefundDeps, standing: Refund): Promise<Refunded> => {
  const { refundSignature: txSignature, wire } = standing;
  const deadline = performance.now() + seenWithinMs;
  if ((await lookUp(deps, txSignature)).status === null) {
    const params = [wire, { encoding: 'base64', preflightCommitment: 'confirmed' }];
    await deps.reader.call('sendTransaction', params).catch(async (error: unknown) => {
      // Another call may have sent it in between.
      if ((await lookUp(deps, txSignature)).status === null) throw error;
    });
  }
  for (let pauseMs = 100; ; pauseMs = Math.min(2 * pauseMs, 2_000)) {
    const { status } = await lookUp(deps, txSignature);
    if (status?.err) throw new Error('refund: it failed on the chain. Call refund again for another try');
    const seen = status?.confirmationStatus;
    if (seen === 'confirmed' || seen === 'finalized') return note(deps, standing, standing);
    if (performance.now() + pauseMs > deadline) return { ...toldOf(standing), status: 'sent' };
    await wait(pauseMs);
  }
};

const toldOf = ({ refundSignature, wire }: Refund): Omit<Refunded, 'status'> => ({
  txSignature: refundSignature,
  amount: formatUsdc(usdc(amountIn(wire) ?? 0n)),
});
const landedAs = (standing: Refund): Refunded => ({ ...toldOf(standing), status: 'confirmed' });

/** Keeps that it has landed: a node whose history has holes may say otherwise later. */
const note = async ({ store }: RefundDeps, seen: Refund, standing: Refund): Promise<Refunded> => {
  await store.saveRefund?.({ ...seen, landed: true }, standing.refundSignature);
  return landedAs(seen);
};

/** The refund of this payment in the history of the account that was paid, since the payment; null for none. */
const findInHistory = async (
  { reader, tokenAccount }: RefundDeps,
  { txSignature, recipient }: Payment,
): Promise<string | null> => {
  const until = { until: txSignature, commitment: 'confirmed' };
  for (let before: object = {}; ;) {
    const params = [tokenAccount(recipient), { ...until, ...before, limit: pageLength }];
    const page = historySchema.parse(await reader.call('getSignaturesForAddress', params));
    for (const { signature, err, memo } of page) {
      if (err !== null || memo?.includes(refundMemo(txSignature)) !== true) continue;
      // Anybody may write the memo; the recipient alone pays the fee of its refund.
      const found = await reader.read(signature, 'confirmed');
      if (found?.transaction.message.accountKeys[0] === recipient) return signature;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < pageLength) return null;
    before = { before: last.signature };
  }
};

/** Proven by finalized blocks: it failed in one, or all that it could land in are there without it. */
export const canNoLongerLand = async (
  deps: Pick<RefundDeps, 'reader'>,
  standing: Pick<Refund, 'refundSignature' | 'lastValidBlockHeight'>,
): Promise<boolean> => {
  const now = await deps.reader.call('getEpochInfo', [{ commitment: 'finalized' }]);
  const { absoluteSlot, blockHeight } = epochSchema.parse(now);
  const { status, slot } = await lookUp(deps, standing.refundSignature);
  // A node that lags behind the first answer proves nothing.
  if (status === null) return blockHeight > standing.lastValidBlockHeight && slot >= absoluteSlot;
  return Boolean(status.err) && status.confirmationStatus === 'finalized';
};

const lookUp = async ({ reader }: Pick<RefundDeps, 'reader'>, txSignature: string) => {
  const params = [[txSignature], { searchTransactionHistory: true }];
  const { context, value } = statusesSchema.parse(await reader.call('getSignatureStatuses', params));
  return { status: value[0], slot: context.slot };
};
