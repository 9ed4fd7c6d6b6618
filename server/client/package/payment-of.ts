// The payment behind a seller's answer.

/** The payment for an answer. */
export interface PaidAnswer {
  paymentId: string;
  /** In USDC, as `0.01`. */
  amount: string;
  status: string;
}

/** Null when the answer cost nothing. */
export const paymentOf = ({ headers }: Pick<Response, 'headers'>): PaidAnswer | null => {
  const [paymentId, amount, status] = ['id', 'amount', 'status'].map((name) =>
    headers.get(`x-treasury-payment-${name}`),
  );
  if (typeof paymentId !== 'string') return null;
  return { paymentId, amount: amount ?? '', status: status ?? '' };
};
