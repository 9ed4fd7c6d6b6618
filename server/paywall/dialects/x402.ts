// The common part of payments that the seller's side sends, in both versions of x402 (scheme "exact" on Solana) and in MPP:
// the buyer signs, a facilitator or this seller verifies and sends, and the chain has to show what was sent.
// https://github.com/coinbase/x402/blob/main/specs/schemes/exact/scheme_exact_svm.md
import { createHash } from 'node:crypto';
import { formatUsdc } from '../../money.ts';
import { encodeJson, isObject, type JsonObject } from '../../lib/base64-json.ts';
import { decodeTransaction } from '../../lib/solana/wire.ts';
import type { Paid } from '../check-payment.ts';
import type { Facilitator, ToSettle, X402Version } from '../facilitator.ts';
import { alreadyUsed, invoiceUsed, notVisible, type Ledger, type Terms } from '../ledger.ts';
import { refusal, type Refusal } from '../refusal.ts';
import type { ReadRoute } from '../read-route.ts';
import type { Asked, GrantStore, Invoice } from '../types.ts';
import type { Headers, RequestPrint, Verdict } from './dialect.ts';

export interface X402Deps {
  terms: Terms;
  store: Pick<GrantStore, 'isInvoiceUsed' | 'findSettled' | 'saveSettled'>;
  ledger: Ledger;
  facilitator: Facilitator;
  now: () => number | Promise<number>;
  /** The request's address, as the outside names it. */
  resource: (asked: Asked) => string;
  route: ReadRoute | undefined;
  warn: (error: unknown, message: string) => void;
}

/** The facilitator may take this long until the payment is on the chain. */
export const maxTimeoutSeconds = 300;
/** The buyer has no way to show the payment again, so the chain gets this long to show it. */
const shownWithinMs = 30_000;
const mostTransaction = 2_048;
const longestTimerMs = 2 ** 31 - 1;
export const mostHeader = 16_384;

/**
 * The hash of the message that a payload's transaction signs; null for anything else. It leaves the signatures out, of
 * which the facilitator adds one.
 */
export const messageIn = ({ payload }: JsonObject): string | null => {
  const transaction = isObject(payload) ? payload['transaction'] : undefined;
  if (typeof transaction !== 'string' || transaction.length > mostTransaction) return null;
  try {
    const { message } = decodeTransaction(Buffer.from(transaction, 'base64'));
    return createHash('sha256').update(message.bytes).digest('base64');
  } catch {
    return null;
  }
};

/** The buyer's payment, its terms, and the grant that it is for. */
export interface Payable extends ToSettle {
  /** The request that it is shown for. */
  print: RequestPrint;
  isGone: () => boolean;
  /** Why it must not be settled now; null when it may be. */
  whyNot(): Promise<Refusal | null>;
  /** Of the answer that serves it. */
  headers(txSignature: string, paid: Paid): Headers;
}

export type Pay = (payable: Payable) => Promise<Verdict>;

/**
 * Settles, and grants what the chain shows. A transaction is public once it has landed, with all that its payload holds:
 * until the first to show it is answered, nobody else is served for it, and then only the request that it was first shown
 * for. That is kept before it is settled, so that no other process serves it to whoever saw it on the chain.
 */
export const createPay = (deps: X402Deps): Pay => {
  const underWay = new Set<string>();
  const records = createRecords(deps);
  return async (payable) => {
    const { message: key } = payable;
    // Its client may have gone, and come back before the chain has shown it.
    if (underWay.has(key)) return { pending: notVisible, invoice: payable.invoice };
    // Of two payments for one invoice the second would be settled for nothing.
    const keys = payable.invoice === null ? [key] : [key, payable.invoice];
    if (keys.some((one) => underWay.has(one))) return { refused: alreadyUsed };
    for (const one of keys) underWay.add(one);
    try {
      if (!(await isFirstRequest(records, payable, deps.terms.maxAgeMs))) return { refused: alreadyUsed };
      const known = await records.find(key);
      if (known !== undefined) return await grant(deps, payable, known);
      const outcome = await settle(deps, payable);
      if (typeof outcome !== 'string') {
        if ('refused' in outcome) records.drop(requestOf(key));
        return outcome;
      }
      // Kept for a buyer that comes back: the chain was slow to show it, or this process ended before the grant.
      await records.save(key, outcome, deps.terms.maxAgeMs);
      return await grant(deps, payable, outcome);
    } finally {
      for (const one of keys) underWay.delete(one);
    }
  };
};

/** What is known of payments under way. */
interface Records {
  find(message: string): Promise<string | undefined>;
  save(message: string, value: string, forMs: number): Promise<void>;
  /** Nothing was paid. A store forgets it by itself. */
  drop(message: string): void;
}

/** In the store, or in this process where the store cannot keep them. */
const createRecords = ({ store }: Pick<X402Deps, 'store'>): Records => {
  if (store.findSettled !== undefined && store.saveSettled !== undefined)
    return {
      find: async (message) => store.findSettled?.(message),
      save: async (message, txSignature, forMs) =>
        store.saveSettled?.({ message, txSignature, until: Date.now() + forMs }),
      drop() {},
    };
  const own = new Map<string, string>();
  return {
    find: async (message) => own.get(message),
    async save(message, value, forMs) {
      own.set(message, value);
      setTimeout(() => own.delete(message), Math.min(forMs, longestTimerMs)).unref();
    },
    drop: (message) => void own.delete(message),
  };
};

