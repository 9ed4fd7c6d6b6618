import { describe, expect, it } from 'vitest';
import { readChallenges } from '../../../server/x402/dialects/challenges.ts';
import { createMpp } from '../../../server/x402/dialects/mpp.ts';
import vectors from './mpp-www-authenticate.json' with { type: 'json' };
import {
  answerOf,
  asked,
  base64url,
  challengeOf,
  feePayer,
  mint,
  mppAnswer,
  mppFeePayer,
  mppPull,
  mppPush,
  mppRequest,
  payTo,
  recordedAt,
  sellersOn,
  txSignature,
  wire,
} from './samples.ts';

const sellers = sellersOn();
const proof = { paymentId: 'pay_abc', wire, txSignature: null, receipt: null };
const said = (value: string): { challenge: Record<string, string>; payload: unknown } => {
  expect(value).toMatch(/^Payment [A-Za-z0-9_-]+$/);
  return JSON.parse(Buffer.from(value.slice('Payment '.length), 'base64url').toString('utf8'));
};

describe('an official seller of MPP', () => {
  it('is read correctly, with nothing of its own to be signed', () => {
    const offers = sellers.offers(mppAnswer(mppPush, mppPull));
    expect(offers.map((offer) => ({ ...offer, terms: undefined }))).toEqual([
      {
        dialect: 'mpp',
        amount: 10_000n,
        payee: payTo,
        splits: [],
        feePayer: null,
        memo: null,
        invoice: null,
      },
      {
        dialect: 'mpp',
        amount: 10_000n,
        payee: payTo,
        splits: [],
        feePayer: mppFeePayer,
        memo: 'order “7”',
        invoice: null,
      },
    ]);
    expect(offers[0]?.terms).toEqual({
      challenge: {
        id: 'tw4_0e2oo-bmr55KGnHUl66kjuz_OHaIQwV8hyWqa5A',
        realm: 'api.example.com',
        method: 'solana',
        intent: 'charge',
        request: /request="([^"]+)"/.exec(mppPush)?.[1],
        description: 'Wetter – “überall”',
        expires: '2026-11-21T21:01:18.813Z',
      },
    });
  });

  it('gets the transaction’s signature when we send it, and the bytes when it does', () => {
    const [push, pull] = sellers.offers(mppAnswer(mppPush, mppPull));
    const pushed = sellers.credential(push as never, { ...proof, txSignature });
    expect(pushed.name).toBe('Authorization');
    expect(said(pushed.value)).toEqual({
      challenge: push?.terms['challenge'],
      payload: { type: 'signature', signature: txSignature },
    });
    expect(said(sellers.credential(pull as never, proof).value)).toEqual({
      challenge: pull?.terms['challenge'],
      payload: { type: 'transaction', transaction: wire.toString('base64') },
    });
    expect(() => sellers.credential(push as never, proof)).toThrow('Invariant');
    expect(() => sellers.credential(pull as never, { ...proof, wire: new Uint8Array() })).toThrow(
      'Invariant',
    );
  });

  it('reports the settlement in Payment-Receipt', () => {
    const receipt = base64url({
      method: 'solana',
      reference: txSignature,
      status: 'success',
      timestamp: 'x',
    });
    expect(sellers.settlement('mpp', answerOf({ 'payment-receipt': receipt }, '', 200))).toEqual({
      success: true,
      txSignature,
      error: null,
    });
    const refusal = { title: 'Verification Failed', status: 402, detail: 'Transaction not found' };
    expect(sellers.settlement('mpp', answerOf({ 'payment-receipt': '?' }, refusal))).toEqual({
      success: null,
      txSignature: null,
      error: 'Transaction not found',
    });
  });
});

const on = (network: string | undefined, currency = mint) =>
  mppAnswer(challengeOf(mppRequest({ currency }, { network })));
const offered = (details: Record<string, unknown>) =>
  sellers.offers(mppAnswer(challengeOf(mppRequest({}, details))))[0]?.feePayer;

const works = (ours: 'sandbox' | 'mainnet' | 'devnet', answer: ReturnType<typeof on>): boolean => {
  try {
    return sellersOn(ours).offers(answer).length === 1;
  } catch {
    return false;
  }
};

