// All dialects at once: hostile 402s, and the requests to a seller.
import { isDeepStrictEqual } from 'node:util';
import zlib from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Offer, SellerAnswer } from '../../../server/engine/ports.ts';
import { AppError } from '../../../server/errors.ts';
import type { OutboundRequest } from '../../../server/x402/outbound.ts';
import { createSellers } from '../../../server/x402/sellers.ts';
import {
  answerOf,
  base64,
  base64url,
  challengeOf,
  decode,
  devnetId,
  feePayer,
  mainnetId,
  mint,
  mppAnswer,
  mppPull,
  mppPush,
  mppRequest,
  payTo,
  quote,
  sellersOn,
  token2022,
  tokenAccount,
  txSignature,
  v1Answer,
  v1Body,
  v1Entry,
  v2Answer,
  v2Entry,
  v2Header,
  wire,
} from './samples.ts';

type Loose = Record<string, unknown>;

const sellers = sellersOn();
const everything = answerOf(
  { 'payment-required': v2Header, 'www-authenticate': `${mppPush}, ${mppPull}` },
  {
    ...JSON.parse(v1Body),
    ...quote(),
  },
);

describe('an answer of several dialects', () => {
  it('holds an offer of each dialect: ours first, x402 2 and 1, MPP', () => {
    expect(sellers.offers(everything).map(({ dialect }) => dialect)).toEqual([
      'receipt',
      'x402-v2',
      'x402-v1',
      'mpp',
      'mpp',
    ]);
  });

  it('holds the other offers when one of them cannot be paid', () => {
    const answer = answerOf({ 'payment-required': '!', 'www-authenticate': 'Payment' }, v1Body);
    expect(sellers.offers(answer).map(({ dialect }) => dialect)).toEqual(['x402-v1']);
  });
});

const refusalOf = (ask: () => unknown): AppError => {
  try {
    ask();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('it was not refused');
};

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let index = 0; index < depth; index += 1) value = { a: value };
  return value;
};
const v2 = (entry: Loose, changes: Loose = {}): SellerAnswer => v2Answer([v2Entry(entry)], changes);
const v1 = (entry: Loose): SellerAnswer => v1Answer([v1Entry(entry)]);
const mpp = (request: Loose, details: Loose = {}): SellerAnswer =>
  mppAnswer(challengeOf(mppRequest(request, details)));
const ofMpp = (parameters: Record<string, string | null>): SellerAnswer =>
  mppAnswer(challengeOf(mppRequest(), parameters));
const withExtra = (extra: Loose): SellerAnswer => v2({ extra: { feePayer, ...extra } });
const splitInto = (...splits: Loose[]): SellerAnswer => mpp({}, { splits });
const part = { recipient: feePayer, amount: '1' };
const raw = (text: string): SellerAnswer => answerOf({ 'payment-required': base64(text) });

