// Sellers that want to be paid more, twice, for nothing, or by somebody else, or that want to be asked where nobody
// should ask: one server, and a case for each path. Those that settle do it as a facilitator would, with a fee payer of
// their own.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Keypair, PublicKey, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { usdcMints } from '../../server/contract/networks.ts';
import { rpcCall } from '../harness/treasury.ts';

const mint = usdcMints.sandbox;
const mainnet = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const devnet = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const mib = 1024 * 1024;
/** Micro-USDC that an honest offer asks. */
export const price = 10_000;

export const tokenAccountOf = (owner: string): string =>
  getAssociatedTokenAddressSync(new PublicKey(mint), new PublicKey(owner), true).toBase58();

/** Who is who in one case. */
export interface Scene {
  name: string;
  /** This seller's origin, and one of an accomplice who may be asked too. */
  url: string;
  other: string;
  /** A port of this machine that must not be asked, over IPv4 and IPv6. */
  forbidden: number;
  treasuryUrl: string;
  treasury: string;
  wallet: string;
  payee: string;
  feePayer: string;
  /** Signs the transaction that was shown as its fee payer and hands it to the chain. */
  settle(shown: Shown): Promise<string>;
  /** Another transaction of this chain that paid the payee. */
  foreign: string;
  /** How often this case was shown a payment, this time included. */
  shownTimes(): number;
}

/** A payment as it was shown. */
export interface Shown {
  header: string;
  value: string;
  /** The signed transaction, where one was handed over. */
  transaction: string | null;
}

type Answer = (response: ServerResponse, scene: Scene, shown: Shown) => unknown;

export interface Case {
  name: string;
  first: Answer;
  /** To the request that pays; nobody gets there when nothing may be signed. */
  paid?: Answer;
  /** Of the fetch's body. */
  request?: (scene: Scene) => Record<string, unknown>;
  limits?: { dailyBudget?: string; maxPerPayment?: string; allocate?: string };
  /** Signatures that policy and quote cover: none, one, or at most one. */
  signed: 0 | 1 | 'at most 1';
  /** What becomes of them on the chain. */
  landed: 0 | 1 | 'at most 1';
  /** Whether what came counts as what was paid for. */
  delivery?: 'delivered' | 'undelivered';
  /** Of the first answer to the agent. */
  status: readonly number[];
  code?: readonly string[];
}

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const send = (response: ServerResponse, status: number, body: unknown, headers = {}): void => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
};

const entry = ({ payee, feePayer }: Scene, change: object = {}, extra: object = {}): object => ({
  scheme: 'exact',
  network: mainnet,
  amount: String(price),
  asset: mint,
  payTo: payee,
  maxTimeoutSeconds: 60,
  extra: { feePayer, ...extra },
  ...change,
});
const required = (scene: Scene, accepts: unknown, more: object = {}): object => ({
  x402Version: 2,
  error: 'Payment required',
  resource: { url: `${scene.url}/${scene.name}` },
  accepts,
  ...more,
});
const v2 =
  (
    change: object | ((scene: Scene) => object) = {},
    extra: object | ((scene: Scene) => object) = {},
  ): Answer =>
  (response, scene) => {
    const of = (part: typeof change): object => (typeof part === 'function' ? part(scene) : part);
    const terms = required(scene, [entry(scene, of(change), of(extra))]);
    send(response, 402, {}, { 'payment-required': base64(terms) });
  };
const honest = v2();
const raw =
  (terms: (scene: Scene) => unknown): Answer =>
  (response, scene) =>
    send(response, 402, {}, { 'payment-required': base64(terms(scene)) });
const v1 =
  (change: object = {}): Answer =>
  (response, scene) => {
    const { amount: maxAmountRequired, ...rest } = entry(scene) as { amount: string };
    const resource = `${scene.url}/${scene.name}`;
    send(response, 402, {
      x402Version: 1,
      accepts: [
        { ...rest, network: 'solana', maxAmountRequired, resource, description: '', mimeType: '', ...change },
      ],
    });
  };
