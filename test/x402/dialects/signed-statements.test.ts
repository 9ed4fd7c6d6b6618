// The statements that a seller signs: whose they are, and whether they are about this payment.
import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import type { PaidTerms, Statement } from '../../../server/engine/ports.ts';
import { answerOf, base64, mainnetId, mint, payTo, sellersOn, txSignature, v2Entry } from './samples.ts';

const url = 'https://api.example.com/weather?city=Oslo';
const at = Date.UTC(2026, 10, 25);
const seconds = at / 1_000;
const payer = 'HN7cABqLq46Es1jh92dQQisAq662SmxELLLsHHe4YWrH';

interface Signer {
  kid: string;
  alg: string;
  key: KeyObject;
}
const jwkOf = (key: KeyObject) => createPublicKey(key).export({ format: 'jwk' });
const didKey = (codec: number[], key: Uint8Array): string =>
  `did:key:z${bs58.encode(Buffer.concat([Buffer.from(codec), key]))}`;
const compressed = (curve: typeof p256 | typeof secp256k1, { x = '', y = '' }: { x?: string; y?: string }) =>
  curve.Point.fromHex(
    `04${[x, y].map((part) => Buffer.from(part, 'base64url').toString('hex')).join('')}`,
  ).toBytes(true);

const ed25519 = generateKeyPairSync('ed25519').privateKey;
const koblitz = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey;
const nist = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const signers: Record<'ed25519' | 'secp256k1' | 'P-256' | 'jwk', Signer> = {
  ed25519: {
    kid: didKey([0xed, 0x01], Buffer.from(jwkOf(ed25519).x ?? '', 'base64url')),
    alg: 'EdDSA',
    key: ed25519,
  },
  secp256k1: {
    kid: didKey([0xe7, 0x01], compressed(secp256k1, jwkOf(koblitz))),
    alg: 'ES256K',
    key: koblitz,
  },
  'P-256': { kid: didKey([0x80, 0x24], compressed(p256, jwkOf(nist))), alg: 'ES256', key: nist },
  jwk: {
    kid: `did:jwk:${Buffer.from(JSON.stringify(jwkOf(ed25519))).toString('base64url')}#0`,
    alg: 'EdDSA',
    key: ed25519,
  },
};

const jws = (payload: object, { kid, alg, key }: Signer = signers.ed25519, header: object = {}): string => {
  const parts = [{ alg, kid, ...header }, payload].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const digest = alg === 'EdDSA' ? null : 'sha256';
  const signature = sign(digest, Buffer.from(parts.join('.')), { key, dsaEncoding: 'ieee-p1363' });
  return [...parts, signature.toString('base64url')].join('.');
};

const offerOf = (change: object = {}) => ({
  version: 1,
  resourceUrl: 'https://api.example.com/weather',
  scheme: 'exact',
  network: mainnetId,
  asset: mint,
  payTo,
  amount: '10000',
  validUntil: seconds + 300,
  ...change,
});
const receiptOf = (change: object = {}) => ({
  version: 1,
  network: mainnetId,
  resourceUrl: url,
  payer,
  issuedAt: seconds + 2,
  ...change,
});

const read = (
  offers: unknown,
  receipt: unknown,
  change: Partial<PaidTerms> = {},
): { offer: Statement | null; receipt: Statement | null } => {
  const extensions = { 'offer-receipt': { info: { offers } } };
  const paid: PaidTerms = {
    terms: { accepted: v2Entry(), ...(offers === undefined ? {} : { extensions }) },
    url,
    amount: 10_000n,
    payee: payTo,
    payer,
    at,
    ...change,
  };
  const said = {
    success: true,
    ...(receipt === undefined ? {} : { extensions: { 'offer-receipt': { info: { receipt } } } }),
  };
  return sellersOn().statements(paid, answerOf({ 'payment-response': base64(said) }, '{}', 200));
};
const signed = (signature: unknown, format = 'jws') => ({ format, signature, acceptIndex: 0 });