const hostile: [string, string, SellerAnswer][] = [
  ['v2 amount as a fraction', 'amount', v2({ amount: 1.5 })],
  ['v2 amount beyond what readers agree on', 'amount', v2({ amount: 2 ** 53 })],
  ['v2 amount empty', 'amount', v2({ amount: '' })],
  ['v2 amount in hexadecimal', 'amount', v2({ amount: '0x10' })],
  ['v2 amount with spaces', 'amount', v2({ amount: ' 5 ' })],
  ['v2 amount with a line end', 'amount', v2({ amount: '5\n' })],
  ['v2 amount below zero', 'amount', v2({ amount: '-5' })],
  ['v2 amount zero', 'amount', v2({ amount: '0' })],
  ['v2 amount with a leading zero', 'amount', v2({ amount: '010' })],
  ['v2 amount with an exponent', 'amount', v2({ amount: '1e6' })],
  ['v2 amount with a fraction', 'amount', v2({ amount: '1.0' })],
  ['v2 amount of 17 digits', 'amount', v2({ amount: '1'.repeat(17) })],
  ['v2 amount in other digits', 'amount', v2({ amount: '٣' })],
  ['v2 amount with a separator', 'amount', v2({ amount: '1_000' })],
  ['v2 amount missing', 'amount', v2({ amount: undefined })],
  ['v2 amount of version 1', 'amount', v2({ amount: undefined, maxAmountRequired: '5' })],
  ['v2 scheme upto', 'scheme', v2({ scheme: 'upto' })],
  ['v2 scheme in capitals', 'scheme', v2({ scheme: 'Exact' })],
  ['v2 network devnet', 'network', v2({ network: devnetId })],
  ['v2 network of version 1', 'network', v2({ network: 'solana' })],
  ['v2 network of another chain', 'network', v2({ network: 'eip155:8453' })],
  ['v2 network with more behind it', 'network', v2({ network: `${mainnetId}KuDgH` })],
  ['v2 network as a list', 'network', v2({ network: [mainnetId] })],
  ['v2 wrong mint', 'asset', v2({ asset: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB' })],
  ['v2 mint of devnet', 'asset', v2({ asset: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU' })],
  ['v2 mint by its ticker', 'asset', v2({ asset: 'USDC' })],
  ['v2 token program 2022', 'tokenProgram', withExtra({ tokenProgram: token2022 })],
  ['v2 nine decimals', 'decimals', withExtra({ decimals: 9 })],
  ['v2 decimals as text', 'decimals', withExtra({ decimals: '6' })],
  ['v2 payee of another chain', 'payTo', v2({ payTo: `0x${'5'.repeat(40)}` })],
  ['v2 payee with a space', 'payTo', v2({ payTo: ` ${payTo}` })],
  ['v2 payee with a leading one', 'payTo', v2({ payTo: `1${payTo}` })],
  ['v2 payee endless', 'payTo', v2({ payTo: '2'.repeat(9_000) })],
  ['v2 payee missing', 'payTo', v2({ payTo: undefined })],
  ['v2 fee payer missing', 'extra.feePayer', v2({ extra: {} })],
  ['v2 extra missing', 'extra', v2({ extra: undefined })],
  ['v2 fee payer too short', 'extra.feePayer', withExtra({ feePayer: feePayer.slice(2) })],
  [
    'v2 fee payer only inherited',
    'extra.feePayer',
    raw(
      `{"x402Version":2,"resource":{"url":"x"},"accepts":[{"scheme":"exact","network":"${mainnetId}","amount":"1","asset":"${mint}","payTo":"${payTo}","extra":{"__proto__":{"feePayer":"${feePayer}"}}}]}`,
    ),
  ],
  ['v2 memo of 257 bytes', 'extra.memo', withExtra({ memo: 'é'.repeat(128) + 'x' })],
  ['v2 memo with a NUL', 'extra.memo', withExtra({ memo: 'a\0b' })],
  ['v2 memo as an object', 'extra.memo', withExtra({ memo: { a: 1 } })],
  ['v2 memo of half a character', 'extra.memo', withExtra({ memo: '\ud800' })],
  ['v2 too much to give back', 'KiB', withExtra({ junk: 'x'.repeat(17_000) })],
  ['v2 nested deeply', 'nested', withExtra({ junk: nested(200) })],
  [
    'v2 nested without end',
    'nested',
    raw(
      `{"x402Version":2,"resource":{"url":"x"},"accepts":[${JSON.stringify(v2Entry()).slice(0, -1)},"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}]}`,
    ),
  ],
  [
    'v2 extensions that bend prototypes',
    '__proto__',
    raw(
      `{"x402Version":2,"resource":{"url":"x"},"accepts":[${JSON.stringify(v2Entry())}],"extensions":{"__proto__":{"a":1}}}`,
    ),
  ],
  ['v2 extensions as a list', 'extensions', v2({}, { extensions: [] })],
  ['v2 of version 1', 'x402Version', v2({}, { x402Version: 1 })],
  ['v2 version as text', 'x402Version', v2({}, { x402Version: '2' })],
  ['v2 empty list', 'asks for nothing', v2Answer([])],
  ['v2 list that is none', 'accepts', v2Answer({ 0: v2Entry(), length: 1 })],
  ['v2 entry that is none', 'must be an object', v2Answer([null])],
  ['v2 header in plain JSON', 'base64', answerOf({ 'payment-required': '{"x402Version":2}' })],
  ['v2 header twice', 'base64', answerOf({ 'payment-required': `${v2Header}, ${v2Header}` })],
  [
    'v2 header not UTF-8',
    'base64',
    answerOf({ 'payment-required': Buffer.from('{"a":"\u00ff"}', 'latin1').toString('base64') }),
  ],
  ['v2 header in the URL alphabet', 'base64', answerOf({ 'payment-required': '-_-_' })],
  ['v1 amount as a fraction', 'maxAmountRequired', v1({ maxAmountRequired: 0.5 })],
  ['v1 amount of version 2', 'maxAmountRequired', v1({ maxAmountRequired: undefined, amount: '5' })],
  ['v1 network of version 2', 'network', v1({ network: mainnetId })],
  ['v1 network base', 'network', v1({ network: 'base' })],
  ['v1 wrong mint', 'asset', v1({ asset: payTo })],
  ['v1 without a fee payer', 'extra.feePayer', v1({ extra: { feePayer: null } })],
  ['v1 list that is none', 'accepts', v1Answer('all')],
  ['mpp amount in decimals', 'amount', mpp({ amount: '0.01' })],
  ['mpp currency sol', 'currency', mpp({ currency: 'sol' })],
  ['mpp another coin', 'currency', mpp({ currency: 'PYUSD' })],
  ['mpp split to the payee', 'recipient twice', splitInto({ ...part, recipient: payTo })],
  ['mpp split of all', 'leave the recipient', splitInto({ ...part, amount: '10000' })],
  ['mpp split of nothing', 'amount', splitInto({ ...part, amount: '0' })],
  [
    'mpp split that opens an account',
    'ataCreationRequired',
    splitInto({ ...part, ataCreationRequired: true }),
  ],
  ['mpp nine splits', 'at most 8', splitInto(...Array.from({ length: 9 }, () => part))],
  [
    'mpp split with a memo too long for the packet',
    '320 bytes',
    mpp({ externalId: 'x'.repeat(200), methodDetails: { splits: [{ ...part, memo: 'x'.repeat(121) }] } }),
  ],
  ['mpp splits that are no list', 'splits', mpp({}, { splits: { 0: { ...part, recipient: payTo } } })],
  ['mpp token program 2022', 'tokenProgram', mpp({}, { tokenProgram: token2022 })],
  ['mpp nine decimals', 'decimals', mpp({}, { decimals: 9 })],
  ['mpp network devnet', 'network', mpp({}, { network: 'devnet' })],
  ['mpp details that are none', 'methodDetails', mpp({ methodDetails: 'x' })],
  ['mpp fee payer without its key', 'feePayerKey', mpp({}, { feePayer: true })],
  ['mpp memo of 300 bytes', 'externalId', mpp({ externalId: 'x'.repeat(300) })],
  ['mpp request in plain JSON', 'request', mppAnswer(challengeOf('', { request: '{}' }))],
  [
    'mpp request in padded base64 of another alphabet',
    'request',
    mppAnswer(challengeOf('', { request: '+/+/' })),
  ],
  ['mpp request of 17 KiB', 'request', mppAnswer(challengeOf({ ...mppRequest(), junk: 'x'.repeat(13_000) }))],
  ['mpp without an id', 'id', ofMpp({ id: null })],
  ['mpp of another method', 'method', ofMpp({ method: 'tempo' })],
  ['mpp of another intent', 'intent', ofMpp({ intent: 'session' })],
  ['mpp expired', 'expires', ofMpp({ expires: '2026-11-21T20:56:19Z' })],
  ['mpp expires some day', 'expires', ofMpp({ expires: 'tomorrow' })],
  ['mpp id twice', 'challenges', mppAnswer(`${challengeOf(mppRequest())}, id="other"`)],
  ['mpp that bends prototypes', '__proto__', mppAnswer(`${challengeOf(mppRequest())}, __proto__="x"`)],
  ['mpp credential in Host', 'header', ofMpp({ header: 'Host' })],
  ['ours on another network', 'network', answerOf({}, quote({ network: 'mainnet' }))],
  ['no 402 of ours', 'names no way to pay', answerOf({}, 'null')],
  ['no text at all', 'names no way to pay', { ...answerOf({}), bytes: Buffer.from([0xff, 0xfe, 0]) }],
];

const coded = (coding: string, bytes: Buffer): SellerAnswer => ({
  ...answerOf({ 'content-encoding': coding }),
  bytes,
});

describe('a 402 whose offer is in its body', () => {
  const body = Buffer.from(v1Body);
  const gzip = zlib.gzipSync(body);

  it.each([
    ['gzip', gzip],
    ['X-Gzip', gzip],
    ['deflate', zlib.deflateSync(body)],
    ['br', zlib.brotliCompressSync(body)],
    ['zstd', zlib.zstdCompressSync(body)],
    ['gzip, br', zlib.brotliCompressSync(gzip)],
    ['identity', body],
    ['gzip,, identity', gzip],
  ])('is read in the coding %s', (coding, bytes) => {
    expect(sellers.offers(coded(coding, bytes))).toHaveLength(1);
  });

  it.each([
    ['zstd', zlib.zstdCompressSync(Buffer.alloc(64 * 1024 * 1024))],
    ['br, br', zlib.brotliCompressSync(zlib.brotliCompressSync(Buffer.alloc(64 * 1024 * 1024)))],
    ['gzip, gzip, gzip, gzip', gzip],
    ['compress', gzip],
  ])('asks for nothing where %s unpacks to more than a MiB, or cannot be read', (coding, bytes) => {
    expect(() => sellers.offers(coded(coding, bytes))).toThrow('names no way to pay');
  });
});

describe('a hostile 402', () => {
  it.each(hostile)('is refused with the reason: %s', (_, reason, answer) => {
    const { code, message, details } = refusalOf(() => sellers.offers(answer));
    expect(code).toBe('not_available');
    expect(message).toContain(reason);
    expect(message).toContain('Nothing was paid.');
    expect(message.length).toBeLessThan(1_000);
    expect(Array.isArray(details?.['dialects'])).toBe(true);
  });

  it('is reported in words that cannot be taken for ours', () => {
    const network = `\u202eevil"\u0007\n<b>${'x'.repeat(500)}`;
    const { message, details } = refusalOf(() => sellers.offers(v2Answer([v2Entry({ network })])));
    expect(message).toContain(String.raw`not " evil\" <b>xxx`.replace('" evil', '"evil'));
    expect(message).not.toMatch(/[\p{C}]|x{100}/u);
    expect(details).toEqual({ dialects: ['x402-v2'] });
  });

  it('is reported briefly, however many reasons there are', () => {
    const entries = Array.from({ length: 5_000 }, (_, index) => v2Entry({ network: `n${index}` }));
    const { message } = refusalOf(() => sellers.offers(v2Answer(entries)));
    expect(message).toContain('and 28 more');
  });
});

describe('an entry that an agent brings', () => {
  const resource = 'https://x.example/weather';

  it('is an offer of its version, with the resource and the extensions that came with it', () => {
    const extensions = { bazaar: { info: {} } };
    expect(sellers.offerOf(v2Entry(), resource).terms).toEqual({
      resource: { url: resource },
      accepted: v2Entry(),
    });
    expect(sellers.offerOf(v2Entry(), resource, extensions).terms).toEqual({
      resource: { url: resource },
      accepted: v2Entry(),
      extensions,
    });
    expect(sellers.offerOf(v1Entry(), resource)).toMatchObject({
      dialect: 'x402-v1',
      amount: 10_000n,
      terms: { x402Version: 1, scheme: 'exact', network: 'solana' },
    });
  });

  it.each<[string, unknown]>([
    ['x402:', null],
    ['x402:', [v2Entry()]],
    ['x402:', 'exact'],
    ['x402.scheme:', v2Entry({ scheme: 'upto' })],
    ['x402.network:', v2Entry({ network: devnetId })],
    ['x402.amount:', v2Entry({ amount: '0x10' })],
    ['x402.amount:', v2Entry({ amount: 0.5 })],
    ['x402.maxAmountRequired:', v1Entry({ maxAmountRequired: ' 5' })],
    ['x402.maxAmountRequired:', v1Entry({ maxAmountRequired: undefined })],
    ['x402.asset:', v1Entry({ asset: payTo })],
    ['x402.payTo:', v2Entry({ payTo: `0x${'5'.repeat(40)}` })],
    ['x402.extra:', v2Entry({ extra: 'x' })],
    ['x402.extra.feePayer:', v2Entry({ extra: {} })],
    ['x402.extra.memo:', v2Entry({ extra: { feePayer, memo: 'x'.repeat(257) } })],
    ['x402: is more than', v2Entry({ description: 'x'.repeat(20_000) })],
  ])('is refused with the name of its field: %s', (start, entry) => {
    const { code, message } = refusalOf(() => sellers.offerOf(entry, resource));
    expect([code, message.startsWith(start)]).toEqual(['bad_request', true]);
  });
});

const beforeSending = (): void => {};

describe('a request to a seller', () => {
  const heard: OutboundRequest[] = [];
  const asking = createSellers({
    network: 'sandbox',
    mint,
    outbound: async (request) => {
      heard.push(request);
      return { status: 200, headers: { a: 'b' }, bytes: Buffer.from('data') };
    },
  });
  const request = {
    url: 'https://x.example/',
    method: 'POST',
    headers: { AUTHORIZATION: 'mine', b: '1' },
    body: 'x',
  };

  it('is passed on unchanged', async () => {
    expect(await asking.ask(request)).toEqual({
      status: 200,
      headers: { a: 'b' },
      bytes: Buffer.from('data'),
    });
    expect(heard.pop()).toEqual(request);
    await asking.ask({ ...request, body: null });
    expect(heard.pop()).not.toHaveProperty('body');
  });

  it('gets the header that pays, in place of one with the same name', async () => {
    const credential = { name: 'Authorization', value: 'Payment abc' };
    await asking.ask(request, { payment: { credential, beforeSending } });
    expect(heard.pop()).toEqual({
      ...request,
      headers: { b: '1', Authorization: 'Payment abc' },
      beforeSending,
    });
  });
});

const addresses = [feePayer, payTo, mint, token2022, tokenAccount];

/** The conditions on an offer, written independently. */
const isUsable = (offer: Offer): boolean => {
  const { dialect, amount, payee, memo, terms } = offer;
  const memoBytes = memo === null ? 1 : Buffer.byteLength(memo);
  if (amount < 1n || amount >= 10n ** 16n || !addresses.includes(payee)) return false;
  if (memoBytes < 1 || memoBytes > 256 || memo?.includes('\0') === true) return false;
  if (Buffer.byteLength(JSON.stringify(terms)) > 16_384) return false;
  if (offer.feePayer !== null && !addresses.includes(offer.feePayer)) return false;
  if (dialect === 'x402-v2') {
    const {
      scheme,
      network,
      asset,
      amount: said,
      payTo: to,
      extra,
    } = terms['accepted'] as Record<string, unknown>;
    const { decimals = 6, tokenProgram = null, memo: wanted = null } = extra as Record<string, unknown>;
    return (
      offer.feePayer !== null &&
      [scheme, network, asset, said, to].join() ===
        ['exact', mainnetId, mint, String(amount), payee].join() &&
      (decimals === 6 || decimals === null) &&
      tokenProgram === null &&
      (wanted === memo || (wanted === '' && memo === null))
    );
  }
  if (dialect === 'x402-v1') return offer.feePayer !== null && terms['network'] === 'solana';
  if (dialect === 'receipt') return offer.feePayer === null && (terms['network'] ?? 'sandbox') === 'sandbox';
  const { request, method, intent } = terms['challenge'] as Record<string, string>;
  const said = decode(request ?? '') as Record<string, never>;
  const {
    splits = [],
    network = 'mainnet',
    feePayer: pays,
  } = (said['methodDetails'] ?? {}) as Record<string, never>;
  return (
    method === 'solana' &&
    intent === 'charge' &&
    String(said['amount']) === String(amount) &&
    said['recipient'] === payee &&
    [mint, 'USDC'].includes(said['currency'] ?? '') &&
    isDeepStrictEqual(
      offer.splits,
      ((splits ?? []) as { recipient: string; amount: string; memo?: string | null }[]).map((one) => ({
        payee: one.recipient,
        amount: BigInt(one.amount),
        memo: one.memo || null,
      })),
    ) &&
    offer.splits.every((one) => one.amount > 0n && addresses.includes(one.payee) && one.payee !== payee) &&
    offer.splits.reduce((sum, one) => sum + one.amount, 0n) < amount &&
    (network === null || ['mainnet', 'mainnet-beta', 'localnet'].includes(network)) &&
    (offer.feePayer !== null) === (pays === true)
  );
};

describe('for any answer of a seller', () => {
  const strange = fc.oneof(
    fc.constantFrom<unknown>(
      '',
      '0',
      '1',
      '0x10',
      ' 5 ',
      '-5',
      '1e2',
      '9'.repeat(16),
      '9'.repeat(17),
      10,
      0,
      -1,
      1.5,
      null,
      true,
      [],
      {},
      'exact',
      'upto',
      mainnetId,
      devnetId,
      'solana',
      mint,
      'USDC',
      token2022,
      payTo,
      tokenAccount,
      feePayer,
      6,
      9,
      'x'.repeat(256),
      'é'.repeat(129),
      'a\0b',
      '\ud800',
      ['exact'],
      [{ recipient: payTo }],
      [{ recipient: payTo, amount: '1' }],
      [{ recipient: feePayer, amount: '1' }],
      [{ recipient: feePayer, amount: '9999', memo: 'm' }],
      [
        { recipient: feePayer, amount: '1' },
        { recipient: feePayer, amount: '2' },
      ],
      'devnet',
      'localnet',
    ),
    fc.jsonValue({ maxDepth: 3 }),
    fc.string({ unit: 'binary', maxLength: 50 }),
  );
  const bent = (fields: readonly string[]) =>
    fc.dictionary(fc.constantFrom(...fields, '__proto__', 'constructor', 'toString'), strange, {
      maxKeys: 2,
    });
  const entryFields = ['scheme', 'network', 'amount', 'maxAmountRequired', 'asset', 'payTo', 'extra'];
  const extraFields = ['feePayer', 'memo', 'decimals', 'tokenProgram', 'recentBlockhash'];
  const requestFields = ['amount', 'currency', 'recipient', 'externalId', 'methodDetails'];
  const detailFields = [
    'network',
    'decimals',
    'tokenProgram',
    'feePayer',
    'feePayerKey',
    'splits',
    'recentBlockhash',
  ];
  const entry = fc.tuple(bent(entryFields), bent(extraFields));
  const answer = fc.oneof(
    fc
      .array(entry, { maxLength: 3 })
      .map((all) =>
        v2Answer(all.map(([changes, extra]) => v2Entry({ extra: { feePayer, ...extra }, ...changes }))),
      ),
    fc
      .array(entry, { maxLength: 3 })
      .map((all) =>
        v1Answer(all.map(([changes, extra]) => v1Entry({ extra: { feePayer, ...extra }, ...changes }))),
      ),
    fc
      .tuple(
        bent(requestFields),
        bent(detailFields),
        fc.dictionary(
          fc.constantFrom('method', 'intent', 'expires', 'header', 'id'),
          fc.string({ maxLength: 9 }),
          { maxKeys: 1 },
        ),
      )
      .map(([changes, details, parameters]) =>
        mppAnswer(
          challengeOf({ ...mppRequest({}, { feePayerKey: feePayer, ...details }), ...changes }, parameters),
        ),
      ),
    bent(['amount', 'currency', 'recipient', 'network', 'invoice', 'service', 'expiresAt', 'retry']).map(
      (changes) => answerOf({}, quote(changes)),
    ),
    fc
      .tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), fc.oneof(fc.json(), fc.string()))
      .map(([required, challenge, body]) =>
        answerOf({ 'payment-required': required, 'www-authenticate': `Payment ${challenge}` }, body),
      ),
    fc.json().map((text) =>
      answerOf(
        {
          'payment-required': base64(text),
          'www-authenticate': `Payment id=1, request=${base64url(text)}`,
        },
        text,
      ),
    ),
  );

  it('the 402 is refused in our words, or each of its offers can be paid as reported', () => {
    let offered = 0;
    let refused = 0;
    const property = fc.property(answer, (one) => {
      let offers: readonly Offer[] = [];
      try {
        offers = sellers.offers(one);
        expect(offers.length).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
        expect((error as AppError).code).toBe('not_available');
        refused += 1;
      }
      offered += offers.length;
      expect(offers.filter((offer) => !isUsable(offer))).toEqual([]);
    });
    fc.assert(property, { numRuns: 20_000 });
    expect(Math.min(offered, refused)).toBeGreaterThan(2_000);
  });

  it('the answer to a payment is read without an exception', () => {
    const property = fc.property(
      answer,
      fc.integer({ min: 200, max: 599 }),
      fc.string(),
      (one, status, header) => {
        const headers = { 'payment-response': header, 'payment-receipt': header, ...one.headers };
        for (const dialect of ['x402-v2', 'x402-v1', 'mpp', 'receipt'] as const) {
          const { error } = sellers.settlement(dialect, { ...one, headers, status });
          expect(error ?? '').not.toMatch(/\p{C}/u);
        }
        expect(typeof sellers.wantsRetry({ ...one, status })).toBe('boolean');
      },
    );
    fc.assert(property, { numRuns: 3_000 });
  });

  it('the payment is one header of printable text', () => {
    for (const offer of sellers.offers(everything)) {
      const proof = { paymentId: 'pay_1', wire, txSignature, receipt: 'v1.x' };
      expect(sellers.credential(offer, proof).value).toMatch(/^[\x20-\x7e]+$/);
    }
  });
});
