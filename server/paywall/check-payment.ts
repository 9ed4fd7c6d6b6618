// Whether a transaction is the payment that a receipt claims. Pure: from the chain's answer to a refusal or null.
import { formatUsdc, usdc } from '../money.ts';
import type { Usdc } from '../money.ts';
import { memos, tokenBalances, tokenTransfers } from './decode-transaction.ts';
import type { TokenBalance } from './decode-transaction.ts';
import type { Receipt } from '../lib/receipt.ts';
import { refusal } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import type { RpcTransaction } from './transaction-reader.ts';

/** The payment that is due: amount, recipient and deadline. Times are Unix milliseconds. */
export interface Due {
  amount: Usdc;
  recipient: string;
  /** The recipient's associated token account, the only one that counts. */
  account: string;
  mint: string;
  maxAgeMs: number;
  /** When the invoice expires; null without one. */
  expiresAt: number | null;
}

const maxAheadMs = 120_000;

/** The memo of a payment: `at:<paymentId>`, or `at:<paymentId>:<invoice>` when the seller named an invoice. */
export const paymentMemo = (paymentId: string, invoice: string | undefined): string =>
  invoice === undefined ? `at:${paymentId}` : `at:${paymentId}:${invoice}`;

/** Null when the transaction is what the receipt says and what was due; otherwise the first thing that is wrong. */
export const checkPayment = (
  receipt: Receipt,
  transaction: RpcTransaction,
  due: Due,
  now: number,
): Refusal | null => {
  if (transaction.meta.err !== null) {
    return refusal('failed_on_chain', 'The transaction failed on the chain: nothing was paid');
  }
  return (
    checkTime(receipt, transaction.blockTime * 1000, due, now) ??
    checkTransfer(receipt, transaction, due) ??
    checkBalance(tokenBalances(transaction), due) ??
    checkMemo(receipt, memos(transaction))
  );
};

const checkTime = (receipt: Receipt, blockTime: number, due: Due, now: number): Refusal | null => {
  const iso = new Date(blockTime).toISOString();
  if (Date.parse(receipt.timestamp) !== blockTime) {
    return refusal('wrong_timestamp', `The receipt says ${receipt.timestamp}, the block says ${iso}`);
  }
  if (now - blockTime > due.maxAgeMs) {
    return refusal('too_old', `The payment was made at ${iso}, more than ${due.maxAgeMs / 1000} seconds ago`);
  }
  if (blockTime - now > maxAheadMs) {
    return refusal('from_the_future', `The payment was made at ${iso}, which is in the future`);
  }
  // A payment made before the invoice expired stays presentable for `maxAgeMs`.
  if (due.expiresAt !== null && blockTime > due.expiresAt) {
    const end = new Date(due.expiresAt).toISOString();
    return refusal('invoice_expired', `The invoice expired at ${end}, the payment was made at ${iso}`);
  }
  return null;
};

// One transfer must carry the whole amount: a sum of several can be shared among receipts that nobody can tell apart.
const checkTransfer = (receipt: Receipt, transaction: RpcTransaction, due: Due): Refusal | null => {
  const [transfer, ...others] = tokenTransfers(transaction).filter(
    ({ destination }) => destination === due.account,
  );
  if (transfer === undefined) return whyNoTransfer(tokenBalances(transaction), due);
  if (others.length > 0) {
    return refusal(
      'several_transfers',
      'The transaction pays in several transfers; one has to carry the whole amount',
    );
  }
  if (transfer.source === transfer.destination) {
    return refusal('self_transfer', `The transfer goes from ${due.account} to itself`);
  }
  if (transfer.authority !== receipt.payer) {
    return refusal('wrong_payer', `The transfer was made by ${transfer.authority}, not by ${receipt.payer}`);
  }
  if (transfer.amount !== due.amount) return wrongAmount(transfer.amount, due);
  return null;
};

const whyNoTransfer = (balances: TokenBalance[], due: Due): Refusal => {
  const paid = balances.filter(({ owner, before, after }) => owner === due.recipient && after > before);
  if (paid.some(({ account }) => account === due.account)) {
    return refusal('no_transfer', 'The payment is not a transfer instruction of the transaction itself');
  }
  if (paid.some(({ mint }) => mint === due.mint)) {
    return refusal('wrong_account', `The payment went to another token account than ${due.account}`);
  }
  if (paid.length > 0) return refusal('wrong_mint', `The payment is not in USDC (${due.mint})`);
  return refusal('wrong_recipient', `The transaction pays nothing to ${due.recipient}`);
};

const checkBalance = (balances: TokenBalance[], due: Due): Refusal | null => {
  const balance = balances.find(({ account }) => account === due.account);
  if (balance === undefined || balance.owner !== due.recipient) {
    return refusal('wrong_account', `The token account ${due.account} does not belong to ${due.recipient}`);
  }
  if (balance.mint !== due.mint) return refusal('wrong_mint', `The payment is not in USDC (${due.mint})`);
  const change = balance.after - balance.before;
  return change === due.amount ? null : wrongAmount(change, due);
};

const wrongAmount = (paid: bigint, due: Due): Refusal =>
  refusal('wrong_amount', `${formatUsdc(usdc(paid))} USDC were paid, ${formatUsdc(due.amount)} are due`);

const checkMemo = (receipt: Receipt, found: string[]): Refusal | null => {
  const expected = paymentMemo(receipt.paymentId, receipt.invoice);
  if (found.length !== 1) {
    return refusal('wrong_memo', `The transaction has ${found.length} memos, not one which says ${expected}`);
  }
  return found[0] === expected ? null : refusal('wrong_memo', `The memo does not say ${expected}`);
};
