// The prices of an image model, as the owner edits them.
import type { Reply } from '../../../server/contract/schemas.ts';
import { amountRule } from '../../shared/amount-rule.ts';
import { parseUsdc } from '../../../server/money.ts';

export type ModelSettings = Reply<'setModel'>;
export type Prices = Readonly<Record<string, string>>;

export const priceErrors = (values: Prices): Record<string, string | null> =>
  Object.fromEntries(Object.entries(values).map(([resolution, text]) => [resolution, amountRule(text)]));

/** Only prices whose amount has changed, since nothing else is sent. */
export const changedPrices = (before: Prices, values: Prices): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values)
      .map(([resolution, text]) => [resolution, text.trim()] as const)
      .filter(([resolution, text]) => !isSamePrice(before[resolution], text)),
  );

/** Compares amounts: `0.1` equals `0.10`. */
export const isSamePrice = (one: string | undefined, other: string | undefined): boolean =>
  one === other || (parseUsdc(one ?? '') !== null && parseUsdc(one ?? '') === parseUsdc(other ?? ''));
