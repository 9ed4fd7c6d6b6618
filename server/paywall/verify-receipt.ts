// The seller's decision about one request: granted once, refused with a reason, or pending.
import { formatUsdc, parseUsdc, usdc } from '../money.ts';
import type { Usdc } from '../money.ts';
import { checkPayment } from './check-payment.ts';
import type { Due } from './check-payment.ts';
import type { GrantStore, Invoice } from './types.ts';
import { decodeReceipt, receiptPrefix, verifyReceiptSignature } from '../lib/receipt.ts';
import type { Network, Receipt } from '../lib/receipt.ts';
import { refusal } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { RpcTransaction, TransactionReader } from './transaction-reader.ts';

/** The request that an invoice is bound to. */
export type RequestPrint = Pick<Invoice, 'method' | 'url' | 'bodySha256'>;

export type Verdict =
  | { granted: Receipt }
  | { refused: Refusal; pending?: false }
  /** The chain does not show the payment yet; nothing is used up, and the same receipt may be presented again. */
  | { refused: Refusal; pending: true; receipt: Receipt };

export interface Terms {
  price: Usdc;
  recipient: string;
  network: Network;
  bind: boolean | 'optional';
  mint: string;
  maxAgeMs: number;
  confirmedUpTo: Usdc;
  visibleWithinMs: number;
}

export interface VerifierDeps {
  terms: Terms;
  reader: Pick<TransactionReader, 'read'>;
  store: GrantStore;
  /** The time in Unix milliseconds to compare blocks with. */
  now: () => number | Promise<number>;
  tokenAccount: (recipient: string) => string;
  wait: (ms: number) => Promise<void>;
}

/** @throws AppError `chain_unreachable` when the chain cannot be asked; nothing is used up then */
export type Verify = (header: string, asked: RequestPrint) => Promise<Verdict>;

export const createVerifier = ({ terms, reader, store, now, tokenAccount, wait }: VerifierDeps): Verify => {
  const read = async (txSignature: string, amount: Usdc): Promise<RpcTransaction | null> => {
    const commitment = amount <= terms.confirmedUpTo ? 'confirmed' : 'finalized';
    const deadline = performance.now() + terms.visibleWithinMs;
    // The node that we ask may be some blocks behind the payer's.
    for (let pauseMs = 50; ; pauseMs *= 2) {
      const transaction = await reader.read(txSignature, commitment);
      if (transaction !== null || performance.now() + pauseMs > deadline) return transaction;
      await wait(pauseMs);
    }
  };

  return async (header, asked) => {
    const receipt = readReceipt(header);
    if ('code' in receipt) return { refused: receipt };
    const found = receipt.invoice === undefined ? undefined : await store.findInvoice(receipt.invoice);
    const invoice = terms.bind === false ? undefined : found;
    // The quoted price is the one due, even when the price has changed since.
    const due = dueFor(terms, invoice, tokenAccount);
    const unfit =
      checkReceipt(receipt, due, terms.network) ?? checkBinding(receipt, invoice, asked, terms.bind);
    if (unfit) return { refused: unfit };
    if (await store.isUsed(receipt.txSignature)) return { refused: alreadyUsed };

    const [transaction, time] = await Promise.all([read(receipt.txSignature, due.amount), now()]);
    if (transaction === null) return { refused: notVisible, pending: true, receipt };
    const wrong = checkPayment(receipt, transaction, due, time);
    if (wrong) return { refused: wrong };

    const { txSignature, paymentId, payer } = receipt;
    const grant = { txSignature, paymentId, payer, invoice: invoice?.id ?? null };
    const outcome = await store.grant({ ...grant, amount: due.amount, grantedAt: time });
    if (outcome === 'granted') return { granted: receipt };
    return { refused: outcome === 'transaction_used' ? alreadyUsed : invoiceUsed };
  };
};

const readReceipt = (header: string): Receipt | Refusal => {
  // First of all: x402 v1 sends its payments under the same header name, and no base64 has a dot.
  if (!header.startsWith(receiptPrefix)) {
    return refusal(
      'unsupported_payment',
      'X-Payment does not start with "v1.": only such receipts are accepted here',
    );
  }
  return (
    decodeReceipt(header) ??
    refusal(
      'malformed_receipt',
      'X-Payment is not a receipt: v1.<base64 of JSON with exactly the known fields>',
    )
  );
};

const dueFor = (terms: Terms, invoice: Invoice | undefined, tokenAccount: (owner: string) => string): Due => {
  const { amount, recipient } = invoice ?? { amount: terms.price, recipient: terms.recipient };
  const { mint, maxAgeMs } = terms;
  return {
    amount: usdc(amount),
    recipient,
    mint,
    maxAgeMs,
    account: tokenAccount(recipient),
    expiresAt: invoice?.expiresAt ?? null,
  };
};

const checkReceipt = (receipt: Receipt, due: Due, network: Network): Refusal | null => {
  if (receipt.network !== network) {
    return refusal(
      'wrong_network',
      `The receipt is for ${receipt.network}, payments are taken on ${network}`,
    );
  }
  if (receipt.recipient !== due.recipient) {
    return refusal(
      'wrong_recipient',
      `The receipt pays ${receipt.recipient}, due is a payment to ${due.recipient}`,
    );
  }
  if (parseUsdc(receipt.amount) !== due.amount) {
    return refusal(
      'wrong_amount',
      `The receipt pays ${receipt.amount} USDC, ${formatUsdc(due.amount)} are due`,
    );
  }
  if (!verifyReceiptSignature(receipt)) {
    return refusal('bad_signature', `The receipt is not signed by the wallet ${receipt.payer}`);
  }
  return null;
};

const checkBinding = (
  receipt: Receipt,
  invoice: Invoice | undefined,
  asked: RequestPrint,
  bind: Terms['bind'],
): Refusal | null => {
  if (bind === false) return null;
  if (receipt.invoice === undefined) {
    const missing = 'The receipt names no invoice; pay with the invoice that this answer carries';
    return bind === 'optional' ? null : refusal('invoice_missing', missing);
  }
  if (invoice === undefined)
    return refusal('unknown_invoice', 'The invoice was not issued here, or ended long ago');
  const differs = (['method', 'url', 'bodySha256'] as const).find((part) => invoice[part] !== asked[part]);
  if (differs === undefined) return null;
  const part = { method: 'method', url: 'URL', bodySha256: 'body' }[differs];
  return refusal('wrong_request', `The invoice was issued for a request with another ${part}`);
};

const alreadyUsed = refusal(
  'already_used',
  'This payment was used before: one payment is good for one request',
);
const invoiceUsed = refusal(
  'invoice_used',
  'This invoice was used before: one invoice is good for one request',
);
const notVisible = refusal(
  'not_visible',
  'The chain does not show this payment yet: send the same receipt again',
);