describe('an offer and a receipt of a seller', () => {
  it.each(Object.entries(signers))('hold with a key of %s', (_, signer) => {
    const { offer, receipt } = read([signed(jws(offerOf(), signer))], signed(jws(receiptOf(), signer)));
    expect(offer).toMatchObject({
      signedBy: signer.kid.slice(0, 200) + (signer.kid.length > 200 ? '…' : ''),
      why: null,
    });
    expect(receipt).toMatchObject({ why: null });
  });

  it('are null where the seller made none', () => {
    expect(read(undefined, undefined)).toEqual({ offer: null, receipt: null });
    expect(read([], undefined)).toEqual({ offer: null, receipt: null });
  });

  it('are kept as they came', () => {
    const text = jws(receiptOf({ transaction: txSignature }));
    expect(read(undefined, signed(text)).receipt).toEqual({
      signature: text,
      signedBy: signers.ed25519.kid,
      transaction: txSignature,
      why: null,
    });
  });

  it('the offer that was paid is chosen among several', () => {
    const wanted = jws(offerOf());
    const { offer } = read([signed(jws(offerOf({ amount: '1' }))), signed(wanted)], undefined);
    expect(offer).toMatchObject({ signature: wanted, why: null });
  });

  it.each<[string, object, RegExp]>([
    ['another amount', { amount: '9999' }, /amount/],
    ['another payee', { payTo: mint }, /payTo/],
    ['another coin', { asset: payTo }, /asset/],
    ['another network', { network: 'eip155:8453' }, /network/],
    ['another scheme', { scheme: 'upto' }, /scheme/],
    ['another version', { version: 2 }, /version/],
    ['another place', { resourceUrl: 'https://api.example.com/other' }, /resourceUrl/],
    ['another host', { resourceUrl: 'https://evil.example/weather' }, /resourceUrl/],
    ['a place that is none', { resourceUrl: 7 }, /resourceUrl/],
    ['an end long before the payment', { validUntil: seconds - 301 }, /ended/],
  ])('do not hold for an offer of %s', (_case, change, why) => {
    expect(read([signed(jws(offerOf(change)))], undefined).offer?.why).toMatch(why);
  });

  it.each<[string, object, RegExp]>([
    ['another payer', { payer: payTo }, /payer/],
    ['another network', { network: 'solana:x' }, /network/],
    ['another place', { resourceUrl: 'https://api.example.com/' }, /resourceUrl/],
    ['a time before the payment', { issuedAt: seconds - 301 }, /before/],
    ['no time', { issuedAt: null }, /before/],
  ])('do not hold for a receipt of %s', (_case, change, why) => {
    expect(read(undefined, signed(jws(receiptOf(change)))).receipt?.why).toMatch(why);
  });

  const [head = '', body = '', signature = ''] = jws(receiptOf()).split('.');
  const forged = Buffer.from(JSON.stringify(receiptOf({ payer, issuedAt: seconds + 3 }))).toString(
    'base64url',
  );
  it.each<[string, unknown, RegExp]>([
    ['a changed text', `${head}.${forged}.${signature}`, /signature is false/],
    ['a changed signature', `${head}.${body}.${signature.slice(0, -4)}AAAA`, /signature is false/],
    [
      'another’s signature',
      jws(receiptOf(), { ...signers.ed25519, key: generateKeyPairSync('ed25519').privateKey }),
      /signature is false/,
    ],
    ['no signature', `${head}.${body}.`, /not a compact JWS/],
    ['no algorithm', jws(receiptOf(), signers.ed25519, { alg: 'none' }), /algorithm/],
    ['a symmetric algorithm', jws(receiptOf(), signers.ed25519, { alg: 'HS256' }), /algorithm/],
    ['an algorithm of another key', jws(receiptOf(), signers['P-256'], { alg: 'ES256K' }), /algorithm/],
    ['no key', jws(receiptOf(), signers.ed25519, { kid: undefined }), /key is not in its name/],
    [
      'a key on the web',
      jws(receiptOf(), signers.ed25519, { kid: 'did:web:api.example.com' }),
      /key is not in its name/,
    ],
    [
      'a key that cannot be read',
      jws(receiptOf(), signers.ed25519, { kid: 'did:key:z6Mk' }),
      /key is not in its name/,
    ],
    [
      'a private key as its name',
      jws(receiptOf(), {
        ...signers.jwk,
        kid: `did:jwk:${Buffer.from(JSON.stringify(ed25519.export({ format: 'jwk' }))).toString('base64url')}`,
      }),
      /key is not in its name/,
    ],
    ['extensions of JWS', jws(receiptOf(), signers.ed25519, { crit: ['b64'], b64: false }), /extensions/],
    ['too many bytes', jws(receiptOf({ more: 'x'.repeat(4_096) })), /too long/],
    ['no text', 7, /too long|no signature/],
  ])('do not hold for a receipt with %s', (_case, text, why) => {
    expect(read(undefined, signed(text)).receipt?.why).toMatch(why);
  });

  it.each([null, 7, 'x', [], { format: 'eip712', payload: {}, signature: '0x00' }, {}])(
    'are not read in another form: %j',
    (value) => {
      expect(read(undefined, value).receipt?.why).toMatch(/format jws/);
      expect(read([value], undefined).offer?.why).toMatch(/format jws/);
    },
  );
});
