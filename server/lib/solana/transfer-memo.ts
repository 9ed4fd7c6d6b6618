// The memos of payments and refunds.

/** Two equal transfers under one blockhash would be one transaction: the id keeps them apart, and names the payment. */
export const memoOf = ({ id, invoice }: { id: string; invoice: string | null }): string =>
  invoice === null ? `at:${id}` : `at:${id}:${invoice}`;

/**
 * The memo of a seller's refund of this transaction. A withdrawal that sends its deposit back has it as its invoice, and so
 * its own memo ends with it.
 */
export const refundMemo = (txSignature: string): string => `${refundPrefix}${txSignature}`;

/** The `refundMemo` that this memo is or ends with; null for none. */
export const refundIn = (memo: string): string | null => refund.exec(memo)?.[1] ?? null;

export const refundPrefix = 'refund:';
const refund = /(?:^|:)(refund:[1-9A-HJ-NP-Za-km-z]{86,88})$/;
