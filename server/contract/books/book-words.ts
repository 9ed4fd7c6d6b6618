// The months of the books, and sentences on them that the page and the command share.
import type { Reply } from '../schemas.ts';

/** @param month `2026-11` @param by how many months later */
export const shifted = (month: string, by: number): string => {
  const start = new Date(`${month}-01T00:00:00Z`);
  start.setUTCMonth(start.getUTCMonth() + by);
  return start.toISOString().slice(0, 7);
};

export const closingWords =
  'Closing checks every entry against the chain and saves the result. No money moves.';

export const modelsWords =
  'Billed to you by suppliers for your own keys: not on the chain, and no part of the close. It is owed until you enter the invoice.';

/** How a supplier's sum is known, and what its invoice said. */
export const tokensWords = (one: Reply<'bookModels'>['suppliers'][number]): string => {
  const { exact, estimated, unknown, corrections, invoiced, difference } = one;
  const known = `${exact} settled, ${estimated} estimated, ${unknown} unknown, ${corrections} of corrections.`;
  if (difference === null) return `${known} No invoice yet.`;
  const size = difference.replace('-', '');
  return `${known} Invoiced: ${invoiced}, ${size} ${size === difference ? 'more' : 'less'} than recorded.`;
};

/** @param cost decimal SOL */
export const anchorWords = (cost: string): string =>
  `Publishes a daily proof on the chain (${cost} SOL). Others can see how many entries there are, not what they are.`;
