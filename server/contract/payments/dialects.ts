// The protocols in which sellers ask for money, and what others than their own files know of them. Of equal offers the first
// is paid. `receipt` is ours: it needs no facilitator, and can be shown again.

interface DialectFacts {
  /** As authors of paid APIs know it. */
  label: string;
  /** A facilitator pays the fee and sends the transaction. */
  hasFacilitator: boolean;
  /** The request's header that pays, in lower case. */
  header: string;
  /** A payment has a memo also where the seller asks for none, which keeps two equal ones apart. */
  hasOwnMemo: boolean;
}

const table = {
  receipt: { label: 'receipts', hasFacilitator: false, header: 'x-payment', hasOwnMemo: false },
  'x402-v2': {
    label: 'x402, version 2',
    hasFacilitator: true,
    header: 'payment-signature',
    hasOwnMemo: true,
  },
  // Its facilitators accept no fourth instruction, such as a memo.
  'x402-v1': { label: 'x402, version 1', hasFacilitator: true, header: 'x-payment', hasOwnMemo: false },
  mpp: { label: 'MPP', hasFacilitator: false, header: 'authorization', hasOwnMemo: false },
} as const satisfies Record<string, DialectFacts>;

export type Dialect = keyof typeof table;
export const dialects = Object.keys(table) as Dialect[];
export const dialectFacts: Readonly<Record<Dialect, DialectFacts>> = table;