describe('a challenge', () => {
  it('is valid until it expires', () => {
    const ends = Date.parse('2026-11-21T21:01:18.813Z');
    expect(recordedAt).toBeLessThan(ends);
    expect(sellersOn('sandbox', ends - 1).offers(mppAnswer(mppPush))).toHaveLength(1);
    expect(() => sellersOn('sandbox', ends).offers(mppAnswer(mppPush))).toThrow('must lie ahead');
  });

  it('is for the network that it names, and for mainnet when it names none', () => {
    const devnetMint = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
    const table = ['mainnet', 'mainnet-beta', 'localnet', undefined, 'devnet', 'testnet', ''].map(
      (network) => [
        works('sandbox', on(network)),
        works('mainnet', on(network)),
        works('devnet', on(network, devnetMint)),
      ],
    );
    expect(table).toEqual([
      [true, true, false],
      [true, true, false],
      [true, false, false],
      [true, true, false],
      [false, false, true],
      [false, false, false],
      [false, false, false],
    ]);
  });

  it('may name the token by its ticker, and omit the details', () => {
    const { methodDetails: _, ...request } = mppRequest({ currency: 'USDC' });
    expect(sellers.offers(mppAnswer(challengeOf(request)))).toHaveLength(1);
  });

  it('may ask for its credential in a header of its own', () => {
    const [offer] = sellers.offers(mppAnswer(challengeOf(mppRequest(), { header: 'X-Credential' })));
    expect(sellers.credential(offer as never, { ...proof, txSignature }).name).toBe('X-Credential');
    for (const header of [
      'Host',
      'content-length',
      'Transfer-Encoding',
      'Cookie',
      'Proxy-X',
      'a b',
      'x:y',
      '',
    ])
      expect(() => sellers.offers(mppAnswer(challengeOf(mppRequest(), { header })))).toThrow('header');
  });

  it('is sent back with every parameter unchanged, known or not', () => {
    const opaque = base64url({ a: 1 });
    const extra = {
      digest: 'sha-256=abc=',
      opaque,
      nobody: 'knows',
      description: String.raw`a \"b\" \\ \u00e9`,
    };
    const [offer] = sellers.offers(mppAnswer(challengeOf(mppRequest(), extra)));
    const { challenge } = said(sellers.credential(offer as never, { ...proof, txSignature }).value);
    expect(challenge).toMatchObject({ ...extra, description: String.raw`a "b" \ é`, opaque });
  });

  it('is found among others, without those that cannot be paid', () => {
    const answer = mppAnswer(
      'Basic realm="a, Payment b"',
      challengeOf(mppRequest(), { method: 'tempo' }),
      'Negotiate abc==',
      challengeOf(mppRequest({ amount: '7' })),
      challengeOf(mppRequest(), { intent: 'session' }),
      'Bearer',
    );
    expect(sellers.offers(answer).map(({ amount }) => amount)).toEqual([7n]);
  });

  it('with a fee payer is paid only through it', () => {
    expect(offered({ feePayer: true, feePayerKey: feePayer })).toBe(feePayer);
    expect(offered({ feePayer: false, feePayerKey: feePayer })).toBeNull();
    expect(offered({ feePayerKey: feePayer })).toBeNull();
    expect(() => offered({ feePayer: true })).toThrow('feePayerKey');
    expect(() => offered({ feePayer: true, feePayerKey: null })).toThrow('feePayerKey');
    expect(() => offered({ feePayer: 'true', feePayerKey: feePayer })).toThrow('feePayer');
  });
});

/** Of the protocol's own conformance suite, tempoxyz/mpp-tools, `conformance/vectors/www-authenticate.json`. */
interface Vector {
  name: string;
  ok: boolean;
  wire: string | { prefix: string; repeat: string; count: number };
  object?: Record<string, string>;
}

/** The vectors are of another method and intent; their requests are no charge of ours, and are read after all else. */
const ofSolana = (text: string): string =>
  text.replace('"tempo"', '"solana"').replace('"authorize"', '"charge"');

