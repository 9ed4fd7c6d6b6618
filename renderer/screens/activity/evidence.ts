// What proves a payment to its seller: which request was paid, where the payment is on the chain, and what the seller said.
import type { Transfer } from './steps.ts';

/** As JSON. Without the agent's own words, which are none of the seller's business. */
export const evidenceOf = ({ id, amount, currency, payee, txSignature, purchase, times }: Transfer): string =>
  JSON.stringify(
    {
      payment: id,
      request: purchase === null ? null : { method: purchase.method, url: purchase.url },
      requestHash: purchase?.requestHash ?? null,
      amount: `${amount} ${currency}`,
      payee,
      transaction: txSignature,
      paidAt: times.block ?? times.seen,
      seller: purchase?.evidence ?? null,
    },
    null,
    2,
  );
