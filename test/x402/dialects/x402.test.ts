// Sellers of x402, version 2 and version 1: what is read in their 402, what they are shown, and what they report.
import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Offer, SellerAnswer } from '../../../server/engine/ports.ts';
import {
  answerOf,
  asked,
  base64,
  decode,
  devnetId,
  feePayer,
  mainnetId,
  mint,
  payTo,
  sellersOn,
  txSignature,
  v1Answer,
  v1Body,
  v1Entry,
  v2Answer,
  v2Entry,
  v2Header,
  v2MemoHeader,
  wire,
} from './samples.ts';

const sellers = sellersOn();
const proof = { paymentId: 'pay_abc', wire, txSignature: null, receipt: null };

describe('an official seller of x402 version 2', () => {
  it('is read correctly', () => {
    const said = decode(v2Header) as { resource: unknown; accepts: unknown[] };
    expect(sellers.offers(answerOf({ 'payment-required': v2Header }, '{}'))).toEqual([
      {
        dialect: 'x402-v2',
        amount: 10_000n,
        payee: payTo,
        splits: [],
        feePayer,
        memo: null,
        invoice: null,
        terms: { resource: said.resource, accepted: said.accepts[0] },
        announced: { withinMs: 300_000 },
      },
    ]);
  });

  it('gets its entry, resource and extensions back unchanged, with the signed bytes', () => {
    const said = decode(v2Header) as { resource: unknown; accepts: unknown[] };
    const [offer] = sellers.offers(answerOf({ 'payment-required': v2Header }));
    const credential = sellers.credential(offer as never, proof);
    expect(credential.name).toBe('PAYMENT-SIGNATURE');
    expect(decode(credential.value)).toEqual({
      x402Version: 2,
      resource: said.resource,
      accepted: said.accepts[0],
      payload: { transaction: wire.toString('base64') },
    });
  });

  it('gets its memo in the offer, and the payment’s id in its extension, the same every time', () => {
    const said = decode(v2MemoHeader) as { extensions: Record<string, { info: unknown }> };
    const [offer] = sellers.offers(answerOf({ 'payment-required': v2MemoHeader }));
    expect(offer).toMatchObject({ amount: 20_000n, memo: 'invoice-7' });
    const shown = sellers.credential(offer as never, proof).value;
    expect(shown).toBe(sellers.credential(structuredClone(offer) as never, { ...proof }).value);
    const { extensions } = decode(shown) as typeof said;
    expect(extensions).toEqual({
      ...said.extensions,
      'payment-identifier': {
        ...said.extensions['payment-identifier'],
        info: { required: true, id: 'pay_abc_________' },
      },
    });
    expect(offer?.terms['extensions']).toEqual(said.extensions);
  });

  it.each([
    ['pay_0mabcdefghijklmnopqrstuvwxyz', 'pay_0mabcdefghijklmnopqrstuvwxyz'],
    ['a', 'a_______________'],
    ['x'.repeat(128), 'x'.repeat(128)],
    ['x'.repeat(129), hash('sha256', 'x'.repeat(129))],
    ['a.b', hash('sha256', 'a.b')],
  ])('gets the id of payment %s in the extension’s form', (paymentId, expected) => {
    const [offer] = sellers.offers(answerOf({ 'payment-required': v2MemoHeader }));
    const { value } = sellers.credential(offer as never, { ...proof, paymentId });
    const { extensions } = decode(value) as { extensions: Record<string, { info: { id: string } }> };
    const id = extensions['payment-identifier']?.info.id ?? '';
    expect(id).toMatch(/^[a-zA-Z0-9_-]{16,128}$/);
    expect(id).toBe(expected);
  });

  it('is given no credential without signed bytes', () => {
    const [offer] = sellers.offers(answerOf({ 'payment-required': v2Header }));
    expect(() => sellers.credential(offer as never, { ...proof, wire: new Uint8Array() })).toThrow(
      'Invariant',
    );
    expect(() => sellers.credential({ ...(offer as never as object), terms: {} } as never, proof)).toThrow(
      'Invariant',
    );
  });
});

