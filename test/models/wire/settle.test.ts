// The price of tokens, the cost of an ended answer, and a refusal in each API.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settle, type Ending, type Reserved } from '../../../server/engine/models/wire/cut.ts';
import { wireRefusal, wireRefusalEvent } from '../../../server/engine/models/wire/errors.ts';
import type { ModelPrices } from '../../../server/engine/ports.ts';
import { boundOf, costOf } from '../../../server/engine/models/wire/price.ts';
import type { Usage } from '../../../server/engine/models/wire/usage.ts';
import { AppError, fieldError } from '../../../server/errors.ts';

const usd = (dollars: number): bigint => BigInt(dollars * 1_000_000);
const prices: ModelPrices = { input: usd(3), cachedInput: usd(0.3), cacheWrite: usd(3.75), output: usd(15) };
const tier = {
  above: 200_000,
  input: usd(6),
  cachedInput: usd(0.6),
  cacheWrite: usd(7.5),
  output: usd(22.5),
};
const none: Usage = {
  input: 0,
  cachedInput: 0,
  cacheWrite: 0,
  output: 0,
  reasoning: 0,
  costMicros: null,
  complete: true,
};

describe('a price', () => {
  it('is rounded up once for a request', () => {
    expect(costOf({ ...none, input: 1, output: 1 }, prices)).toBe(18n);
    expect(costOf({ ...none, input: 1, cachedInput: 1, output: 0 }, prices)).toBe(1n);
    expect(costOf({ ...none, input: 4, cachedInput: 2, cacheWrite: 2 }, prices)).toBe(9n);
    expect(costOf({ ...none, input: 5_000 }, { ...prices, input: 0n })).toBe(0n);
  });

  it('is the dearest that can be reached for a bound', () => {
    // 150,000 tokens at the price of a cache write, and 32,000 of output.
    expect(boundOf(150_000, 32_000, prices)).toBe(1_042_500n);
    const tiered = { ...prices, tiers: [tier] };
    expect(boundOf(200_000, 0, tiered)).toBe(750_000n);
    expect(boundOf(200_001, 0, tiered)).toBe(1_500_008n);
  });

  it('is that of the highest tier below the input', () => {
    const tiers = [tier, { ...tier, above: 500_000, input: usd(9) }];
    const of = (input: number): bigint => costOf({ ...none, input }, { ...prices, tiers });
    expect([of(200_000), of(200_001), of(500_001)]).toEqual([600_000n, 1_200_006n, 4_500_009n]);
  });

  it('follows a router where that charged more', () => {
    expect(costOf({ ...none, input: 1_000, costMicros: 5_000n }, prices)).toBe(5_000n);
    expect(costOf({ ...none, input: 1_000, costMicros: 1n }, prices)).toBe(3_000n);
  });

  it('is never more than the bound for usage within it', () => {
    const tokens = fc.nat(400_000);
    const unit = fc.bigInt(0n, usd(30));
    const some = fc.record({ input: unit, cachedInput: unit, cacheWrite: unit, output: unit });
    fc.assert(
      fc.property(some, some, fc.tuple(tokens, tokens, tokens, tokens), (base, dear, counts) => {
        const all = { ...base, tiers: [{ ...dear, above: 200_000 }] };
        const [plain, cachedInput, cacheWrite, output] = counts;
        const input = plain + cachedInput + cacheWrite;
        const cost = costOf({ ...none, input, cachedInput, cacheWrite, output }, all);
        expect(cost <= boundOf(input, output, all)).toBe(true);
      }),
      { seed: 5, numRuns: 500 },
    );
  });
});

