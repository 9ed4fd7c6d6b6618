// The prices that a service's payments had, oldest payment first, and the spans of time of each price.

interface Paid {
  amount: string;
  timestamp: string;
}

export interface PaidPrice {
  at: number;
  amount: string;
}

export interface PriceSpan {
  amount: string;
  /** Of its first and its last payment. */
  from: string;
  to: string;
  payments: number;
}

/** @param payments newest first. Returns the spans newest first */
export const pricesOf = (payments: readonly Paid[]): { paid: PaidPrice[]; spans: PriceSpan[] } => {
  const oldestFirst = payments.toReversed();
  const spans: PriceSpan[] = [];
  for (const { amount, timestamp } of oldestFirst) {
    const last = spans.at(-1);
    if (last?.amount !== amount) spans.push({ amount, from: timestamp, to: timestamp, payments: 1 });
    else spans[spans.length - 1] = { ...last, to: timestamp, payments: last.payments + 1 };
  }
  return {
    paid: oldestFirst.map(({ amount, timestamp }) => ({ amount, at: Date.parse(timestamp) })),
    spans: spans.toReversed(),
  };
};