describe('an offer of version 2', () => {
  it('uses no blockhash, height, slot or nonce of the seller’s, except to send it back', () => {
    const extra = {
      feePayer,
      recentBlockhash: 'HASH',
      lastValidBlockHeight: 1,
      recentSlot: 2,
      nonceAccount: payTo,
      nonceAuthority: payTo,
    };
    const [offer] = sellers.offers(v2Answer([v2Entry({ extra })]));
    const { terms = {}, ...rest } = offer ?? ({} as Partial<Offer>);
    expect(Object.keys(rest).toSorted()).toEqual([
      'amount',
      'announced',
      'dialect',
      'feePayer',
      'invoice',
      'memo',
      'payee',
      'splits',
    ]);
    expect(
      JSON.stringify(rest, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
    ).not.toMatch(/HASH|nonce/);
    expect((terms['accepted'] as { extra: unknown }).extra).toEqual(extra);
  });
});

const resourceOf = (answer: SellerAnswer): unknown => sellers.offers(answer)[0]?.terms['resource'];

describe('a seller of version 2 that is loose with its 402', () => {
  const accepts = [v2Entry()];
  it.each([undefined, null, 'https://other.example/', 7, []])(
    'is paid for what was asked where its resource is %j',
    (resource) => {
      expect(resourceOf(v2Answer(accepts, { resource }))).toEqual({ url: asked });
    },
  );

  it('gets the resource back as it named it', () => {
    expect(resourceOf(v2Answer(accepts, { resource: { description: 'd' } }))).toEqual({ description: 'd' });
  });

  it('is read where its body alone has the offer, and not beside a header', () => {
    const body = { x402Version: 2, accepts };
    expect(sellers.offers(answerOf({}, body))).toHaveLength(1);
    expect(() => sellers.offers(answerOf({ 'payment-required': '?' }, body))).toThrow('base64');
  });

  it.each(['header', 'body'])('is read with a byte order mark before its %s', (place) => {
    const marked = `\ufeff${JSON.stringify({ x402Version: 2, accepts })}`;
    const answer = place === 'body' ? answerOf({}, marked) : answerOf({ 'payment-required': base64(marked) });
    expect(sellers.offers(answer)).toHaveLength(1);
  });

  it('gets its amount back as the number that it wrote', () => {
    const [offer] = sellers.offers(v2Answer([v2Entry({ amount: 10_000 })]));
    expect(offer).toMatchObject({ amount: 10_000n, terms: { accepted: { amount: 10_000 } } });
  });
});

describe('a list of version 2', () => {
  it('is read in its order, without entries that cannot be paid', () => {
    const entries = [
      v2Entry({ network: 'eip155:8453' }),
      v2Entry({ amount: '3' }),
      null,
      v2Entry({ scheme: 'upto' }),
      v2Entry({ amount: '2', extra: { feePayer, memo: '', decimals: 6, tokenProgram: null } }),
    ];
    expect(sellers.offers(v2Answer(entries)).map(({ amount, memo }) => [amount, memo])).toEqual([
      [3n, null],
      [2n, null],
    ]);
  });

  it('is read no further than 32 entries', () => {
    const entries = Array.from({ length: 40 }, (_, index) => v2Entry({ amount: String(index + 1) }));
    expect(sellers.offers(v2Answer(entries))).toHaveLength(32);
  });

  it('is for the network that it names', () => {
    const mints = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
    const onDevnet = v2Answer([v2Entry({ network: devnetId, asset: mints })]);
    expect(sellersOn('devnet').offers(onDevnet)).toHaveLength(1);
    expect(sellersOn('mainnet').offers(v2Answer([v2Entry()]))).toHaveLength(1);
    expect(() => sellersOn('mainnet').offers(onDevnet)).toThrow('network');
    expect(() => sellersOn('devnet').offers(v2Answer([v2Entry()]))).toThrow('network');
    expect(() => sellersOn('devnet').offers(v2Answer([v2Entry({ network: devnetId, asset: mint })]))).toThrow(
      'asset',
    );
  });
});

const settled = (header: unknown, status = 200, more: Record<string, string> = {}, body: unknown = '') =>
  sellers.settlement(
    'x402-v2',
    answerOf({ ...(header === null ? {} : { 'payment-response': base64(header) }), ...more }, body, status),
  );

describe('the settlement that a seller of version 2 reports', () => {
  it('is read from PAYMENT-RESPONSE', () => {
    expect(settled({ success: true, transaction: txSignature, network: 'x', payer: payTo })).toEqual({
      success: true,
      txSignature,
      error: null,
    });
    expect(settled({ success: false, errorReason: 'duplicate_settlement', transaction: '' }, 402)).toEqual({
      success: false,
      txSignature: null,
      error: 'duplicate_settlement',
    });
  });

  it('is read leniently, as a hint', () => {
    const nothing = { success: null, txSignature: null, error: null };
    expect(settled(null)).toEqual(nothing);
    expect(settled({ success: 'yes', transaction: 7, errorReason: {} })).toEqual(nothing);
    expect(settled({ success: true, transaction: `${txSignature}1` })).toMatchObject({ txSignature: null });
    for (const garbage of ['', '!', '=', 'e30', base64('[1]'), '\u00ff'.repeat(50)])
      expect(settled(null, 200, { 'payment-response': garbage })).toEqual(nothing);
    expect(settled(null, 200, { 'x-payment-response': base64({ success: true }) })).toMatchObject({
      success: true,
    });
  });

  it('is, in a second 402, the reason in its header or body, as one short line', () => {
    const header = base64({ x402Version: 2, error: 'settlement\u202e\n failed', accepts: [] });
    expect(settled(null, 402, { 'payment-required': header })).toMatchObject({ error: 'settlement failed' });
    expect(settled(null, 402, {}, { error: 'x'.repeat(5_000) }).error).toHaveLength(201);
    expect(settled(null, 500, {}, { error: { message: 'down' } }).error).toBe('down');
    expect(settled(null, 500, {}, '<html>').error).toBeNull();
    expect(settled(null, 200, {}, { error: 'data of the API' }).error).toBeNull();
  });
});

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
