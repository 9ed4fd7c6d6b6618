// The common part of both versions of x402, scheme "exact" on Solana: the buyer signs, the facilitator verifies and
// sends, and the chain has to show what it sent.
// https://github.com/coinbase/x402/blob/main/specs/schemes/exact/scheme_exact_svm.md
import { createHash } from 'node:crypto';
import { formatUsdc } from '../../money.ts';
import { encodeJson, isObject, type JsonObject } from '../../lib/base64-json.ts';
import type { Due } from '../check-payment.ts';
import type { Facilitator, Settled, X402Version } from '../facilitator.ts';
import type { Ledger, Terms } from '../ledger.ts';
import { refusal, type Refusal } from '../refusal.ts';
import type { Asked } from '../types.ts';
import type { Verdict } from './dialect.ts';

export interface X402Deps {
  terms: Terms;
  ledger: Ledger;
  facilitator: Facilitator;
  /** The request's address, as the outside names it. */
  resource: (asked: Asked) => string;
  warn: (error: unknown, message: string) => void;
}

/** The facilitator may take this long until the payment is on the chain. */
export const maxTimeoutSeconds = 300;
/** The buyer has no way to show the payment again, so the chain gets this long to show it. */
const shownWithinMs = 30_000;
const mostTransaction = 2_048;
export const mostHeader = 16_384;

/** The signed transaction of a payload; null for anything else. */
export const transactionIn = ({ payload }: JsonObject): string | null => {
  const transaction = isObject(payload) ? payload['transaction'] : undefined;
  return typeof transaction === 'string' && transaction.length <= mostTransaction ? transaction : null;
};

/** The buyer's payment, its terms, and the grant that it is for. */
export interface Payable {
  version: X402Version;
  payload: JsonObject;
  transaction: string;
  requirements: object;
  due: Due;
  invoice: string | null;
  memo: string | null;
}

export type Pay = (payable: Payable) => Promise<Verdict>;

/** Settles, once for equal payloads that arrive together, and grants what the chain shows. */
export const createPay = ({ terms, ledger, facilitator, warn }: X402Deps): Pay => {
  const settling = new Map<string, Promise<Settled>>();

  const settleOnce = ({ version, payload, transaction, requirements }: Payable): Promise<Settled> => {
    const key = createHash('sha256').update(transaction).digest('base64');
    const under = settling.get(key);
    if (under !== undefined) return under;
    const settled = facilitator.settle(version, payload, requirements);
    settling.set(key, settled);
    const forget = (): boolean => settling.delete(key);
    // A success is kept a while for a buyer that comes back with it.
    settled.then(
      (outcome) => ('refused' in outcome ? forget() : void setTimeout(forget, terms.maxAgeMs).unref()),
      forget,
    );
    return settled;
  };

  return async (payable) => {
    const { due, invoice, memo, version } = payable;
    let settled: Settled;
    try {
      settled = await settleOnce(payable);
    } catch (error) {
      warn(error, 'a payment could not be settled');
      return { unavailable: 'The facilitator is unavailable at the moment' };
    }
    if ('refused' in settled)
      return {
        refused: refusal('not_settled', `The facilitator did not settle it: ${plain(settled.refused)}`),
      };
    const { txSignature } = settled;
    const claim = { txSignature, payer: null, timestamp: null, memo };
    const grant = { invoice, paymentId: memo ?? txSignature };
    const paid = await ledger.confirm(claim, due, grant, Math.max(terms.visibleWithinMs, shownWithinMs));
    if ('pending' in paid) return { ...paid, invoice };
    if ('refused' in paid) return paid;
    const { network, recipient } = { network: terms.network, recipient: due.recipient };
    const granted = {
      dialect: `x402-v${version}` as const,
      txSignature,
      amount: formatUsdc(due.amount),
      currency: 'USDC' as const,
      recipient,
      network,
      paymentId: grant.paymentId,
      ...(invoice === null ? {} : { invoice }),
      ...paid,
    };
    const response = {
      success: true,
      transaction: txSignature,
      network: networkIn(payable.requirements),
      payer: paid.payer,
    };
    const name = version === 1 ? 'x-payment-response' : 'payment-response';
    return { granted, headers: { [name]: encodeJson(response, 'base64') } };
  };
};

const networkIn = (requirements: object): unknown => (requirements as { network?: unknown }).network;

/** A facilitator's reason is a short word; anything else would be text of a stranger in our answer. */
const plain = (reason: string): string => (/^[\w. -]{1,120}$/.test(reason) ? reason : 'no reason');

export const malformed = (header: string): Refusal =>
  refusal(
    'malformed_payment',
    `${header} is not a payment of x402: base64 of JSON with the payload {transaction}`,
  );
