// Sellers' answers: recorded from the official packages (@x402/express 2.27, x402-express 1.2, @solana/mpp 0.6 with
// mppx), and functions that alter them.
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import type { Network, Offer, SellerAnswer, Sellers } from '../../../server/engine/ports.ts';
import { usdcMints } from '../../../server/contract/treasury/networks.ts';
import { createSellers } from '../../../server/x402/sellers.ts';

export const mint = usdcMints.sandbox;
export const payTo = 'GokivDYuQXPZCWRkwMhdH2h91KpDQXBEmpgBgs55bnpH';
export const feePayer = '9hSR6S7WPtxmTojgo6GG3k4yDPecgJY292j7xrsUGWBu';
export const mainnetId = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
export const devnetId = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
export const token2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
/** The USDC token account of `payTo`, which is no wallet. */
export const tokenAccount = 'DgBVJW8Rb1Qi32K3u2TLjom6HnqM1ReFUN1i5S1J8gde';
export const txSignature = bs58.encode(Buffer.alloc(64, 7));
export const wire = Buffer.from('signed bytes of a transaction');
export const asked = 'https://x.example/asked';
/** A time when the recorded challenges were still valid. */
export const recordedAt = Date.parse('2026-11-21T20:56:20Z');

type Reading = Omit<Sellers, 'offers'> & { offers(answer: SellerAnswer, url?: string): readonly Offer[] };

/** Their offers are for `asked` where a test does not care. */
export const sellersOn = (network: Network = 'sandbox', at = recordedAt): Reading => {
  const sellers = createSellers({
    network,
    mint: usdcMints[network],
    now: () => at,
    outbound: () => Promise.reject(new Error('nobody is to be asked')),
  });
  return { ...sellers, offers: (answer, url = asked) => sellers.offers(answer, url) };
};

export const answerOf = (
  headers: Readonly<Record<string, string>>,
  body: unknown = '',
  status = 402,
): SellerAnswer => ({
  status,
  headers,
  bytes: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});

export const base64 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
export const base64url = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
export const decode = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64').toString('utf8'));

export const randomWallet = (): string => Keypair.generate().publicKey.toBase58();

/** As recorded: a description beyond ASCII. */
export const v2Header =
  'eyJ4NDAyVmVyc2lvbiI6MiwiZXJyb3IiOiJQYXltZW50IHJlcXVpcmVkIiwicmVzb3VyY2UiOnsidXJsIjoiaHR0cDovLzEyNy4wLjAuMToxODQwMi93ZWF0aGVyIiwiZGVzY3JpcHRpb24iOiJXZWF0aGVyIOKAkyBldmVyeXdoZXJlIiwibWltZVR5cGUiOiJhcHBsaWNhdGlvbi9qc29uIn0sImFjY2VwdHMiOlt7InNjaGVtZSI6ImV4YWN0IiwibmV0d29yayI6InNvbGFuYTo1ZXlrdDRVc0Z2OFA4TkpkVFJFcFkxdnpxS3FaS3ZkcCIsImFtb3VudCI6IjEwMDAwIiwiYXNzZXQiOiJFUGpGV2RkNUF1ZnFTU3FlTTJxTjF4enliYXBDOEc0d0VHR2tad3lURHQxdiIsInBheVRvIjoiR29raXZEWXVRWFBaQ1dSa3dNaGRIMmg5MUtwRFFYQkVtcGdCZ3M1NWJucEgiLCJtYXhUaW1lb3V0U2Vjb25kcyI6MzAwLCJleHRyYSI6eyJmZWVQYXllciI6IjloU1I2UzdXUHR4bVRvamdvNkdHM2s0eURQZWNnSlkyOTJqN3hyc1VHV0J1In19XX0=';
