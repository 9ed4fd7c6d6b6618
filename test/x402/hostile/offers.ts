// Bad offers: another token, network or scheme, a payee or fee payer of the treasury's own, invalid or too large
// amounts, and terms that cannot be read or are too long to repeat.
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import {
  base64,
  delivers,
  entry,
  honest,
  mib,
  mint,
  mpp,
  raw,
  receipt,
  required,
  send,
  v1,
  v2,
} from './answers.ts';
import { nothing, price, refused, unpayable, unusable, type Answer, type Case } from './case.ts';

const devnet = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const tokenAccountOf = (owner: string): string =>
  getAssociatedTokenAddressSync(new PublicKey(mint), new PublicKey(owner), true).toBase58();

export const offers: readonly Case[] = [
  { name: 'wrong-mint', first: v2({ asset: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB' }), ...unusable },
  { name: 'devnet', first: v2({ network: devnet }), ...unusable },
  { name: 'unknown-network', first: v2({ network: 'eip155:8453' }), ...unusable },
  { name: 'scheme-upto', first: v2({ scheme: 'upto' }), ...unusable },
  {
    name: 'fee-payer-agent',
    first: v2({}, ({ wallet }) => ({ feePayer: wallet })),
    ...unpayable,
  },
  {
    name: 'fee-payer-treasury',
    first: v2({}, ({ treasury }) => ({ feePayer: treasury })),
    ...unpayable,
  },
  { name: 'fee-payer-missing', first: v2({ extra: {} }), ...unusable },
  { name: 'fee-payer-malformed', first: v2({}, { feePayer: '0OIl' }), ...unusable },
  {
    name: 'pay-to-agent',
    first: v2(({ wallet }) => ({ payTo: wallet })),
    ...unpayable,
  },
  {
    name: 'pay-to-agents-account',
    first: v2(({ wallet }) => ({ payTo: tokenAccountOf(wallet) })),
    ...unpayable,
  },
  {
    name: 'pay-to-treasury',
    first: v2(({ treasury }) => ({ payTo: treasury })),
    ...unpayable,
  },
  {
    name: 'pay-to-payees-account',
    first: v2(({ payee }) => ({ payTo: tokenAccountOf(payee) })),
    ...unusable,
  },
  { name: 'pay-to-nobody', first: v2({ payTo: 'nobody' }), ...unusable },
  ...(
    [
      ['fraction', price + 0.5],
      ['hex', '0x10'],
      ['space', ' 5'],
      ['negative', '-5'],
      ['exponent', '1e6'],
      ['17-digits', '10000000000000000'],
      ['zero', '0'],
      ['leading-zero', '010'],
      ['empty', ''],
      ['decimal', '0.01'],
      ['null', null],
      ['list', ['5']],
      ['arabic-digits', '١٠٠'],
    ] as const
  ).map(([name, amount]): Case => ({ name: `amount-${name}`, first: v2({ amount }), ...unusable })),
  { name: 'above-max-amount', first: honest, request: () => ({ maxAmount: '0.009999' }), ...refused },
  { name: 'above-max-per-payment', first: v2({ amount: '500001' }), ...refused, code: ['max_per_payment'] },
  {
    name: 'above-budget',
    first: v2({ amount: '400000' }),
    limits: { dailyBudget: '0.30', maxPerPayment: '0.50' },
    ...refused,
    code: ['daily_budget'],
  },
  {
    name: 'above-balance',
    first: v2({ amount: '400000' }),
    limits: { allocate: '0.05' },
    ...refused,
    code: ['insufficient_balance'],
  },
  { name: 'memo-257-bytes', first: v2({}, { memo: 'é'.repeat(128) + 'x' }), ...unusable },
  { name: 'memo-nul', first: v2({}, { memo: 'order\0 17' }), ...unusable },
  { name: 'memo-number', first: v2({}, { memo: 17 }), ...unusable },
  {
    name: 'terms-not-base64',
    first: (response) => send(response, 402, {}, { 'payment-required': '!!!!' }),
    ...unusable,
  },
  {
    name: 'terms-not-json',
    first: (response) =>
      send(response, 402, {}, { 'payment-required': Buffer.from('{"x402Version":2').toString('base64') }),
    ...unusable,
  },
  {
    name: 'terms-of-1-mib',
    first: (response, scene) => {
      const terms = required(scene, [entry(scene)], { padding: 'x'.repeat(mib) });
      response.socket?.end(`HTTP/1.1 402 Payment Required\r\nPAYMENT-REQUIRED: ${base64(terms)}\r\n\r\n`);
    },
    ...unusable,
  },
  { name: 'accepts-empty', first: raw((scene) => required(scene, [])), ...unusable },
  {
    name: 'accepts-no-list',
    first: raw((scene) => required(scene, { 0: entry(scene), length: 1 })),
    ...unusable,
  },
  { name: 'accepts-10000', first: v1ofMany(), ...nothing, status: [501] },
  {
    name: 'prototype-of-an-entry',
    first: (response, scene) => {
      const terms = JSON.stringify(required(scene, ['HERE'])).replace(
        '"HERE"',
        `{"__proto__":${JSON.stringify(entry(scene))}}`,
      );
      send(response, 402, {}, { 'payment-required': Buffer.from(terms).toString('base64') });
    },
    ...unusable,
  },
  {
    name: 'prototype-of-extra',
    first: (response, scene) => {
      const { feePayer } = scene;
      const bare = JSON.stringify(required(scene, [entry(scene, { extra: 'HERE' })]));
      const terms = bare.replace(
        '"HERE"',
        `{"__proto__":{"feePayer":"${feePayer}"},"constructor":{"prototype":{"feePayer":"${feePayer}"}}}`,
      );
      send(response, 402, {}, { 'payment-required': Buffer.from(terms).toString('base64') });
    },
    ...unusable,
  },
  {
    name: 'terms-to-echo-of-64-kib',
    first: raw((scene) =>
      required(scene, [entry(scene, {}, { padding: 'x'.repeat(8_000) })], {
        extensions: { a: 'y'.repeat(3_000) },
      }),
    ),
    paid: delivers,
    signed: 'at most 1',
    landed: 'at most 1',
    status: [200, 501],
  },
  { name: 'v1-devnet', first: v1({ network: 'solana-devnet' }), ...unusable },
  { name: 'v1-amount-fraction', first: v1({ maxAmountRequired: price + 0.5 }), ...unusable },
  { name: 'v1-v2-network', first: v1({ network: 'base' }), ...unusable },
  {
    name: 'mpp-splits',
    first: mpp(undefined, ({ treasury }) => ({ splits: [{ recipient: treasury, amount: '5000' }] })),
    ...unpayable,
  },
  {
    name: 'mpp-splits-agent',
    first: mpp(undefined, ({ wallet }) => ({ splits: [{ recipient: wallet, amount: '5000' }] })),
    ...unpayable,
  },
  {
    name: 'mpp-splits-of-all',
    first: mpp(undefined, ({ feePayer }) => ({ splits: [{ recipient: feePayer, amount: String(price) }] })),
    ...unusable,
  },
  { name: 'mpp-expired', first: mpp(undefined, undefined, `, expires="2026-01-01T00:00:00Z"`), ...unusable },
  { name: 'mpp-fee-payer-without-key', first: mpp(undefined, () => ({ feePayer: true })), ...unusable },
  {
    name: 'mpp-token-2022',
    first: mpp(undefined, () => ({ tokenProgram: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' })),
    ...unusable,
  },
  { name: 'mpp-9-decimals', first: mpp(undefined, () => ({ decimals: 9 })), ...unusable },
  { name: 'mpp-sol', first: mpp(() => ({ currency: 'sol' })), ...unusable },
  { name: 'mpp-devnet', first: mpp(undefined, () => ({ network: 'devnet' })), ...unusable },
  { name: 'mpp-in-host-header', first: mpp(undefined, undefined, ', header="Host"'), ...unusable },
  { name: 'mpp-identifier-257-bytes', first: mpp(() => ({ externalId: 'x'.repeat(257) })), ...unusable },
  { name: 'receipt-amount-number', first: receipt({ amount: 0.01 }), ...unusable },
  { name: 'receipt-exponent', first: receipt({ amount: '1e-2' }), ...unusable },
  { name: 'receipt-other-currency', first: receipt({ currency: 'USDT' }), ...unusable },
  { name: 'receipt-mainnet', first: receipt({ network: 'mainnet' }), ...unusable },
];

/** Ten thousand entries that cannot be paid. */
function v1ofMany(): Answer {
  return (response) =>
    send(response, 402, {
      x402Version: 1,
      accepts: Array.from({ length: 10_000 }, (_, n) => ({ scheme: 'exact', network: 'base', n })),
    });
}
