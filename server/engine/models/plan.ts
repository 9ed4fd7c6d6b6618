// A request to a language model before it is decided on: its supplier and model, the text that leaves, and the most
// that it can cost.
import { isDeepStrictEqual } from 'node:util';
import { AppError, fieldError } from '../../errors.ts';
import { parseUsdc } from '../../money.ts';
import { modelServiceId } from '../../contract/models/suppliers.ts';
import type { LanguageModel, LanguageModels, ModelAsked, ModelPrices, ModelSupplier } from '../ports.ts';
import type { ModelAsk } from './hold.ts';
import type { Prefixes } from './prefixes.ts';
import type { Reserved } from './wire/cut.ts';
import { boundOf } from './wire/price.ts';
import { outputOf, readModelRequest, toSend, type ModelRequest as Read } from './wire/read-request.ts';
import { isAnthropic, type Wire } from './wire/wires.ts';

export interface Plan {
  supplier: ModelSupplier;
  model: LanguageModel;
  read: Read;
  /** The name that memory of earlier requests goes by. */
  scope: string;
  /** The body that leaves. */
  text: string;
  /** Set where the owner's limit on the output is lower than the client's. */
  loweredTo: number | null;
  reserved: Reserved;
  ask: ModelAsk;
}

/** The most tokens that one picture is, by any model of the wire. */
const pictureTokens = (wire: Wire): number => (isAnthropic(wire) ? 5_000 : 50_000);

/**
 * @throws AppError `bad_request`, `field_unbounded`, `input_unbounded` for a request whose cost has no bound;
 *   `not_found`, `model_ambiguous`, `model_unpriced`
 */
export const planOf = (
  languageModels: Pick<LanguageModels, 'find'>,
  prefixes: Prefixes,
  { caller, wire, body, headers, idempotencyKey }: ModelAsked,
): Plan => {
  let found: ReturnType<LanguageModels['find']> | undefined;
  const read = readModelRequest(wire, body, (name) => {
    found = languageModels.find(isAnthropic(wire) ? 'anthropic' : 'openai', name);
    return { extraFields: found.supplier.extraFields, setsTier: hasTiers(found.supplier) };
  });
  if (found === undefined) throw fieldError('model', 'must name a model');
  const { supplier, model } = found;
  refuseDearBetas(headers);
  const scope = `${caller.agentId} ${supplier.id} ${model.id}`;
  const window = isLongContext(headers) ? null : model.window;
  const measured = prefixes.measured(scope, read.parts);
  const before = tokensBefore(prefixes, scope, read);
  const most = (tokens: number, images: number): number => before + tokens + images * pictureTokens(wire);
  const inputBound = Math.min(
    most(read.inputBound, read.images),
    window ?? Infinity,
    measured === null ? Infinity : most(measured.tokens, measured.images),
  );
  const output = outputOf(read, model.maxOutput);
  const each = output ?? window;
  if (each === null) throw fieldError('max_tokens', unboundedOutput, 'input_unbounded');
  const text = toSend(read, { maxOutput: model.maxOutput, model: model.id, ...fieldOf(supplier) });
  const prices = pricesFor(model, text);
  const reserved: Reserved = {
    inputBound,
    outputBound: each * read.choices,
    prices,
    reasons: mayReason(read, model.id),
  };
  return {
    supplier,
    model,
    read,
    scope,
    text,
    loweredTo: output !== null && output !== read.askedOutput ? output : null,
    reserved,
    ask: {
      agentId: caller.agentId,
      keyId: caller.keyId,
      serviceId: modelServiceId(supplier.id),
      model: model.id,
      wire,
      bound: boundOf(inputBound, reserved.outputBound, prices),
      prices: stated(prices),
      idempotencyKey,
    },
  };
};

/**
 * The owner may have changed the supplier or the model while the request waited: then its bound, its address and its key no
 * longer belong together. Call it in the turn in which the request leaves.
 * @throws AppError `not_available`
 */