/**
 * Whether this is the request that the payment was first shown for; the first one becomes that. The record has the form of
 * a settled payment, which every store can keep: a digest of the message, and one that is of no other payment.
 */
const isFirstRequest = async (
  records: Records,
  { message, print, invoice }: Payable,
  maxAgeMs: number,
): Promise<boolean> => {
  const name = requestOf(message);
  const own = firstRequest(message, print, invoice);
  if ((await records.find(name)) === undefined)
    await records.save(name, own, maxAgeMs + maxTimeoutSeconds * 1_000);
  const kept = await records.find(name);
  // An older version kept no invoice.
  return kept === own || kept === firstRequest(message, print, null);
};

const firstRequest = (message: string, print: RequestPrint, invoice: string | null): string =>
  digest([message, print.method, print.url, print.bodySha256, ...(invoice === null ? [] : [invoice])]);

/** Whether the store says that this message was settled for this request under this invoice, which was valid then. */
export const isSettledFor = async (
  { findSettled }: X402Deps['store'],
  { message, print, invoice }: { message: string; print: RequestPrint; invoice: string },
): Promise<boolean> =>
  (await findSettled?.(message)) !== undefined &&
  (await findSettled?.(requestOf(message))) === firstRequest(message, print, invoice);

/** The name of the record of a payment's request. */
const requestOf = (message: string): string => digest(['request', message]);

const digest = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64');

/** Nothing has been paid until then: a payment that could not be granted is not settled. */
export const whyNotNow = async (
  { now, store }: Pick<X402Deps, 'now' | 'store'>,
  { id, expiresAt }: Invoice,
): Promise<Refusal | null> => {
  if ((await now()) > expiresAt) return expired;
  return (await store.isInvoiceUsed?.(id)) ? invoiceUsed : null;
};

/** The header of x402 that tells the buyer of its payment. */
export const settledHeader = (
  version: X402Version,
  network: string,
  transaction: string,
  { payer }: Paid,
): Headers => ({
  [version === 1 ? 'x-payment-response' : 'payment-response']: encodeJson(
    { success: true, transaction, network, payer },
    'base64',
  ),
});

/** The transaction's signature, or why there is none. */
const settle = async ({ facilitator, warn }: X402Deps, payable: Payable): Promise<string | Verdict> => {
  try {
    // One that was begun may have been paid: only the chain says what became of it.
    const refused = (await facilitator.hasBegun?.(payable.message)) === true ? null : await payable.whyNot();
    if (refused !== null) return { refused };
    const settled = await facilitator.settle(payable);
    if ('txSignature' in settled) return settled.txSignature;
    return { refused: refusal('not_settled', `The payment was not settled: ${plain(settled.refused)}`) };
  } catch (error) {
    warn(error, 'a payment could not be settled');
    return { unavailable: notNow };
  }
};

const grant = async (
  { terms, ledger }: X402Deps,
  { version, due, invoice, memo, isGone, headers }: Payable,
  txSignature: string,
): Promise<Verdict> => {
  const claim = { txSignature, payer: null, timestamp: null, memo };
  const paymentId = memo ?? txSignature;
  const withinMs = Math.max(terms.visibleWithinMs, shownWithinMs);
  const dialect = version === 'mpp' ? version : (`x402-v${version}` as const);
  const paid = await ledger.confirm(claim, due, { invoice, paymentId, dialect, isGone }, withinMs);
  if ('pending' in paid) return { ...paid, invoice };
  if ('refused' in paid) return paid;
  const granted = {
    dialect,
    txSignature,
    amount: formatUsdc(due.amount),
    currency: 'USDC' as const,
    recipient: due.recipient,
    network: terms.network,
    paymentId,
    ...(invoice === null ? {} : { invoice }),
    ...paid,
  };
  return { granted, headers: headers(txSignature, paid) };
};

/** The answer while nobody can say whether the payment is settled. */
export const notNow = 'Payments cannot be settled at the moment: send the same payment again';

const expired = refusal('invoice_expired', 'The offer has expired: pay the offer of this answer');

/** A facilitator's reason is a short word; anything else would be text of a stranger in our answer. */
const plain = (reason: string): string => (/^[\w. -]{1,120}$/.test(reason) ? reason : 'no reason');

/** What a route's declaration says of its answer. */
export const aboutOf = (route: ReadRoute | undefined): { description?: string; mimeType?: string } => ({
  ...(route?.description === undefined ? {} : { description: route.description }),
  ...(route?.output === undefined ? {} : { mimeType: 'application/json' }),
});

/** The refusal of a header that holds no payment. */
export const malformed = (header: string): Refusal =>
  refusal(
    'malformed_payment',
    `${header} is not a payment of x402: base64 of JSON with the payload {transaction}`,
  );