/** As recorded: with a memo, a payment identifier and a Bazaar listing. */
export const v2MemoHeader =
  'eyJ4NDAyVmVyc2lvbiI6MiwiZXJyb3IiOiJQYXltZW50IHJlcXVpcmVkIiwicmVzb3VyY2UiOnsidXJsIjoiaHR0cDovLzEyNy4wLjAuMToxODQwMi9tZW1vIiwiZGVzY3JpcHRpb24iOiJtIiwibWltZVR5cGUiOiJ0ZXh0L3BsYWluIn0sImFjY2VwdHMiOlt7InNjaGVtZSI6ImV4YWN0IiwibmV0d29yayI6InNvbGFuYTo1ZXlrdDRVc0Z2OFA4TkpkVFJFcFkxdnpxS3FaS3ZkcCIsImFtb3VudCI6IjIwMDAwIiwiYXNzZXQiOiJFUGpGV2RkNUF1ZnFTU3FlTTJxTjF4enliYXBDOEc0d0VHR2tad3lURHQxdiIsInBheVRvIjoiR29raXZEWXVRWFBaQ1dSa3dNaGRIMmg5MUtwRFFYQkVtcGdCZ3M1NWJucEgiLCJtYXhUaW1lb3V0U2Vjb25kcyI6MzAwLCJleHRyYSI6eyJtZW1vIjoiaW52b2ljZS03IiwiZmVlUGF5ZXIiOiI5aFNSNlM3V1B0eG1Ub2pnbzZHRzNrNHlEUGVjZ0pZMjkyajd4cnNVR1dCdSJ9fV0sImV4dGVuc2lvbnMiOnsicGF5bWVudC1pZGVudGlmaWVyIjp7ImluZm8iOnsicmVxdWlyZWQiOnRydWV9LCJzY2hlbWEiOnsiJHNjaGVtYSI6Imh0dHBzOi8vanNvbi1zY2hlbWEub3JnL2RyYWZ0LzIwMjAtMTIvc2NoZW1hIiwidHlwZSI6Im9iamVjdCIsInByb3BlcnRpZXMiOnsicmVxdWlyZWQiOnsidHlwZSI6ImJvb2xlYW4ifSwiaWQiOnsidHlwZSI6InN0cmluZyIsIm1pbkxlbmd0aCI6MTYsIm1heExlbmd0aCI6MTI4LCJwYXR0ZXJuIjoiXlthLXpBLVowLTlfLV0rJCJ9fSwicmVxdWlyZWQiOlsicmVxdWlyZWQiXX19LCJiYXphYXIiOnsiaW5mbyI6eyJpbnB1dCI6eyJ0eXBlIjoiaHR0cCIsInF1ZXJ5UGFyYW1zIjp7ImNpdHkiOiJ4In0sIm1ldGhvZCI6IkdFVCJ9fSwic2NoZW1hIjp7IiRzY2hlbWEiOiJodHRwczovL2pzb24tc2NoZW1hLm9yZy9kcmFmdC8yMDIwLTEyL3NjaGVtYSIsInR5cGUiOiJvYmplY3QiLCJwcm9wZXJ0aWVzIjp7ImlucHV0Ijp7InR5cGUiOiJvYmplY3QiLCJwcm9wZXJ0aWVzIjp7InR5cGUiOnsidHlwZSI6InN0cmluZyIsImNvbnN0IjoiaHR0cCJ9LCJtZXRob2QiOnsidHlwZSI6InN0cmluZyIsImVudW0iOlsiR0VUIl19LCJxdWVyeVBhcmFtcyI6eyJ0eXBlIjoib2JqZWN0IiwicHJvcGVydGllcyI6eyJjaXR5Ijp7InR5cGUiOiJzdHJpbmcifX19fSwicmVxdWlyZWQiOlsidHlwZSIsIm1ldGhvZCJdLCJhZGRpdGlvbmFsUHJvcGVydGllcyI6ZmFsc2V9fSwicmVxdWlyZWQiOlsiaW5wdXQiXX19fX0=';

/** As recorded. */
export const v1Body =
  '{"x402Version":1,"error":"X-PAYMENT header is required","accepts":[{"scheme":"exact","network":"solana","maxAmountRequired":"10000","resource":"http://127.0.0.1:18403/weather","description":"Weather","mimeType":"","payTo":"GokivDYuQXPZCWRkwMhdH2h91KpDQXBEmpgBgs55bnpH","maxTimeoutSeconds":60,"asset":"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v","outputSchema":{"input":{"type":"http","method":"GET","discoverable":true}},"extra":{"feePayer":"9hSR6S7WPtxmTojgo6GG3k4yDPecgJY292j7xrsUGWBu"}}]}';

