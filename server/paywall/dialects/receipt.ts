// Our own dialect: a 402 whose body names amount, currency and recipient, paid with a receipt in `X-Payment`.
import { formatUsdc, parseUsdc, usdc } from '../../money.ts';
import {
  decodeReceipt,
  receiptPrefix,
  verifyReceiptSignature,
  type Receipt,
} from '../../lib/solana/receipt.ts';
import { paymentMemo, type Due } from '../check-payment.ts';
import type { Invoices } from '../invoices.ts';
import { alreadyUsed, type Ledger, type Terms } from '../ledger.ts';
import { refusal, type Refusal } from '../refusal.ts';
import type { Asked, GrantStore, Network } from '../types.ts';
import type { Dialect } from './dialect.ts';

export interface ReceiptDeps {
  terms: Terms;
  service: string | undefined;
  store: Pick<GrantStore, 'isUsed'>;
  invoices: Invoices;
  ledger: Ledger;
  /** The price of a request whose receipt names no invoice. */
  price: (asked: Asked) => Promise<bigint>;
}

/** Receipts on the seller's side; `lib/receipt` has their form. */
export const createReceipts = ({ terms, service, store, invoices, ledger, price }: ReceiptDeps): Dialect => ({
  // x402 v1 sends its payments under the same header name, and no base64 has a dot.
  credential(header) {
    const value = header('x-payment');
    return value?.startsWith(receiptPrefix) === true ? value : null;
  },
  offer: ({ invoice: { id, amount, recipient, expiresAt } }) => ({
    body: {
      ...termsOf(terms, service, amount, recipient),
      ...(terms.bind === false ? {} : { invoice: id, expiresAt: new Date(expiresAt).toISOString() }),
    },
  }),
  async verify(header, { asked, print, isGone }) {
    const receipt = decodeReceipt(header);
    if (receipt === null) return { refused: malformed };
    const named = terms.bind === false ? undefined : receipt.invoice;
    const found = named === undefined ? whyUnbound(terms.bind) : await invoices.find(named, print);
    const { refused = null } = found !== null && 'refused' in found ? found : {};
    const invoice = found !== null && 'id' in found ? found : null;
    // The quoted price is the one due, even when the price has changed since.
    const amount =
      invoice?.amount ?? (refused === null ? await price(asked) : (parseUsdc(receipt.amount) ?? 0n));
    const due = ledger.due({ recipient: terms.recipient, expiresAt: null, ...invoice, amount });
    const { txSignature, payer, timestamp, paymentId } = receipt;
    const unfit = checkReceipt(receipt, due, terms.network) ?? refused;
    if (unfit) return { refused: (await store.isUsed(txSignature)) ? alreadyUsed : unfit };
    const memo = paymentMemo(paymentId, receipt.invoice);
    const grant = { invoice: invoice?.id ?? null, paymentId, dialect: 'receipt' as const, isGone };
    const paid = await ledger.confirm({ txSignature, payer, timestamp, memo }, due, grant);
    if ('pending' in paid) return { ...paid, invoice: receipt.invoice ?? null };
    if ('refused' in paid) return paid;
    return { granted: { dialect: 'receipt', ...receipt }, headers: {} };
  },
});

/** The fields of a 402 in this dialect that do not belong to one invoice. */
export const termsOf = (
  { network }: Pick<Terms, 'network'>,
  service: string | undefined,
  amount: bigint,
  recipient: string,
): Record<string, unknown> => ({
  amount: formatUsdc(usdc(amount)),
  currency: 'USDC',
  recipient,
  network,
  service,
});

const malformed = refusal(
  'malformed_receipt',
  'X-Payment is not a receipt: v1.<base64 of JSON with exactly the known fields>',
);

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

const whyUnbound = (bind: Terms['bind']): { refused: Refusal } | null =>
  bind === true ? { refused: missing } : null;
const missing = refusal(
  'invoice_missing',
  'The receipt names no invoice; pay with the invoice that this answer carries',
);