describe('an answer that ended', () => {
  const reserved: Reserved = {
    inputBound: 10_000,
    outputBound: 4_000,
    prices,
    reasons: false,
  };
  const usage: Usage = { ...none, input: 1_000, output: 200 };
  const bound = boundOf(10_000, 4_000, prices);
  const whole: Ending = {
    sent: true,
    status: 200,
    streamed: true,
    whole: true,
    failed: false,
    began: true,
    usage,
    outputBytes: 700,
  };
  const cut: Ending = { ...whole, whole: false, usage: { ...usage, output: 1, complete: false } };
  const refused: Ending = {
    ...whole,
    status: 400,
    streamed: false,
    failed: true,
    began: false,
    usage: null,
    outputBytes: 90,
  };
  const of = (input: number, output: number): bigint => costOf({ ...none, input, output }, prices);
  const most = (output: number): bigint => boundOf(10_000, output, prices);

  it.each<[string, Partial<Reserved>, Ending, string, bigint]>([
    ['that was not sent', {}, { ...cut, sent: false, status: null }, 'released exact', 0n],
    ...[400, 401, 429, 500, 503, 529].map((status): [string, Partial<Reserved>, Ending, string, bigint] => [
      `that the supplier refused with ${status}`,
      {},
      { ...refused, status },
      'released exact',
      0n,
    ]),
    ['with 502, though in the supplier’s shape', {}, { ...refused, status: 502 }, 'settled unknown', bound],
    ['with 504', {}, { ...refused, status: 504, failed: false }, 'settled unknown', bound],
    ['with a gateway’s 403', {}, { ...refused, status: 403, failed: false }, 'settled unknown', bound],
    [
      'with 500 after an event of the model',
      {},
      { ...refused, status: 500, began: true },
      'settled unknown',
      bound,
    ],
    ['with a redirect', {}, { ...refused, status: 302 }, 'settled unknown', bound],
    ['without a status', {}, { ...refused, status: null }, 'settled unknown', bound],
    ['whole', {}, whole, 'settled exact', of(1_000, 200)],
    [
      'whole and dearer than its bound',
      {},
      { ...whole, usage: { ...usage, input: 99_000 } },
      'settled exact',
      of(99_000, 200),
    ],
    ['cut', {}, cut, 'settled estimated', of(1_000, 700 + 1_024)],
    ['cut before any usage', {}, { ...cut, usage: null }, 'settled estimated', most(1_724)],
    ['cut late', {}, { ...cut, outputBytes: 90_000 }, 'settled estimated', of(1_000, 4_000)],
    [
      'cut after more usage than bytes',
      {},
      { ...cut, outputBytes: 0, usage: { ...usage, output: 3_000 } },
      'settled estimated',
      of(1_000, 3_000),
    ],
    ['cut of a model that reasons', { reasons: true }, cut, 'settled estimated', of(1_000, 4_000)],
    ['cut without streaming', {}, { ...cut, streamed: false, usage: null }, 'settled estimated', bound],
    ['with an error inside a 200', {}, { ...whole, failed: true }, 'settled estimated', of(1_000, 1_724)],
    [
      'with an error first of all inside a 200',
      {},
      { ...refused, status: 200, streamed: true },
      'settled estimated',
      most(1_114),
    ],
    ['whole without usage', {}, { ...whole, usage: null }, 'settled estimated', most(700)],
    [
      'whole without usage of a model that reasons',
      { reasons: true },
      { ...whole, usage: null },
      'settled estimated',
      bound,
    ],
    ['whole without input', {}, { ...whole, usage: { ...usage, input: 0 } }, 'settled estimated', most(700)],
    ['whole with usage of zero', {}, { ...whole, usage: none }, 'settled estimated', most(700)],
    [
      'whole with text and no output',
      {},
      { ...whole, usage: { ...usage, output: 0 } },
      'settled estimated',
      of(1_000, 700),
    ],
    [
      'of an embedding',
      { outputBound: 0 },
      { ...whole, usage: { ...usage, output: 0 } },
      'settled exact',
      of(1_000, 0),
    ],
    [
      'whole with no more than a first report',
      {},
      { ...whole, usage: { ...usage, complete: false } },
      'settled estimated',
      of(1_000, 700),
    ],
    [
      'cut with a router’s cost',
      {},
      { ...cut, usage: { ...none, costMicros: 900_000n } },
      'settled estimated',
      900_000n,
    ],
  ])('%s', (_, held, ending, ...[expected, amount]) => {
    const { outcome, mark, ...settled } = settle({ ...reserved, ...held }, ending);
    expect([`${outcome} ${mark}`, settled.amount]).toEqual([expected, amount]);
  });
});

describe('a refusal', () => {
  const node = { kind: 'treasury', id: 't', name: 'All' };
  const budget = new AppError('daily_budget', 'The daily budget is spent.', {
    node,
    spent: '9.00',
    retryAt: '2026-11-28',
  });
  const details = { node: { kind: 'treasury' }, retryAt: '2026-11-28' };

  it('has the shape of the API that was called, and no number of other agents', () => {
    const [openAi, anthropic] = (['openai-chat', 'anthropic-messages'] as const).map((wire) =>
      wireRefusal(wire, budget),
    );
    expect(openAi).toMatchObject({ status: 402, headers: { 'x-should-retry': 'false' } });
    const message = budget.message;
    expect(JSON.parse(openAi?.body ?? '')).toEqual({
      error: { type: 'insufficient_quota', code: 'daily_budget', message, param: null, details },
    });
    expect(JSON.parse(anthropic?.body ?? '')).toEqual({
      type: 'error',
      error: { type: 'billing_error', code: 'daily_budget', message, details },
      request_id: null,
    });
  });

  it.each([
    ['frozen', 'permission_error', 'permission_error'],
    ['not_found', 'not_found_error', 'not_found_error'],
    ['field_unbounded', 'invalid_request_error', 'invalid_request_error'],
    ['too_many_requests', 'rate_limit_error', 'rate_limit_error'],
    ['locked', 'server_error', 'api_error'],
  ] as const)('of the code %s has a type that each SDK knows', (code, ...expected) => {
    const types = (['openai-responses', 'anthropic-messages'] as const).map((wire) => {
      const body = JSON.parse(wireRefusal(wire, fieldError('a.b', 'is wrong', code)).body) as {
        error: { type: string; param?: string };
      };
      return [body.error.type, body.error.param];
    });
    expect(types).toEqual([
      [expected[0], 'a.b'],
      [expected[1], undefined],
    ]);
  });

  it('ends a stream that has begun', () => {
    expect(wireRefusalEvent('openai-chat', budget)).toMatch(/^data: \{"error":\{.*\}\n\n$/);
    expect(wireRefusalEvent('anthropic-messages', budget)).toMatch(
      /^event: error\ndata: \{"type":"error",.*\}\n\n$/,
    );
  });
});
