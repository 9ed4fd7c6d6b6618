// Evidence of a payment for its seller: the paid request, the payment's place on the chain, and the seller's answer.
import type { Transfer } from '../../../server/contract/payments/steps.ts';

/** As JSON. Without the agent's own words, which are none of the seller's business. */
export const evidenceOf = ({ id, amount, currency, payee, txSignature, purchase, times }: Transfer): string =>
  JSON.stringify(
    {
      payment: id,
      request: purchase === null ? null : { method: purchase.method, url: purchase.url },
      requestHash: purchase?.requestHash ?? null,
      splits: purchase?.splits ?? [],
      amount: `${amount} ${currency}`,
      payee,
      transaction: txSignature,
      paidAt: times.block ?? times.seen,
      seller: purchase?.evidence ?? null,
    },
    null,
    2,
  );
