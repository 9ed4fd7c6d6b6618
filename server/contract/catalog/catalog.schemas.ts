// The catalog: services, and the lists that they are imported from.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import {
  address,
  decimal,
  displayName,
  hex,
  pageLimit,
  serviceId,
  shared,
  timestamp,
  url,
  wholeNumber,
} from '../fields.ts';
import { limitAtService, limitNode } from '../limits/policy.schemas.ts';

const serviceOrders = ['best', 'used', 'price', 'name'] as const;
const serviceSources = ['svc-native', 'model-registry', 'x402-marketplace'] as const;
export const serviceReply = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  category: z.string(),
  pricing: z.record(z.string(), z.string()),
  price: z.string().nullable(),
  endpoint: z.string(),
  origin: z.string().describe('where the endpoint is; empty: this treasury'),
  source: z.enum(['svc-native', 'model-registry', 'x402-marketplace']),
  payees: z.array(z.string()).describe('pinned: nobody else is paid for it'),
  addedByOwner: z.boolean(),
  blocked: z.boolean().optional().describe('the owner blocked it: no agent can pay it'),
  vanishedAt: timestamp.nullable().optional().describe('since when no source of the catalog lists it'),
  payeeChange: z
    .object({ payees: z.array(z.string()) })
    .nullable()
    .optional()
    .describe('payees that the sources name now; those above stay in force until the owner accepts'),
  reputation: z.object({
    calls: z.number(),
    successRate: z.number().nullable().describe('from 0 to 1; null before the first call'),
    medianLatencyMs: z.number().nullable(),
    lastSeenAt: timestamp.nullable().describe('alive'),
  }),
});
/** A service, and the owner's word on it. */
const serviceRuleReply = z.object({
  serviceId: shared.serviceId,
  name: z.string(),
  service: serviceReply.nullable().describe('null: the catalog does not list it'),
  blockedAt: timestamp.nullable().describe('since when no agent can pay it'),
  isTrusted: z
    .boolean()
    .describe('the treasury opens its token account without asking, within the limit of a day'),
  mayTrust: z
    .boolean()
    .describe('it comes from an imported list, so that trust is the owner’s to give or take'),
  limits: z
    .array(z.object({ node: limitNode, limit: limitAtService }))
    .describe('of its own, on agents, groups, delegated keys and the treasury'),
});
/** A service by its id; one outside the catalog by its origin. */
const servicePath = z.object({ serviceId });
/** A paid API's own and the catalog entry that we would make of it. */
const previewReply = z.object({
  hash: z.string().describe('of exactly this; adding it needs it'),
  serviceId: shared.serviceId,
  name: z.string(),
  description: z.string(),
  endpoint: z.string(),
  origin: z.string(),
  payees: z.array(z.string()),
  price: decimal,
  dialect: z.string(),
  replaces: z.boolean().describe('an entry of this id is there'),
  warnings: z.array(z.string()),
});
export const sourceReply = z.object({
  sourceId: z.string(),
  url: z.string(),
  name: z.string(),
  addedAt: timestamp,
  state: z.enum(['idle', 'running', 'failed']),
  done: z.number().describe('items of the list that the last pass read, or has read so far'),
  total: z.number().nullable().describe('as many as the list says it has'),
  added: z.number(),
  changed: z.number(),
  vanished: z.number(),
  skipped: z.number().describe('unusable, or the owner or the treasury has an entry there'),
  notPayable: z.number().describe('nothing in them is USDC on this network'),
  lastRunAt: timestamp.nullable(),
  nextRunAt: timestamp,
  error: z.string().nullable().describe('why the last pass did not come to its end'),
});

export const catalogExchanges = {
  searchServices: get(
    nothing,
    z.strictObject({
      q: z.string().max(200, 'must be at most 200 characters').default(''),
      source: z.enum(serviceSources, { error: `must be one of ${serviceSources.join(', ')}` }).optional(),
      category: z.string().max(100, 'must be at most 100 characters').optional(),
      sort: z
        .enum(serviceOrders, { error: `must be one of ${serviceOrders.join(', ')}` })
        .default('best')
        .describe('used: by the payments of the last 90 days; price: the lowest first'),
      limit: pageLimit(100, 20),
      skip: wholeNumber('skip', 0, 100_000).default(0).describe('passes over this many of the first'),
    }),
    z.object({ query: z.string(), results: z.array(serviceReply), total: z.number() }),
  ),
  serviceCategories: get(
    nothing,
    nothing,
    z.object({ categories: z.array(z.object({ category: z.string(), services: z.number() })) }),
  ),
  getService: get(servicePath, nothing, serviceRuleReply),
  setServiceRule: post(
    servicePath,
    z.strictObject({ blocked: z.boolean().optional(), trusted: z.boolean().optional() }),
    serviceRuleReply,
  ),
  previewService: post(nothing, z.strictObject({ url, name: displayName.optional() }), previewReply),
  addService: post(
    nothing,
    z.strictObject({ url, hash: hex(64), name: displayName.optional() }),
    serviceReply,
  ),
  removeService: post(
    z.object({ serviceId: shared.serviceId }),
    nothing,
    z.object({ serviceId: shared.serviceId, removed: z.boolean() }),
  ),
  acceptPayees: post(
    z.object({ serviceId: shared.serviceId }),
    z.strictObject({
      payees: z
        .array(address, { error: 'must be a list of addresses' })
        .min(1, 'must not be empty')
        .max(100, 'must be at most 100 addresses'),
    }),
    serviceReply,
  ),
  listSources: get(
    nothing,
    nothing,
    z.object({
      sources: z.array(sourceReply),
      suggestions: z.array(z.object({ url: z.string(), name: z.string() })),
    }),
  ),
  addSource: post(nothing, z.strictObject({ url, name: displayName.optional() }), sourceReply),
  refreshSource: post(z.object({ sourceId: z.string() }), nothing, sourceReply),
  removeSource: post(
    z.object({ sourceId: z.string() }),
    nothing,
    z.object({ sourceId: z.string(), removed: z.boolean() }),
  ),
};