const mpp =
  (
    change: (scene: Scene) => object = () => ({}),
    details: (scene: Scene) => object = () => ({}),
    more = '',
  ): Answer =>
  (response, scene) => {
    const request = {
      amount: String(price),
      currency: mint,
      recipient: scene.payee,
      methodDetails: { network: 'mainnet-beta', decimals: 6, ...details(scene) },
      ...change(scene),
    };
    const encoded = Buffer.from(JSON.stringify(request)).toString('base64url');
    const parts = `id="${scene.name}", realm="hostile", method="solana", intent="charge", request="${encoded}"${more}`;
    send(response, 402, {}, { 'www-authenticate': `Payment ${parts}` });
  };
const receipt =
  (change: object = {}): Answer =>
  (response, { payee }) =>
    send(response, 402, { amount: '0.01', currency: 'USDC', recipient: payee, ...change });

const settlement = (success: boolean, transaction: string, more: object = {}): Record<string, string> => ({
  'payment-response': base64({ success, transaction, network: mainnet, ...more }),
});
const goods = { goods: 'as ordered' };
const bought = { signed: 1, landed: 1, delivery: 'delivered', status: [200] } as const;
const settles =
  (then: (response: ServerResponse, scene: Scene, txSignature: string) => unknown): Answer =>
  async (response, scene, shown) =>
    then(response, scene, await scene.settle(shown));
/** Settles, once, and answers well: an offer was strange, not its seller. */
const delivers = settles((response, _, txSignature) =>
  send(response, 200, goods, settlement(true, txSignature)),
);

const drip = (response: ServerResponse, status: number, headers = {}): void => {
  response.writeHead(status, headers);
  const timer = setInterval(() => response.write(' '), 500);
  response.on('close', () => clearInterval(timer));
};
const endless = (response: ServerResponse, status: number, headers = {}): void => {
  response.writeHead(status, headers);
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
};

const nothing = { signed: 0, landed: 0 } as const;
const unusable = { ...nothing, status: [501], code: ['not_available'] } as const;
const refused = { ...nothing, status: [402] } as const;
const badUrl = { ...nothing, status: [400, 501], code: ['bad_request', 'not_available'] } as const;
/** Paid, and not delivered: the chain or proof of death says what it cost. */
const unclear = { signed: 1, delivery: 'undelivered', status: [202, 502] } as const;
/** Shown to the agent as it came, and yet not what was paid for. */
const useless = { ...unclear, status: [200, 202, 502] } as const;

