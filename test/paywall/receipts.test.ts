import { Keypair } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import type { UnsignedReceipt } from '../../server/lib/receipt.ts';
import { base64Json, signReceipt } from '../x402/keys.ts';
import { price, unknownSignature } from '../x402/market.ts';
import { ask, quote, refused } from './seller.ts';
import { market, shop, signed, useShop } from './use-shop.ts';

useShop();

describe('a receipt that was tampered with is refused', () => {
  const stranger = Keypair.generate();
  const address = stranger.publicKey.toBase58();
  test.each<[string, string, (receipt: UnsignedReceipt) => string]>([
    ['signed by another wallet', 'bad_signature', (receipt) => signed(receipt, stranger)],
    [
      'made out to another payer, who signs it',
      'wrong_payer',
      (receipt) => signed({ ...receipt, payer: address }, stranger),
    ],
    ['for another recipient', 'wrong_recipient', (receipt) => signed({ ...receipt, recipient: address })],
    ['for a higher amount', 'wrong_amount', (receipt) => signed({ ...receipt, amount: '0.02' })],
    ['for a lower amount', 'wrong_amount', (receipt) => signed({ ...receipt, amount: '0.009999' })],
    ['for devnet', 'wrong_network', (receipt) => signed({ ...receipt, network: 'devnet' })],
    ['for mainnet', 'wrong_network', (receipt) => signed({ ...receipt, network: 'mainnet' })],
    ['with another payment id', 'wrong_memo', (receipt) => signed({ ...receipt, paymentId: 'other' })],
    [
      'with a later time',
      'wrong_timestamp',
      (receipt) =>
        signed({ ...receipt, timestamp: new Date(Date.parse(receipt.timestamp) + 1000).toISOString() }),
    ],
    [
      'with a time off by a millisecond',
      'wrong_timestamp',
      (receipt) =>
        signed({ ...receipt, timestamp: new Date(Date.parse(receipt.timestamp) + 1).toISOString() }),
    ],
    ['without its invoice', 'invoice_missing', (receipt) => signed({ ...receipt, invoice: undefined })],
    [
      'with an invoice of somebody’s making',
      'unknown_invoice',
      (receipt) => signed({ ...receipt, invoice: 'A'.repeat(22) }),
    ],
    [
      'with a transaction that does not exist',
      'not_visible',
      (receipt) => signed({ ...receipt, txSignature: unknownSignature() }),
    ],
    [
      'with a field more',
      'malformed_receipt',
      (receipt) => `v1.${base64Json({ ...signReceipt(receipt, market.buyer), x: 1 })}`,
    ],
    ['without its prefix', 'unsupported_payment', (receipt) => signed(receipt).slice(3)],
    ['as x402 v1 has it', 'unsupported_payment', () => base64Json({ x402Version: 1, payload: {} })],
  ])('%s: %s', async (_, code, tamper) => {
    const receipt = await market.buy({ invoice: await quote(shop.forecast) });
    const answer = await ask(shop.forecast, tamper(receipt));
    expect(refused(answer)).toEqual({ status: 402, code });
    expect(answer.body).toMatchObject({
      error: expect.stringMatching(/\S+ \S+ \S+/),
      amount: price,
      currency: 'USDC',
    });
    // The refusal left the receipt unspent.
    expect((await ask(shop.forecast, signed(receipt))).status).toBe(200);
  });
});
