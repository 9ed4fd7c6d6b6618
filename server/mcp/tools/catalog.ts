// The catalog: paid services and image models.
import { z } from 'zod';
import { isModelService } from '../../contract/models/suppliers.ts';
import type { Reply } from '../../contract/schemas.ts';
import { reading, tool } from '../tool.ts';

type Service = Reply<'searchServices'>['results'][number];

const dollars = (pricing: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(pricing).map(([name, amount]) => [name, `$${amount}`]));

const pricingOf = ({ pricing, price }: Service): string | Record<string, string> =>
  Object.keys(pricing).length > 0 ? dollars(pricing) : price === null ? 'asked for by its 402' : `$${price}`;

const howOf = ({ id, endpoint, origin, source }: Service): string => {
  if (isModelService(id)) return 'It is not paid by a tool: it serves the language models of programs.';
  if (source === 'model-registry') return `Call generate_image with modelId "${id}".`;
  const [, method = 'GET', path = ''] = /^(\w+) (.*)$/.exec(endpoint) ?? [];
  const how = `Call paid_fetch with url "${origin}${path}" and method "${method}"`;
  // A service from a marketplace may use any payment protocol.
  if (source === 'x402-marketplace') return `${how}; it asks for its price itself.`;
  return `${how}; or pay with service "${id}" and send the receipt yourself as the X-Payment header.`;
};

const findService = tool('find_service', {
  title: 'Find a paid service',
  description:
    'Searches the paid services that this treasury knows, by what you need ("weather", "image"); without a query it browses them all, the most useful first. Tells the URL for paid_fetch, the price, and the service id, which explain_policy and pay take. Costs nothing.',
  annotations: reading,
  input: z.object({
    query: z.string().default('').describe('what you need, in a few words'),
    limit: z.int().min(1).max(100).default(20).describe('how many'),
    skip: z.int().min(0).default(0).describe('to read on: how many to pass over'),
  }),
  output: [
    z.object({
      results: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          description: z.string(),
          category: z.string(),
          pricing: z.union([z.string(), z.record(z.string(), z.string())]),
          how: z.string(),
        }),
      ),
      total: z.number(),
      message: z.string(),
    }),
  ],
  async run({ query, limit, skip }, { client }) {
    const q = query.trim().slice(0, 200);
    const wanted = { q, limit: String(limit), skip: String(skip) };
    const { body } = await client.ask('searchServices', { query: wanted });
    const results = body.results.map((service) => ({
      id: service.id,
      name: service.name,
      description: service.description,
      category: service.category,
      pricing: pricingOf(service),
      how: howOf(service),
    }));
    const message =
      results.length === 0 ? nothingFound(q, skip) : placeIn(q, skip, { of: body.total, results });
    return {
      text: message,
      content: { results, total: body.total, message },
      foreign: 'names and descriptions that sellers wrote',
    };
  },
});

const nothingFound = (q: string, skip: number): string => {
  if (skip > 0) return 'There are no more services. Call it with a smaller skip.';
  if (q === '') return 'No service is listed here. paid_fetch pays any API that takes USDC on Solana.';
  return 'No service fits. Try other words, or leave query out to browse; paid_fetch pays any API that takes USDC on Solana, listed or not, within the policy.';
};

const placeIn = (
  q: string,
  skip: number,
  { of: total, results }: { of: number; results: readonly unknown[] },
): string => {
  const last = skip + results.length;
  const order = q === '' ? 'the most useful first' : 'the best match first';
  const more = last < total ? ` To read on, call it with skip ${last}.` : '';
  return `Services ${skip + 1} to ${last} of ${total}, ${order}.${more}`;
};

const listModels = tool('list_models', {
  title: 'List image models',
  description:
    'The image models that generate_image can use, with their prices for each resolution. Costs nothing.',
  annotations: reading,
  input: z.object({}),
  output: [
    z.object({
      models: z.array(
        z.object({
          id: z.string(),
          displayName: z.string(),
          provider: z.string(),
          description: z.string(),
          pricing: z.record(z.string(), z.string()),
        }),
      ),
    }),
  ],
  async run(_args, { client }) {
    const { body } = await client.ask('listModels');
    const models = body.models.map((model) => ({ ...model, pricing: dollars(model.pricing) }));
    const text =
      models.length === 0
        ? 'This treasury offers no models: the owner enables them.'
        : `${models.length} models; id is the modelId of generate_image.`;
    return { text, content: { models } };
  },
});

export const catalogTools = [findService, listModels];
