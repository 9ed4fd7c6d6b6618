// The catalog: paid services and image models.
import { z } from 'zod';
import type { Reply } from '../../contract/schemas.ts';
import { reading, tool } from '../tool.ts';

type Service = Reply<'searchServices'>['results'][number];

const dollars = (pricing: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(pricing).map(([name, amount]) => [name, `$${amount}`]));

const pricingOf = ({ pricing, price }: Service): string | Record<string, string> =>
  Object.keys(pricing).length > 0 ? dollars(pricing) : price === null ? 'asked for by its 402' : `$${price}`;

const howOf = ({ id, endpoint, origin, source }: Service): string => {
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
    'Searches the paid services that this treasury knows, by what you need ("weather", "image"). Without a query it lists what there is. Gives the URL for paid_fetch, the price and the service id, which explain_policy and pay take. Costs nothing.',
  annotations: reading,
  input: z.object({
    query: z.string().default('').describe('what you need, in a few words; empty lists all'),
  }),
  output: [
    z.object({
      results: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          description: z.string(),
          pricing: z
            .union([z.string(), z.record(z.string(), z.string())])
            .describe('such as "$0.01", or one for each resolution'),
          how: z.string(),
        }),
      ),
      message: z.string(),
    }),
  ],
  async run({ query }, { client }) {
    const { body } = await client.ask('searchServices', { query: { q: query.trim().slice(0, 200) } });
    const results = body.results.map((service) => ({
      id: service.id,
      name: service.name,
      description: service.description,
      pricing: pricingOf(service),
      how: howOf(service),
    }));
    const message =
      results.length === 0
        ? `No service fits. Try other words, or leave query out to see what there is; paid_fetch pays any API that takes USDC on Solana, listed or not, within the policy.`
        : `${results.length} of ${body.total} services found.`;
    return {
      text: message,
      content: { results, message },
      foreign: 'names and descriptions that sellers wrote',
    };
  },
});

const listModels = tool('list_models', {
  title: 'List AI models',
  description:
    'The AI models that this treasury can pay for, with their prices for each resolution. Costs nothing.',
  annotations: reading,
  input: z.object({}),
  output: [
    z.object({
      models: z.array(
        z.object({
          id: z.string().describe('modelId of generate_image'),
          displayName: z.string(),
          provider: z.string(),
          description: z.string(),
          pricing: z.record(z.string(), z.string()).describe('for each resolution'),
        }),
      ),
      message: z.string(),
    }),
  ],
  async run(_args, { client }) {
    const { body } = await client.ask('listModels');
    const models = body.models.map((model) => ({ ...model, pricing: dollars(model.pricing) }));
    const message = models.length === 0 ? 'This treasury offers no models yet.' : `${models.length} models.`;
    return { text: message, content: { models, message } };
  },
});

export const catalogTools = [findService, listModels];
