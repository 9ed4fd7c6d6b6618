import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerOf, payTo, quote, recordedAt, sellersOn, wire } from './samples.ts';

const sellers = sellersOn();
const again = (body: unknown, status = 402) => sellers.wantsRetry(answerOf({}, body, status));
const read = (body: unknown) => sellers.offers(answerOf({}, body));

describe('a seller of our own protocol', () => {
  it('is read into units, with every field', () => {
    const extras = {
      network: 'sandbox',
      invoice: 'abc',
      service: 's-1',
      expiresAt: new Date(recordedAt + 1).toISOString(),
      retry: true,
    };
    expect(read(quote({ ...extras, amount: '1.500001', error: 'pay', other: 1 }))).toEqual([
      {
        dialect: 'receipt',
        amount: 1_500_001n,
        payee: payTo,
        splits: [],
        feePayer: null,
        memo: null,
        invoice: 'abc',
        terms: { service: 's-1', network: 'sandbox' },
      },
    ]);
    expect(read(quote())).toMatchObject([{ amount: 10_000n, invoice: null, terms: {} }]);
  });

  it('is paid with the receipt', () => {
    const purchase = { dialect: 'receipt' as const, feePayer: null, terms: {} };
    const proof = { paymentId: 'pay_abc', wire, txSignature: null, receipt: 'v1.abc' };
    expect(sellers.credential(purchase, proof)).toEqual({ name: 'X-Payment', value: 'v1.abc' });
    expect(() => sellers.credential(purchase, { ...proof, receipt: null })).toThrow('Invariant');
  });

  it('is shown the payment again when its 402 says so, and only then', () => {
    expect(again(quote({ retry: true }))).toBe(true);
    expect(again(quote({ retry: true, expiresAt: '2020-01-01T00:00:00.000Z' }))).toBe(true);
    expect(again(quote({ retry: true }), 503)).toBe(false);
    for (const body of [
      quote(),
      quote({ retry: false }),
      quote({ retry: 'true' }),
      { retry: true },
      '',
      'null',
    ])
      expect(again(body)).toBe(false);
  });

  it('gives its reason for a refusal in the body', () => {
    expect(sellers.settlement('receipt', answerOf({}, quote({ error: 'not seen' })))).toEqual({
      success: null,
      txSignature: null,
      error: 'not seen',
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ['amount', { amount: 0.01 }],
    ['amount', { amount: '0' }],
    ['amount', { amount: '0.000000' }],
    ['amount', { amount: '' }],
    ['amount', { amount: '0x10' }],
    ['amount', { amount: ' 5 ' }],
    ['amount', { amount: '-5' }],
    ['amount', { amount: '1e2' }],
    ['amount', { amount: '1,5' }],
    ['amount', { amount: '01.5' }],
    ['amount', { amount: '.5' }],
    ['amount', { amount: '5.' }],
    ['amount', { amount: '0.0000001' }],
    ['amount', { amount: '1234567890' }],
    ['amount', { amount: ['1'] }],
    ['amount', { amount: undefined }],
    ['currency', { currency: 'usdc' }],
    ['currency', { currency: 'SOL' }],
    ['recipient', { recipient: payTo.slice(0, 30) }],
    ['recipient', { recipient: '0x52908400098527886E0F7030069857D2E4169EE7' }],
    ['recipient', { recipient: null }],
    ['invoice', { invoice: 'a b' }],
    ['invoice', { invoice: 'x'.repeat(65) }],
    ['invoice', { invoice: 7 }],
    ['network', { network: 'testnet' }],
    ['network', { network: 'mainnet' }],
    ['network', { network: 'devnet' }],
    ['expiresAt', { expiresAt: 'tomorrow' }],
    ['expiresAt', { expiresAt: new Date(recordedAt).toISOString() }],
  ])('is refused for its %s: %j', (field, changes) => {
    expect(() => read(quote(changes))).toThrow(`receipt: ${field} `);
  });

  it.each([[[quote()]], ['null'], ['<html>'], [''], [{ price: '0.01' }]])(
    'is not recognised in %j',
    (body) => {
      expect(() => read(body)).toThrow('names no way to pay');
    },
  );

  it('is paid only a strict decimal amount', () => {
    const property = fc.property(
      fc.string({ unit: fc.constantFrom(...'0123456789.-+eExX_, ٣'), maxLength: 12 }),
      (amount) => {
        const strict = /^(0|[1-9]\d{0,8})(\.\d{1,6})?$/.test(amount) && Number(amount) > 0;
        let isRead = true;
        try {
          read(quote({ amount }));
        } catch {
          isRead = false;
        }
        expect(isRead).toBe(strict);
      },
    );
    fc.assert(property, { numRuns: 3_000 });
  });
});