/** As recorded: we send the transaction. Bytes above ASCII are as in a header, Latin-1. */
export const mppPush =
  'Payment id="tw4_0e2oo-bmr55KGnHUl66kjuz_OHaIQwV8hyWqa5A", realm="api.example.com", method="solana", intent="charge", request="eyJhbW91bnQiOiIxMDAwMCIsImN1cnJlbmN5IjoiRVBqRldkZDVBdWZxU1NxZU0ycU4xeHp5YmFwQzhHNHdFR0drWnd5VER0MXYiLCJtZXRob2REZXRhaWxzIjp7ImRlY2ltYWxzIjo2LCJuZXR3b3JrIjoibG9jYWxuZXQiLCJ0b2tlblByb2dyYW0iOiJUb2tlbmtlZ1FmZVp5aU53QUpiTmJHS1BGWENXdUJ2ZjlTczYyM1ZRNURBIn0sInJlY2lwaWVudCI6Ikdva2l2RFl1UVhQWkNXUmt3TWhkSDJoOTFLcERRWEJFbXBnQmdzNTVibnBIIn0", description="Wetter \\u2013 \\u201cüberall\\u201d", expires="2026-11-21T21:01:18.813Z"';
/** As recorded: the seller pays the fee, and asks for a memo. */
export const mppPull =
  'Payment id="txsY9NAPZdlPW7Yi-yPcBvtZaTonuG4VNLCdGK5Cb1Y", realm="api.example.com", method="solana", intent="charge", request="eyJhbW91bnQiOiIxMDAwMCIsImN1cnJlbmN5IjoiRVBqRldkZDVBdWZxU1NxZU0ycU4xeHp5YmFwQzhHNHdFR0drWnd5VER0MXYiLCJleHRlcm5hbElkIjoib3JkZXIg4oCcN-KAnSIsIm1ldGhvZERldGFpbHMiOnsiZGVjaW1hbHMiOjYsImZlZVBheWVyIjp0cnVlLCJmZWVQYXllcktleSI6IkoyeGNjUnR1RzQzZHJFU0xZem5IaExoUWtMVGRmZXBjS1liaVE5QnNKVmFmIiwibmV0d29yayI6ImxvY2FsbmV0IiwidG9rZW5Qcm9ncmFtIjoiVG9rZW5rZWdRZmVaeWlOd0FKYk5iR0tQRlhDV3VCdmY5U3M2MjNWUTVEQSJ9LCJyZWNpcGllbnQiOiJHb2tpdkRZdVFYUFpDV1Jrd01oZEgyaDkxS3BEUVhCRW1wZ0JnczU1Ym5wSCJ9", description="Wetter \\u2013 \\u201cüberall\\u201d", expires="2026-11-21T21:01:18.823Z"';
export const mppFeePayer = 'J2xccRtuG43drESLYznHhLhQkLTdfepcKYbiQ9BsJVaf';

type Loose = Record<string, unknown>;

/** A well-formed entry of version 2 with some fields changed; undefined omits a field. */
export const v2Entry = (changes: Loose = {}): Loose => ({
  scheme: 'exact',
  network: mainnetId,
  amount: '10000',
  asset: mint,
  payTo,
  maxTimeoutSeconds: 60,
  extra: { feePayer },
  ...changes,
});
export const v1Entry = (changes: Loose = {}): Loose => {
  const { amount, network: _, ...rest } = v2Entry();
  return {
    ...rest,
    network: 'solana',
    maxAmountRequired: amount,
    resource: 'https://x.example/',
    ...changes,
  };
};
export const v2Answer = (entries: unknown, changes: Loose = {}): SellerAnswer => {
  const required = { x402Version: 2, resource: { url: 'https://x.example/' }, accepts: entries, ...changes };
  return answerOf({ 'payment-required': base64(required) }, '{}');
};
export const v1Answer = (entries: unknown): SellerAnswer =>
  answerOf({}, { x402Version: 1, accepts: entries });

export const mppRequest = (changes: Loose = {}, details: Loose = {}): Loose => ({
  amount: '10000',
  currency: mint,
  recipient: payTo,
  methodDetails: { network: 'mainnet-beta', decimals: 6, ...details },
  ...changes,
});
export const challengeOf = (
  request: unknown,
  changes: Readonly<Record<string, string | null>> = {},
): string => {
  const parameters = {
    id: 'abc',
    realm: 'x.example',
    method: 'solana',
    intent: 'charge',
    request: base64url(request),
    ...changes,
  };
  const parts = Object.entries(parameters).filter(([, value]) => value !== null);
  return `Payment ${parts.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
};
export const mppAnswer = (...challenges: string[]): SellerAnswer =>
  answerOf({ 'www-authenticate': challenges.join(', ') }, { type: 'about:blank', status: 402 });

export const quote = (changes: Loose = {}): Loose => ({
  amount: '0.01',
  currency: 'USDC',
  recipient: payTo,
  ...changes,
});