describe('a header of the protocol’s conformance suite', () => {
  const wireOf = ({ wire: text }: Vector): string =>
    typeof text === 'string' ? text : text.prefix + text.repeat.repeat(text.count);
  const ofTheRequest = ['amount', 'currency', 'recipient', 'methodDetails'];

  it.each(vectors.scenarios as Vector[])('$name', (vector) => {
    const header = wireOf(vector);
    const [first] = readChallenges(header).filter(({ scheme }) => scheme === 'payment');
    if (vector.object !== undefined) expect(first?.parameters).toMatchObject(vector.object);
    const early = createMpp({ network: 'sandbox', mint, now: () => 0 });
    const reading = early.read(
      {
        status: 402,
        header: (name) => (name === 'www-authenticate' ? ofSolana(header) : null),
        json: null,
      },
      asked,
    );
    const isRead = reading !== null && reading.faults.every(({ path }) => ofTheRequest.includes(path));
    expect([isRead, reading?.faults]).toEqual([vector.ok, reading?.faults]);
  });

  it('is one of 25', () => {
    expect(vectors.scenarios).toHaveLength(25);
  });

  it.each([
    ['2026-11-21T21:01:18Z', true],
    ['2026-11-21t21:01:18.25z', true],
    ['2026-11-21T22:01:18+01:00', true],
    ['2026-12-31T23:59:60Z', true],
    ['2026-11-21 21:01:18Z', false],
    ['2026-11-21T21:01:18', false],
    ['2026-11-21T20:56:19Z', false],
    ['2026-02-31T99:01:18Z', false],
  ])('expires at %s: %s', (expires, isValid) => {
    const answer = mppAnswer(challengeOf(mppRequest(), { expires }));
    const offers = (): unknown => sellers.offers(answer);
    if (isValid) expect(offers()).toHaveLength(1);
    else expect(offers).toThrow('expires');
  });
});

describe('a WWW-Authenticate header', () => {
  it.each<[string, unknown]>([
    ['', []],
    [' , ,', []],
    ['Basic', [{ scheme: 'basic', parameters: {} }]],
    [
      'Basic realm = "x" , charset=UTF-8',
      [{ scheme: 'basic', parameters: { realm: 'x', charset: 'UTF-8' } }],
    ],
    [
      'Negotiate ab+/c==, Payment ID="1"',
      [
        { scheme: 'negotiate', parameters: null },
        { scheme: 'payment', parameters: { id: '1' } },
      ],
    ],
    [String.raw`p a="x\"y, z\\", b="\u2013\q"`, [{ scheme: 'p', parameters: { a: 'x"y, z\\', b: '–q' } }]],
    [String.raw`p a="\\u2013"`, [{ scheme: 'p', parameters: { a: String.raw`\u2013` } }]],
    ['p a="1", A="2"', [{ scheme: 'p', parameters: null }]],
    ['p id="1', [{ scheme: 'p', parameters: null }]],
    ['p id="1"x', [{ scheme: 'p', parameters: null }]],
    ['p id=b c', [{ scheme: 'p', parameters: null }]],
    ['p id=', [{ scheme: 'p', parameters: null }]],
    // Of what nobody checks, what can be read.
    ['p b=2, a="1', [{ scheme: 'p', parameters: { b: '2' } }]],
    ['p a="1"x, b=2', [{ scheme: 'p', parameters: { a: '1', b: '2' } }]],
    ['p a=b c, b=2', [{ scheme: 'p', parameters: { b: '2' } }]],
    ['p a=, b=2', [{ scheme: 'p', parameters: { b: '2' } }]],
    ['a="1", p b="2"', [{ scheme: 'p', parameters: { b: '2' } }]],
    ['p a="1", "x"', [{ scheme: 'p', parameters: null }]],
  ])('%s', (header, expected) => {
    expect(readChallenges(header)).toEqual(expected);
  });

  // In time quadratic in its length, each of these would take minutes.
  it.each(
    [
      `p a="${'\\'.repeat(1_000_001)}`,
      `p a="${'\\"'.repeat(500_000)}"`,
      'p '.repeat(500_000),
      ','.repeat(1_000_000),
      ' '.repeat(1_000_000),
      `p${' '.repeat(1_000_000)}=`,
    ].map((header) => [header.slice(0, 8), header]),
  )(
    'is read in linear time: %s',
    (_, header) => {
      readChallenges(header);
    },
    30_000,
  );
});
