import { describe, expect, it } from 'vitest';
import {
  answerOf,
  base64,
  decode,
  feePayer,
  mainnetId,
  payTo,
  sellersOn,
  txSignature,
  v1Answer,
  v1Body,
  v1Entry,
  wire,
} from './samples.ts';

const sellers = sellersOn();
const proof = { paymentId: 'pay_abc', wire, txSignature: null, receipt: null };

describe('an official seller of x402 version 1', () => {
  it('is read correctly', () => {
    expect(sellers.offers(answerOf({}, v1Body))).toEqual([
      {
        dialect: 'x402-v1',
        amount: 10_000n,
        payee: payTo,
        splits: [],
        feePayer,
        memo: null,
        invoice: null,
        terms: { scheme: 'exact', network: 'solana', x402Version: 1 },
        announced: { withinMs: 60_000 },
      },
    ]);
  });

  it('is paid with X-PAYMENT', () => {
    const [offer] = sellers.offers(answerOf({}, v1Body));
    const { name, value } = sellers.credential(offer as never, proof);
    expect(name).toBe('X-PAYMENT');
    expect(decode(value)).toEqual({
      x402Version: 1,
      scheme: 'exact',
      network: 'solana',
      payload: { transaction: wire.toString('base64') },
    });
    expect(() => sellers.credential(offer as never, { ...proof, wire: new Uint8Array() })).toThrow(
      'Invariant',
    );
    expect(() => sellers.credential({ dialect: 'x402-v1', feePayer, terms: {} }, proof)).toThrow('Invariant');
  });

  it('is paid on the network that it names', () => {
    const asset = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
    const onDevnet = v1Answer([v1Entry({ network: 'solana-devnet', asset })]);
    expect(sellersOn('devnet').offers(onDevnet)[0]?.terms).toMatchObject({ network: 'solana-devnet' });
    expect(() => sellersOn('mainnet').offers(onDevnet)).toThrow('network');
    expect(() => sellersOn('devnet').offers(answerOf({}, v1Body))).toThrow('network');
    expect(() => sellers.offers(v1Answer([v1Entry({ network: mainnetId })]))).toThrow('network');
  });

  it('gets the memo that it names', () => {
    const [offer] = sellers.offers(v1Answer([v1Entry({ extra: { feePayer, memo: 'größe' } })]));
    expect(offer?.memo).toBe('größe');
  });

  it('reports the settlement in X-PAYMENT-RESPONSE', () => {
    const header = base64({ success: true, transaction: txSignature, network: 'solana', payer: payTo });
    expect(sellers.settlement('x402-v1', answerOf({ 'x-payment-response': header }, '', 200))).toEqual({
      success: true,
      txSignature,
      error: null,
    });
    expect(sellers.settlement('x402-v1', answerOf({}, v1Body))).toEqual({
      success: null,
      txSignature: null,
      error: 'X-PAYMENT header is required',
    });
  });
});
