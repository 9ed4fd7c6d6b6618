// A market and a shop in it for a file of tests, and the header of a receipt that its buyer signs.
import { afterAll, beforeAll } from 'vitest';
import type { UnsignedReceipt } from '../../server/lib/solana/receipt.ts';
import { signedHeader } from '../x402/keys.ts';
import { createMarket, type Market } from '../x402/market.ts';
import type { PaywallOptions } from '../../server/paywall/types.ts';
import { openShop, type Shop } from './seller.ts';

export let market: Market;
export let shop: Shop;

export const useShop = (more: Partial<PaywallOptions> = {}): void => {
  beforeAll(async () => {
    market = await createMarket();
    shop = await openShop(market, more);
  });
  afterAll(async () => {
    await shop.close();
    await market.close();
  });
};

export const signed = (receipt: UnsignedReceipt, wallet = market.buyer) => signedHeader(receipt, wallet);