const offers: readonly Case[] = [
  { name: 'wrong-mint', first: v2({ asset: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB' }), ...unusable },
  { name: 'devnet', first: v2({ network: devnet }), ...unusable },
  { name: 'unknown-network', first: v2({ network: 'eip155:8453' }), ...unusable },
  { name: 'scheme-upto', first: v2({ scheme: 'upto' }), ...unusable },
  {
    name: 'fee-payer-agent',
    first: v2({}, ({ wallet }) => ({ feePayer: wallet })),
    ...nothing,
    status: [400, 402, 501],
  },
  {
    name: 'fee-payer-treasury',
    first: v2({}, ({ treasury }) => ({ feePayer: treasury })),
    ...nothing,
    status: [400, 402, 501],
  },
  { name: 'fee-payer-missing', first: v2({ extra: {} }), ...unusable },
  { name: 'fee-payer-malformed', first: v2({}, { feePayer: '0OIl' }), ...unusable },
  {
    name: 'pay-to-agent',
    first: v2(({ wallet }) => ({ payTo: wallet })),
    ...nothing,
    status: [400, 402, 501],
  },
  {
    name: 'pay-to-agents-account',
    first: v2(({ wallet }) => ({ payTo: tokenAccountOf(wallet) })),
    ...nothing,
    status: [400, 402, 501],
  },
  {
    name: 'pay-to-treasury',
    first: v2(({ treasury }) => ({ payTo: treasury })),
    ...nothing,
    status: [400, 402, 501],
  },
  {
    name: 'pay-to-payees-account',
    first: v2(({ payee }) => ({ payTo: tokenAccountOf(payee) })),
    ...unusable,
  },
  { name: 'pay-to-nobody', first: v2({ payTo: 'nobody' }), ...unusable },
  ...(
    [
      ['number', price],
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
  { name: 'v1-amount-number', first: v1({ maxAmountRequired: price }), ...unusable },
  { name: 'v1-v2-network', first: v1({ network: 'base' }), ...unusable },
  {
    name: 'mpp-splits',
    first: mpp(undefined, ({ treasury }) => ({ splits: [{ recipient: treasury, amount: '5000' }] })),
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

/** Ten thousand entries that nobody can pay. */
function v1ofMany(): Answer {
  return (response) =>
    send(response, 402, {
      x402Version: 1,
      accepts: Array.from({ length: 10_000 }, (_, n) => ({ scheme: 'exact', network: 'base', n })),
    });
}

const redirect =
  (to: (scene: Scene) => string, status = 302): Answer =>
  (response, scene) => {
    response.writeHead(status, { location: to(scene) });
    response.end();
  };
/** A redirect is an answer like any other to the agent; nobody follows it. */
const unfollowed = { ...nothing, status: [200, 501, 502] } as const;

const places: readonly Case[] = [
  { name: 'redirect-to-accomplice', first: redirect(({ other, name }) => `${other}/${name}`), ...unfollowed },
  {
    name: 'redirect-to-metadata',
    first: redirect(() => 'http://169.254.169.254/latest/meta-data/'),
    ...unfollowed,
  },
  {
    name: 'redirect-to-treasury',
    first: redirect(({ treasuryUrl }) => `${treasuryUrl}/v1/health`),
    ...unfollowed,
  },
  {
    name: 'redirect-to-forbidden',
    first: redirect(({ forbidden }) => `http://127.0.0.1:${forbidden}/`),
    ...unfollowed,
  },
  ...(
    [
      ['localhost', ({ forbidden }) => `http://localhost:${forbidden}/`],
      ['localhost-https', ({ forbidden }) => `https://localhost:${forbidden}/`],
      ['loopback-other-port', ({ forbidden }) => `http://127.0.0.1:${forbidden}/`],
      ['loopback-https', ({ forbidden }) => `https://127.0.0.1:${forbidden}/`],
      ['loopback-ipv6', ({ forbidden }) => `http://[::1]:${forbidden}/`],
      ['loopback-ipv6-https', ({ forbidden }) => `https://[::1]:${forbidden}/`],
      ['mapped-ipv6', ({ forbidden }) => `https://[::ffff:127.0.0.1]:${forbidden}/`],
      ['nat64', ({ forbidden }) => `https://[64:ff9b::7f00:1]:${forbidden}/`],
      ['decimal', ({ forbidden }) => `https://2130706433:${forbidden}/`],
      ['hexadecimal', ({ forbidden }) => `https://0x7f000001:${forbidden}/`],
      ['octal', ({ forbidden }) => `https://0177.0.0.1:${forbidden}/`],
      ['short', ({ forbidden }) => `https://127.1:${forbidden}/`],
      ['trailing-dot', ({ forbidden }) => `https://localhost.:${forbidden}/`],
      ['unspecified', ({ forbidden }) => `https://0.0.0.0:${forbidden}/`],
      ['metadata', () => 'http://169.254.169.254/latest/meta-data/'],
      ['metadata-https', () => 'https://169.254.169.254/latest/meta-data/'],
      ['private-10', () => 'https://10.0.0.1/'],
      ['private-192', () => 'https://192.168.0.1/'],
      ['credentials', ({ url, name }) => url.replace('//', '//user:secret@').concat(`/${name}`)],
      ['treasury-api', ({ treasuryUrl }) => `${treasuryUrl}/v1/health`],
      ['treasury-api-dots', ({ treasuryUrl }) => `${treasuryUrl}/sandbox/../v1/health`],
      ['file', () => 'file:///etc/passwd'],
      ['no-url', () => 'weather'],
    ] as readonly (readonly [string, (scene: Scene) => string])[]
  ).map(([name, place]): Case => ({
    name: `place-${name}`,
    first: honest,
    request: (scene) => ({ url: place(scene) }),
    ...badUrl,
  })),
];

const bodies: readonly Case[] = [
  { name: 'slow-body', first: (response) => drip(response, 402), ...unusable },
  { name: 'endless-body', first: (response) => endless(response, 402), ...unusable },
  { name: 'body-of-2-mib', first: (response) => send(response, 200, 'x'.repeat(2 * mib)), ...unusable },
  { name: 'silence', first: () => {}, ...unusable },
  { name: 'reset', first: (response) => response.socket?.resetAndDestroy(), ...unusable },
  {
    name: 'endless-headers',
    first: (response) => {
      const { socket } = response;
      socket?.write('HTTP/1.1 402 Payment Required\r\n');
      const timer = setInterval(() => socket?.write(`x-${'y'.repeat(1_000)}: z\r\n`), 1);
      socket?.on('close', () => clearInterval(timer));
    },
    ...unusable,
  },
  { name: 'no-http', first: (response) => response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n'), ...unusable },
  {
    name: 'gzip-bomb',
    first: (response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(Buffer.alloc(200 * mib)));
    },
    ...nothing,
    status: [200, 501],
  },
];

const elsewhere = ['accomplice', 'other-path'] as const;
const afterPaying: readonly Case[] = [
  { name: '402-again', first: honest, paid: honest, ...unclear, landed: 0 },
  { name: '402-again-dearer', first: honest, paid: v2({ amount: '50000' }), ...unclear, landed: 0 },
  { name: '402-again-cheaper', first: honest, paid: v2({ amount: '1' }), ...unclear, landed: 0 },
  {
    name: '402-again-other-payee',
    first: honest,
    paid: v2(({ feePayer }) => ({ payTo: feePayer })),
    ...unclear,
    landed: 0,
  },
  {
    name: '402-again-settled',
    first: honest,
    paid: settles((response, scene) => honest(response, scene, empty)),
    ...unclear,
    landed: 1,
  },
  {
    name: '402-again-dearer-settled',
    first: honest,
    paid: settles((response, scene) => v2({ amount: '50000' })(response, scene, empty)),
    ...unclear,
    landed: 1,
  },
  ...[301, 302, 303, 307, 308].flatMap((status) =>
    elsewhere.map((where): Case => ({
      name: `redirect-${status}-${where}`,
      first: honest,
      paid: redirect(
        ({ url, other, name }) => `${where === 'accomplice' ? other : url}/stolen/${name}`,
        status,
      ),
      ...useless,
      landed: 0,
    })),
  ),
  {
    name: 'redirect-settled',
    first: honest,
    paid: settles((response, scene) =>
      redirect(({ other, name }) => `${other}/stolen/${name}`)(response, scene, empty),
    ),
    ...useless,
    landed: 1,
  },
  {
    name: 'failure-after-settling',
    first: honest,
    paid: settles((response, _, tx) =>
      send(response, 402, {}, settlement(false, tx, { errorReason: 'unexpected_settle_error' })),
    ),
    ...unclear,
    landed: 1,
  },
  {
    name: 'failure-with-200-after-settling',
    first: honest,
    paid: settles((response, _, tx) => send(response, 200, goods, settlement(false, tx))),
    signed: 1,
    landed: 1,
    status: [200, 202, 502],
  },
  {
    name: 'failure-without-settling',
    first: honest,
    paid: (response) => send(response, 402, {}, settlement(false, '', { errorReason: 'invalid' })),
    ...unclear,
    landed: 0,
  },
  {
    name: 'success-without-settling',
    first: honest,
    paid: (response) => send(response, 200, goods, settlement(true, bs58.encode(Buffer.alloc(64, 7)))),
    signed: 1,
    landed: 0,
    status: [200, 202, 502],
  },
  {
    name: 'success-by-another-transaction',
    first: honest,
    paid: (response, { foreign }) => send(response, 200, goods, settlement(true, foreign)),
    signed: 1,
    landed: 0,
    status: [200, 202, 502],
  },
  {
    name: 'settled-and-named-another',
    first: honest,
    paid: settles((response, { foreign }) => send(response, 200, goods, settlement(true, foreign))),
    ...bought,
  },
  {
    name: 'settled-with-garbage-header',
    first: honest,
    paid: settles((response) => send(response, 200, goods, { 'payment-response': '%%%' })),
    ...bought,
  },
  { name: 'settled-and-silent', first: honest, paid: settles(() => {}), ...unclear, landed: 1 },
  {
    name: 'settled-and-reset',
    first: honest,
    paid: settles((response) => response.socket?.resetAndDestroy()),
    ...unclear,
    landed: 1,
  },
  {
    name: 'settled-and-500',
    first: honest,
    paid: settles((response) => send(response, 500, { error: 'oops' })),
    ...unclear,
    landed: 1,
  },
  {
    name: 'settled-and-503',
    first: honest,
    paid: settles((response) => send(response, 503, {}, { 'retry-after': '0' })),
    ...unclear,
    landed: 1,
  },
  {
    name: 'settled-and-404',
    first: honest,
    paid: settles((response) => send(response, 404, {})),
    ...useless,
    landed: 1,
  },
  {
    name: 'settled-and-slow-body',
    first: honest,
    paid: settles((response) => drip(response, 200)),
    ...unclear,
    landed: 1,
  },
  {
    name: 'settled-and-endless-body',
    first: honest,
    paid: settles((response) => endless(response, 200)),
    ...unclear,
    landed: 1,
  },
  {
    name: 'settled-and-2-mib',
    first: honest,
    paid: settles((response) => send(response, 200, 'x'.repeat(2 * mib))),
    ...unclear,
    landed: 1,
  },
  {
    name: 'settled-twice',
    first: honest,
    paid: async (response, scene, shown) => {
      await scene.settle(shown);
      await scene.settle(shown).catch(() => {});
      send(response, 500, {});
    },
    ...unclear,
    landed: 1,
  },
  {
    name: 'settled-late',
    first: honest,
    paid: (response, scene, shown) => {
      send(response, 402, {}, settlement(false, ''));
      if (scene.shownTimes() === 1) setTimeout(() => void scene.settle(shown).catch(() => {}), 2_000);
    },
    ...unclear,
    landed: 1,
  },
  {
    name: 'settled-at-the-second-sight',
    first: honest,
    paid: (response, scene, shown) =>
      scene.shownTimes() === 1 ? send(response, 500, {}) : delivers(response, scene, shown),
    ...unclear,
    landed: 1,
  },
  {
    name: 'transaction-changed',
    first: honest,
    paid: async (response, scene, shown) => {
      const wire = Buffer.from(shown.transaction ?? '', 'base64');
      const at = wire.lastIndexOf(amountBytes(price));
      if (at >= 0) amountBytes(price * 40).copy(wire, at);
      const error = await scene.settle({ ...shown, transaction: wire.toString('base64') }).catch(String);
      send(response, 500, { error });
    },
    ...unclear,
    landed: 0,
  },
  ...(
    [
      ['dead', () => ({ recentBlockhash: bs58.encode(Buffer.alloc(32, 9)), lastValidBlockHeight: 1 })],
      ['zero', () => ({ recentBlockhash: '1'.repeat(32), lastValidBlockHeight: '0' })],
      ['malformed', () => ({ recentBlockhash: '0OIl', lastValidBlockHeight: -1 })],
      [
        'huge-height',
        () => ({ recentBlockhash: bs58.encode(Buffer.alloc(32, 9)), lastValidBlockHeight: 2 ** 53 }),
      ],
      [
        'nonce',
        ({ feePayer }) => ({
          recentBlockhash: feePayer,
          nonceAccount: feePayer,
          nonceAuthority: feePayer,
          nonce: feePayer,
        }),
      ],
    ] as readonly (readonly [string, (scene: Scene) => object])[]
  ).map(([name, extra]): Case => ({
    name: `blockhash-${name}`,
    first: v2({}, extra),
    paid: delivers,
    ...bought,
  })),
  {
    name: 'memo-256-bytes',
    first: v2({}, { memo: 'é'.repeat(128) }),
    paid: delivers,
    ...bought,
  },
  {
    name: 'resource-of-somebody-else',
    first: (response, scene) =>
      send(
        response,
        402,
        {},
        {
          'payment-required': base64(
            required(scene, [entry(scene)], { resource: { url: `${scene.other}/stolen/${scene.name}` } }),
          ),
        },
      ),
    paid: delivers,
    signed: 'at most 1',
    landed: 'at most 1',
    status: [200, 501],
  },
  {
    name: 'versions-disagree',
    first: (response, scene) => {
      const { amount: _, ...rest } = entry(scene) as { amount: string };
      send(
        response,
        402,
        {
          x402Version: 1,
          accepts: [
            {
              ...rest,
              network: 'solana',
              maxAmountRequired: '400000',
              payTo: scene.feePayer,
              resource: scene.url,
            },
          ],
        },
        { 'payment-required': base64(required(scene, [entry(scene)])) },
      );
    },
    paid: delivers,
    ...bought,
  },
  {
    name: 'dearest-first',
    first: raw((scene) =>
      required(scene, [entry(scene, { amount: '499999' }), entry(scene), entry(scene, { amount: '400000' })]),
    ),
    paid: delivers,
    ...bought,
  },
  {
    name: 'v1-402-again-settled',
    first: v1(),
    paid: settles((response, scene) => v1()(response, scene, empty)),
    ...unclear,
    landed: 1,
  },
  { name: 'v1-500', first: v1(), paid: (response) => send(response, 500, {}), ...unclear, landed: 0 },
  { name: 'mpp-push-402-again', first: mpp(), paid: mpp(), ...unclear, landed: 1 },
  {
    name: 'mpp-push-redirect',
    first: mpp(),
    paid: redirect(({ other, name }) => `${other}/stolen/${name}`, 307),
    ...useless,
    landed: 1,
  },
  {
    name: 'mpp-pull-500',
    first: mpp(undefined, ({ feePayer }) => ({ feePayer: true, feePayerKey: feePayer })),
    paid: (response) => send(response, 500, {}),
    ...unclear,
    landed: 0,
  },
  { name: 'receipt-402-again', first: receipt(), paid: receipt(), ...unclear, landed: 1 },
  { name: 'receipt-retry-for-ever', first: receipt(), paid: receipt({ retry: true }), ...unclear, landed: 1 },
  {
    name: 'receipt-redirect',
    first: receipt(),
    paid: redirect(({ other, name }) => `${other}/stolen/${name}`, 308),
    ...useless,
    landed: 1,
  },
];

const empty: Shown = { header: '', value: '', transaction: null };
const amountBytes = (units: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(units));
  return bytes;
};

export const cases: readonly Case[] = [...offers, ...places, ...bodies, ...afterPaying];

/** What came in, in order. */
export interface Visit {
  case: string;
  /** Whose server it was: the seller's own, or the accomplice's. */
  at: 'seller' | 'accomplice';
  path: string;
  /** The payment header, if there was one. */
  shown: Shown | null;
}

export interface HostileSellers {
  url: string;
  other: string;
  forbidden: number;
  payee: string;
  feePayer: string;
  visits: Visit[];
  /** Connections to the port that must not be asked. */
  trespasses(): number;
  /** Whose payments the case wants; known once its agent is. */
  enter(name: string, people: { wallet: string; treasury: string; treasuryUrl: string }): Scene;
  close(): Promise<void>;
}

export const openHostileSellers = async (rpcUrl: string): Promise<HostileSellers> => {
  const [facilitator, owner, stranger] = [Keypair.generate(), Keypair.generate(), Keypair.generate()];
  const [feePayer, payee] = [facilitator.publicKey.toBase58(), owner.publicKey.toBase58()];
  await rpcCall(rpcUrl, 'requestAirdrop', [feePayer, 10_000_000_000]);
  for (const holder of [payee, feePayer]) await rpcCall(rpcUrl, 'sandbox_fundUsdc', [holder, '0']);
  const foreign = String(
    await rpcCall(rpcUrl, 'sandbox_fundUsdc', [stranger.publicKey.toBase58(), '1000000']),
  );
  const visits: Visit[] = [];
  const scenes = new Map<string, Scene>();

  const settle = async ({ transaction }: Shown): Promise<string> => {
    if (transaction === null) throw new Error('no transaction was shown');
    const signed = VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'));
    signed.sign([facilitator]);
    const wire = Buffer.from(signed.serialize()).toString('base64');
    return String(
      await rpcCall(rpcUrl, 'sendTransaction', [wire, { encoding: 'base64', skipPreflight: true }]),
    );
  };

  const answer = async (
    at: Visit['at'],
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const path = request.url ?? '/';
    const name = path.split('/').at(-1) ?? '';
    const shown = shownBy(request);
    visits.push({ case: name, at, path, shown });
    const scene = scenes.get(name);
    const played = cases.find((one) => one.name === name);
    if (scene === undefined || played === undefined) return send(response, 404, {});
    // Where no redirect should have led, a payable offer waits, and whoever pays it is seen.
    const stray = at === 'accomplice' || path !== `/${name}`;
    if (stray) return void honest(response, scene, empty);
    if (shown === null) return void (await played.first(response, scene, empty));
    if (played.paid === undefined) return send(response, 200, goods);
    await played.paid(response, scene, shown);
  };
  const serve = (at: Visit['at']): ReturnType<typeof createServer> =>
    createServer((request, response) => {
      response.on('error', () => {});
      request.on('error', () => {});
      answer(at, request, response).catch((error: unknown) => {
        if (!response.headersSent) send(response, 500, { error: String(error) });
        else response.destroy();
      });
    });
  const [seller, accomplice] = [serve('seller'), serve('accomplice')];
  let trespasses = 0;
  const forbidden = createTcpServer((socket) => {
    trespasses += 1;
    socket.destroy();
  });
  const portOf = async (server: typeof seller | typeof forbidden, host: string): Promise<number> => {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, host, resolve);
    });
    return (server.address() as AddressInfo).port;
  };
  const url = `http://127.0.0.1:${await portOf(seller, '127.0.0.1')}`;
  const other = `http://127.0.0.1:${await portOf(accomplice, '127.0.0.1')}`;
  // On every address of this machine, IPv4 and IPv6, where there is IPv6.
  const forbiddenPort = await portOf(forbidden, '::').catch(() => portOf(forbidden, '0.0.0.0'));

  return {
    url,
    other,
    forbidden: forbiddenPort,
    payee,
    feePayer,
    visits,
    trespasses: () => trespasses,
    enter(name, people) {
      const scene: Scene = {
        name,
        url,
        other,
        forbidden: forbiddenPort,
        payee,
        feePayer,
        settle,
        foreign,
        ...people,
        shownTimes: () => visits.filter((visit) => visit.case === name && visit.shown !== null).length,
      };
      scenes.set(name, scene);
      return scene;
    },
    async close() {
      for (const server of [seller, accomplice]) {
        const closed = new Promise((resolve) => server.close(resolve));
        server.closeAllConnections();
        await closed;
      }
      await new Promise((resolve) => forbidden.close(resolve));
    },
  };
};

const shownBy = ({ headers }: IncomingMessage): Shown | null => {
  for (const header of ['payment-signature', 'x-payment', 'authorization']) {
    const value = headers[header];
    if (typeof value !== 'string') continue;
    try {
      const text = Buffer.from(value.replace(/^(Payment |v1\.)/, ''), 'base64').toString('utf8');
      const { payload } = JSON.parse(text) as { payload?: { transaction?: string } };
      return { header, value, transaction: payload?.transaction ?? null };
    } catch {
      return { header, value, transaction: null };
    }
  }
  return null;
};
