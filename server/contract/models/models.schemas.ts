// The owner's suppliers of language models, and the prices of their models. A key comes in, and never goes out.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import {
  agentPath,
  countUpTo,
  cursor,
  decimal,
  displayName,
  example,
  limit,
  pageLimit,
  shared,
  textLike,
  timestamp,
  url,
  wholeNumber,
} from '../fields.ts';
import { supplierKindNames } from './suppliers.ts';

const supplierId = textLike('openai');
const supplierPath = z.object({ supplierId: z.string() });
const flag = z.boolean({ error: 'must be true or false' });
const keyRule = 'must be a key of 12 to 256 characters without spaces; leave it out where none is needed';
// A shorter one would be found in answers that do not repeat it.
const apiKey = z
  .string({ error: keyRule })
  .regex(/^[\x21-\x7e]{12,256}$/, keyRule)
  .meta(example('sk-proj-0123456789'));
const kindRule = `must be one of ${supplierKindNames.join(', ')}`;
const baseUrl = url
  .refine((text) => !URL.canParse(text) || /^[^?#]*$/.test(text), 'must hold no query and no fragment')
  .transform((text) => text.replace(/\/+$/, ''))
  .meta(example('http://127.0.0.1:11434/v1'));
const most = 10_000_000n;
const factor = limit
  .refine((units) => units >= 1_000_000n && units <= most, 'must be from 1 to 10')
  .describe('multiplies the price list’s prices, for a region with a surcharge; not the owner’s own')
  .meta(example('1.10'));
const fieldName = z
  .string({ error: 'must be the name of a field' })
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'must be the name of a field');
const extraFields = z
  .array(fieldName, { error: 'must be a list of names' })
  .max(50, 'must be at most 50 names')
  .describe('further fields of a request that may be sent to it')
  .meta(example(['seed']));

const supplierReply = z.object({
  supplierId,
  serviceId: textLike('llm:openai'),
  kind: z.enum(supplierKindNames).meta(example('openai')),
  name: textLike('OpenAI'),
  baseUrl: textLike('https://api.openai.com/v1'),
  hasKey: z.boolean().meta(example(true)),
  allowPrivate: z.boolean().meta(example(false)).describe('it may be on this machine or network'),
  enabled: z.boolean().meta(example(true)),
  factor: textLike('1.00').describe('multiplies the price list’s prices'),
  extraFields: z.array(z.string()).meta(example([])),
  addedAt: timestamp,
  reportsUsage: z
    .boolean()
    .nullable()
    .meta(example(null))
    .describe('of openai-compatible, as it was added; false: its answers are estimated; null: not known'),
  lacksUseOf: z
    .array(z.string())
    .meta(example([]))
    .describe(
      'agents of which these records may lack what they used since an older copy; it is off until that is entered',
    ),
  lacksUseSince: timestamp.nullable().meta(example(null)).describe('what the copy still knew'),
});

const price = decimal.nullable().meta(example('3.00'));
const languageModelReply = z.object({
  supplierId,
  modelId: textLike('gpt-5.1'),
  inputPerMillion: price.describe('decimal USDC for a million tokens; null: it has no price, and is refused'),
  outputPerMillion: price,
  cachedInputPerMillion: price,
  cacheWritePerMillion: price,
  /** Above a number of tokens, the whole request has other prices. */
  tiers: z
    .array(z.object({ above: z.number(), inputPerMillion: decimal, outputPerMillion: decimal }))
    .meta(example([]))
    .describe('prices of a request with more input tokens than this'),
  priceSource: z
    .enum(['owner', 'list', 'seller'])
    .nullable()
    .meta(example('list'))
    .describe('seller: it asks for its price with each request; null: none, and the model is refused'),
  pricedAt: timestamp.nullable().describe('when the owner entered the price, or the date of the price list'),
  window: z
    .number()
    .nullable()
    .meta(example(400_000))
    .describe('tokens of input and output; null: not known'),
  maxOutput: z.number().nullable().meta(example(32_000)).describe('most tokens of an answer, by the owner'),
  enabled: z.boolean().meta(example(true)),
  isDefault: z.boolean().meta(example(false)).describe('the id alone means this supplier’s model'),
});

const ownPrice = limit.nullable().describe('decimal USDC for a million tokens; null: the price list’s again');

const tokens = z.number().meta(example(1_200));
const usageReply = z.object({
  since: timestamp,
  total: decimal.meta(example('0.42')).describe('settled, in USDC'),
  held: decimal.meta(example('0.05')).describe('the most that open requests can cost, in USDC'),
  days: z.array(
    z.object({
      day: textLike('2026-11-27').describe('UTC'),
      agentId: textLike('scout'),
      supplierId,
      modelId: textLike('gpt-5.1'),
      mark: z
        .enum(['exact', 'estimated', 'unknown'])
        .meta(example('exact'))
        .describe('by the supplier’s usage; of a cut answer, from what arrived; not known, so at the bound'),
      requests: z.number().meta(example(12)),
      amount: decimal.meta(example('0.42')),
      inputTokens: tokens,
      cachedInputTokens: tokens,
      outputTokens: tokens,
    }),
  ),
  requests: z
    .array(
      z.object({
        requestId: textLike('mod_0000'),
        agentId: textLike('scout'),
        supplierId,
        modelId: textLike('gpt-5.1'),
        answeredModel: z.string().nullable().meta(example('gpt-5.1-2026-01-01')),
        status: z.enum(['denied', 'held', 'settled', 'released']).meta(example('settled')),
        bound: decimal.meta(example('0.10')).describe('the most that it could cost'),
        amount: decimal.nullable().meta(example('0.04')),
        mark: z.enum(['exact', 'estimated', 'unknown']).nullable().meta(example('exact')),
        inputTokens: z.number().nullable().meta(example(1_200)),
        outputTokens: z.number().nullable().meta(example(300)),
        supplierRequestId: z.string().nullable().meta(example('req_1')),
        error: z.string().nullable().meta(example(null)),
        corrects: z.string().nullable().meta(example(null)).describe('of a correction: the request’s id'),
        timestamp,
        cursor: shared.cursor,
      }),
    )
    .describe('the newest first, of 90 days, or of `days` where these are more'),
});
const usageQuery = z.strictObject({
  days: wholeNumber('days', 1, 366).default(30),
  limit: pageLimit(200, 50).describe('of requests'),
  before: cursor.optional().describe('requests before this cursor'),
});

export const modelsExchanges = {
  listModelSuppliers: get(nothing, nothing, z.object({ suppliers: z.array(supplierReply) })),
  addModelSupplier: post(
    nothing,
    z.strictObject({
      kind: z.enum(supplierKindNames, { error: kindRule }).meta(example('openai')),
      name: displayName.meta(example('OpenAI')),
      baseUrl: baseUrl.optional(),
      apiKey: apiKey.optional(),
      allowPrivate: flag.optional().describe('only with kind openai-compatible'),
    }),
    z.object({
      supplierId,
      enabled: z
        .boolean()
        .meta(example(true))
        .describe('false: it is off until it is entered what was used since an older copy of the records'),
    }),
  ),
  setModelSupplier: post(
    supplierPath,
    z
      .strictObject({
        name: displayName,
        apiKey: apiKey.nullable().describe('null: forget it'),
        baseUrl: baseUrl.describe('another address needs the key again'),
        allowPrivate: flag,
        enabled: flag,
        factor,
        extraFields,
        usedSince: z
          .record(z.string(), limit, { error: 'must be amounts by agent, such as {"scout":"0.00"}' })
          .describe(
            'what it shows itself since the copy of the records, in USDC by agent; counts from now; again: corrects it',
          )
          .meta(example({ scout: '0.00' })),
      })
      .partial(),
    supplierReply,
  ),
  removeModelSupplier: post(
    supplierPath,
    nothing,
    z.object({ supplierId, removed: z.boolean().meta(example(true)) }),
  ),
  listLanguageModels: get(
    nothing,
    nothing,
    z.object({
      models: z.array(languageModelReply),
      priceList: z
        .object({ name: textLike('@pydantic/genai-prices 0.1.8'), date: timestamp })
        .describe('where prices that the owner did not enter come from'),
    }),
  ),
  setLanguageModel: post(
    nothing,
    z.strictObject({
      supplierId: z.string({ error: 'must be the id of a supplier' }).meta(example('openai')),
      modelId: z
        .string({ error: 'must be the id of a model' })
        .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable ASCII characters without spaces')
        .meta(example('gpt-5.1')),
      inputPerMillion: ownPrice.optional(),
      outputPerMillion: ownPrice.optional(),
      cachedInputPerMillion: ownPrice.optional(),
      cacheWritePerMillion: ownPrice.optional(),
      maxOutput: countUpTo(10_000_000, 'tokens')
        .nullable()
        .optional()
        .describe('most tokens of an answer; null: what the model allows'),
      enabled: flag.optional(),
      isDefault: flag.optional().describe('the id alone means this supplier’s model'),
    }),
    languageModelReply,
  ),
  modelUsage: get(agentPath, usageQuery, usageReply),
  allModelUsage: get(nothing, usageQuery, usageReply),
};
