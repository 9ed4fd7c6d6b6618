// The memo of the treasury's own transactions.

/** Two equal transfers under one blockhash would be one transaction: the id keeps them apart, and names the payment. */
export const memoOf = ({ id, invoice }: { id: string; invoice: string | null }): string =>
  invoice === null ? `at:${id}` : `at:${id}:${invoice}`;
