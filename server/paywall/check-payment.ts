// Whether a transaction is the payment that a buyer claims. Pure: from the chain's answer to the payment or a refusal.
import { formatUsdc, usdc, type Usdc } from '../money.ts';
import {
  memos,
  tokenBalances,
  tokenTransfers,
  type TokenBalance,
  type TokenTransfer,
} from './decode-transaction.ts';
import { refusal, type Refusal } from './refusal.ts';
import type { RpcTransaction } from './transaction-reader.ts';

/** The claim that the chain has to bear out. A null is no claim: the dialect binds the payment in another way. */
export interface Claim {
  txSignature: string;
  payer: string | null;
  /** ISO 8601. */
  timestamp: string | null;
  /** The transaction's only memo. */
  memo: string | null;
}

/** The payment as the chain shows it. */
export interface Paid {
  payer: string;
  /** The block's time, ISO 8601 in UTC. */
  timestamp: string;
}

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
  /** Payments that were made earlier may have been granted by records that are lost. */
  notBefore?: number | undefined;
}

const maxAheadMs = 120_000;

/** The memo of a payment: `at:<paymentId>`, or `at:<paymentId>:<invoice>` when the seller named an invoice. */
export const paymentMemo = (paymentId: string, invoice: string | undefined): string =>
  invoice === undefined ? `at:${paymentId}` : `at:${paymentId}:${invoice}`;

/** The payment, when the transaction is what was claimed and what was due; otherwise the first thing that is wrong. */
export const checkPayment = (
  claim: Claim,
  transaction: RpcTransaction,
  due: Due,
  now: number,
): Paid | { refused: Refusal } => {
  if (transaction.meta.err !== null) {
    return { refused: refusal('failed_on_chain', 'The transaction failed on the chain: nothing was paid') };
  }
  const blockTime = transaction.blockTime * 1000;
  const wrongTime = checkTime(claim, blockTime, due, now);
  if (wrongTime) return { refused: wrongTime };
  const transfer = transferIn(claim, transaction, due);
  if ('code' in transfer) return { refused: transfer };
  const refused = checkBalance(tokenBalances(transaction), due) ?? checkMemo(claim, memos(transaction));
  if (refused) return { refused };
  return { payer: transfer.authority, timestamp: new Date(blockTime).toISOString() };
};

const checkTime = (claim: Claim, blockTime: number, due: Due, now: number): Refusal | null => {
  const iso = new Date(blockTime).toISOString();
  if (claim.timestamp !== null && Date.parse(claim.timestamp) !== blockTime) {
    return refusal('wrong_timestamp', `The receipt says ${claim.timestamp}, the block says ${iso}`);
  }
  if (now - blockTime > due.maxAgeMs) {
    return refusal('too_old', `The payment was made at ${iso}, more than ${due.maxAgeMs / 1000} seconds ago`);
  }
  if (due.notBefore !== undefined && blockTime < due.notBefore) {
    return refusal('too_old', `The payment was made at ${iso}, before the seller's records were put back`);
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
const transferIn = (claim: Claim, transaction: RpcTransaction, due: Due): TokenTransfer | Refusal => {
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
  if (claim.payer !== null && transfer.authority !== claim.payer) {
    return refusal('wrong_payer', `The transfer was made by ${transfer.authority}, not by ${claim.payer}`);
  }
  return transfer.amount === due.amount ? transfer : wrongAmount(transfer.amount, due);
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

const checkMemo = ({ memo }: Claim, found: string[]): Refusal | null => {
  if (memo === null) return null;
  if (found.length !== 1) {
    return refusal('wrong_memo', `The transaction has ${found.length} memos, not one which says ${memo}`);
  }
  return found[0] === memo ? null : refusal('wrong_memo', `The memo does not say ${memo}`);
};