export const refuseChanged = (
  languageModels: Pick<LanguageModels, 'suppliers' | 'model'>,
  { supplier, model }: Pick<Plan, 'supplier' | 'model'>,
): void => {
  const now = languageModels.suppliers().find(({ id }) => id === supplier.id);
  const isSame =
    now !== undefined && isDeepStrictEqual([now, languageModels.model(now, model.id)], [supplier, model]);
  if (!isSame)
    throw new AppError(
      'not_available',
      `The owner has changed ${supplier.name} or its model ${model.id} since this request came. Ask again.`,
    );
};

/** @throws AppError `input_unbounded` when it goes on from an answer that is not known here */
const tokensBefore = (prefixes: Prefixes, scope: string, { previousResponseId: id }: Read): number => {
  if (id === null) return 0;
  const tokens = prefixes.responseTokens(scope, id);
  if (tokens !== null) return tokens;
  const unknown =
    'names an answer that this agent did not get here since the last start: send the messages themselves';
  throw fieldError('previous_response_id', unknown, 'input_unbounded');
};

const unboundedOutput =
  'must be set: the treasury does not know how long an answer of this model can be, unless the owner sets its most output';

/** OpenAI alone has service tiers that its own server reads; other servers may refuse the field. */
const hasTiers = ({ kind }: ModelSupplier): boolean => kind === 'openai' || kind === 'anthropic';

/** Google's and most other servers know the older name of the limit on the output. */
const fieldOf = ({ kind }: ModelSupplier): { outputField?: 'max_tokens' } =>
  kind === 'openai-compatible' ? { outputField: 'max_tokens' } : {};

/** A header that changes the price of the whole request in a way that no price list has. */
const refuseDearBetas = (headers: ModelAsked['headers']): void => {
  const dear = betasIn(headers).find((beta) => /fast|priority/.test(beta));
  if (dear !== undefined) throw fieldError('anthropic-beta', `${dear} changes the price`, 'field_unbounded');
};

const isLongContext = (headers: ModelAsked['headers']): boolean =>
  betasIn(headers).some((beta) => beta.startsWith('context-1m'));

const betasIn = (headers: ModelAsked['headers']): string[] =>
  (headers['anthropic-beta'] ?? '').split(',').map((beta) => beta.trim());

/** Entries of the cache that are kept for an hour have a price of their own. */
const pricesFor = (
  { prices }: { prices: NonNullable<LanguageModel['prices']> },
  text: string,
): ModelPrices => {
  if (!text.includes('"ttl":"1h"')) return prices;
  return { ...hourly(prices), tiers: (prices.tiers ?? []).map(hourly) };
};

const hourly = <P extends ModelPrices>(one: P): P => ({
  ...one,
  cacheWrite: one.hourCacheWrite ?? one.cacheWrite,
});

/** Whether output may be billed that is not shown. Without knowledge, it may. */
const mayReason = ({ wire, thinkingBudget, body }: Read, model: string): boolean => {
  if (isAnthropic(wire)) return thinkingBudget > 0 || body['thinking'] !== undefined;
  return !/(^|\/)(gpt-3\.5|gpt-4|chatgpt-4o|text-embedding)/.test(model);
};

const stated = ({ tiers = [], ...prices }: ModelPrices): Record<string, unknown> => ({
  ...texts(prices),
  ...(tiers.length === 0 ? {} : { tiers: tiers.map(texts) }),
});

const texts = (values: object): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

/** A refused agent learns the largest answer that would fit now, where its own limits refuse. */
export const withFitting = (error: AppError, { reserved, read }: Plan): AppError => {
  const { limit, spent = '0', node } = (error.details ?? {}) as Record<string, unknown>;
  const { prices, inputBound, outputBound } = reserved;
  // A number limits how many, and not how much.
  if (
    typeof limit !== 'string' ||
    typeof spent !== 'string' ||
    node !== undefined ||
    outputBound === 0 ||
    prices.output === 0n
  )
    return error;
  const room = units(limit) - units(spent);
  const fits = (output: number): boolean => boundOf(inputBound, output * read.choices, prices) <= room;
  let [low, high] = [0, Math.ceil(outputBound / read.choices)];
  if (!fits(low)) return error;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return new AppError(error.code, error.message, { ...error.details, fits: low });
};

const units = (decimal: string): bigint => parseUsdc(decimal) ?? 0n;
