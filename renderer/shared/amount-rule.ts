// Checks an amount's field before anything is sent; the treasury checks again.
import { parseSol, parseUsdc } from '../../server/money.ts';

type Asset = 'USDC' | 'SOL';

const read = { USDC: parseUsdc, SOL: parseSol } satisfies Record<Asset, (text: string) => bigint | null>;
const example = { USDC: '12.50', SOL: '0.05' } satisfies Record<Asset, string>;

/** Null for an amount above zero, otherwise the error. */
export const amountRule = (text: string, asset: Asset = 'USDC'): string | null => {
  const units = read[asset](text.trim());
  if (units === null) return `Enter an amount such as ${example[asset]}.`;
  return units > 0n ? null : 'Enter an amount above zero.';
};

/** The same for a limit, which may be zero. */
export const limitRule = (text: string): string | null =>
  parseUsdc(text.trim()) === null ? 'Enter an amount such as 12.50.' : null;
