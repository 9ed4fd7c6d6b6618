// One payment, one grant, in all dialects: looks a claimed payment up on the chain, and grants its transaction once.
import type { Dialect } from '../contract/payments/dialects.ts';
import { usdc, type Usdc } from '../money.ts';
import { checkPayment, type Claim, type Due, type Paid } from './check-payment.ts';
import { refusal, type Refusal } from './refusal.ts';
import type { RpcTransaction, TransactionReader } from './transaction-reader.ts';
import type { Sold } from './store/invoice-store.ts';
import type { Grant, GrantStore, Invoice, Network } from './types.ts';

export interface Terms {
  recipient: string;
  network: Network;
  /** For receipts; the other dialects bind always. */
  bind: boolean | 'optional';
  mint: string;
  maxAgeMs: number;
  confirmedUpTo: Usdc;
  visibleWithinMs: number;
}

export interface LedgerDeps {
  terms: Terms;
  sold: Sold;
  reader: Pick<TransactionReader, 'read'>;
  store: GrantStore;
  /** The time in Unix milliseconds to compare blocks with. */
  now: () => number | Promise<number>;
  tokenAccount: (recipient: string) => string;
  wait: (ms: number) => Promise<void>;
}

export interface Ledger {
  /** The amount, recipient and deadline of an invoice, or those of a payment without one. */
  due(invoice: Pick<Invoice, 'amount' | 'recipient'> & { expiresAt: number | null }): Due;
  /**
   * Grants the payment, once and durably. `withinMs`: how long to wait until the chain shows it.
   * @throws AppError `chain_unreachable` when the chain cannot be asked; nothing is used up then
   */
  confirm(
    claim: Claim,
    due: Due,
    grant: Pick<Grant, 'invoice' | 'paymentId'> & { dialect: Dialect; isGone: () => boolean },
    withinMs?: number,
  ): Promise<Paid | { refused: Refusal } | { pending: Refusal }>;
}

/** The ledger of one seller; several over one store grant a transaction once between them. */
export const createLedger = (deps: LedgerDeps): Ledger => {
  const { terms, sold, reader, store, now, tokenAccount, wait } = deps;
  const { network, mint, maxAgeMs, visibleWithinMs, confirmedUpTo } = terms;

  const read = async (
    txSignature: string,
    amount: Usdc,
    withinMs: number,
  ): Promise<RpcTransaction | null> => {
    const commitment = amount <= confirmedUpTo ? 'confirmed' : 'finalized';
    const deadline = performance.now() + withinMs;
    // The node that we ask may be some blocks behind the payer's.
    for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, 1_600)) {
      const transaction = await reader.read(txSignature, commitment);
      if (transaction !== null || performance.now() + pauseMs > deadline) return transaction;
      await wait(pauseMs);
    }
  };

  return {
    due: ({ amount, recipient, expiresAt }) => ({
      amount: usdc(amount),
      recipient,
      mint,
      maxAgeMs,
      account: tokenAccount(recipient),
      expiresAt,
    }),
    async confirm(claim, due, { dialect, isGone, ...grant }, withinMs = visibleWithinMs) {
      const { txSignature } = claim;
      const { amount, recipient } = due;
      if (await store.isUsed(txSignature)) return { refused: alreadyUsed };
      const [transaction, time] = await Promise.all([read(txSignature, amount, withinMs), now()]);
      if (transaction === null) return { pending: notVisible };
      const notBefore = grant.invoice === null ? (await store.secret?.())?.restoredAt : undefined;
      const paid = checkPayment(claim, transaction, { ...due, notBefore }, time);
      if ('refused' in paid) return paid;
      // Nobody is there to be served: the payment stays good for its client’s next try.
      if (isGone()) return { pending: notVisible };
      const payment = { txSignature, payer: paid.payer, amount, grantedAt: time };
      const sale = { recipient, network, dialect, ...sold };
      const outcome = await store.grant({ ...grant, ...payment, sale });
      if (outcome === 'granted') return paid;
      return { refused: outcome === 'transaction_used' ? alreadyUsed : invoiceUsed };
    },
  };
};

/** The refusals of what was granted before. */
export const alreadyUsed = refusal(
  'already_used',
  'This payment was used before: one payment is good for one request',
);
export const invoiceUsed = refusal(
  'invoice_used',
  'This invoice was used before: one invoice is good for one request',
);
/** The chain will show it, or another request waits for it: the same payment is good later. */
export const notVisible = refusal(
  'not_visible',
  'The chain does not show this payment yet: send the same request with the same payment again',
);
