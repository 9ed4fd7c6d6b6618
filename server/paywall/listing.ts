// What each paywall of this process sells, for its discovery.
import type { Usdc } from '../money.ts';
import type { ReadRoute } from './read-route.ts';
import type { Payment } from './types.ts';

/** What a paywall sells, for its listing. */
export interface Listing {
  route: ReadRoute | undefined;
  /** Null where a function decides. */
  price: Usdc | null;
  mint: string;
  dialects: readonly Payment['dialect'][];
}

const listings = new WeakMap<object, Listing>();
export const list = (paywall: object, listing: Listing): void => void listings.set(paywall, listing);
/** Undefined for anything but a paywall. */
export const listingOf = (paywall: object): Listing | undefined => listings.get(paywall);
