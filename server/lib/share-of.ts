/** The part of a split amount that is left to the payee itself, in the same smallest units. */
export const shareOf = (amount: bigint, splits: readonly { amount: bigint }[] = []): bigint =>
  splits.reduce((left, split) => left - split.amount, amount);
