// The months of the books, and sentences on them that the page and the command share.

/** @param month `2026-11` @param by how many months later */
export const shifted = (month: string, by: number): string => {
  const start = new Date(`${month}-01T00:00:00Z`);
  start.setUTCMonth(start.getUTCMonth() + by);
  return start.toISOString().slice(0, 7);
};

export const closingWords =
  'Closing checks every entry against the chain and saves the result. No money moves.';

/** @param cost decimal SOL */
export const anchorWords = (cost: string): string =>
  `Publishes a daily proof on the chain (${cost} SOL). Others can see how many entries there are, not what they are.`;
