// The Bazaar extension of x402 version 2: what a route takes and gives, in the 402 itself, for whoever lists sellers.
// https://github.com/coinbase/x402/blob/main/specs/extensions/bazaar.md
import { encodeJson } from '../lib/base64-json.ts';
import type { JsonSchema, ReadRoute } from './read-route.ts';

/** Many clients and proxies take 8 KiB of header, and the payment comes back with all of it. */
export const mostPaymentRequired = 6_144;
const mostExtension = 4_608;

/** The names and values of a pattern's parameters in a URL that has its form. */
const pathParams = ({ path }: ReadRoute, url: string): Record<string, string> => {
  const given = url.replace(/\?.*$/s, '').split('/');
  const named = path.split('/').map((segment, at) => [segment, given[at] ?? ''] as const);
  return Object.fromEntries(
    named.filter(([segment]) => segment.startsWith(':')).map(([segment, value]) => [segment.slice(1), value]),
  );
};

/** The schema at another place of a document: references to its own parts begin there. */
export const rebased = (schema: JsonSchema, ...place: readonly string[]): JsonSchema => {
  const pointer = place.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')));
  const base = ['#', ...pointer].join('/');
  const move = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(move);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) =>
        key === '$ref' && typeof one === 'string' && one.startsWith('#')
          ? [key, base + one.slice(1)]
          : [key, move(one)],
      ),
    );
  };
  const { $schema: _, $id: __, ...rest } = schema;
  return move(rest) as JsonSchema;
};

const exampleOf = (schema: JsonSchema | undefined): unknown =>
  Array.isArray(schema?.['examples']) ? (schema['examples'] as unknown[])[0] : undefined;

export type Bazaar = (url: string) => object;

/** Null for a method that the extension does not know, and `too large` for schemas that a header cannot hold. */
export const createBazaar = (route: ReadRoute): Bazaar | 'too large' | null => {
  const { method, path, input = {}, output = {} } = route;
  if (!/^(GET|HEAD|DELETE|POST|PUT|PATCH)$/.test(method)) return null;
  const hasBody = method.startsWith('P');
  const name = hasBody ? 'body' : 'queryParams';
  const hasParams = path.includes('/:');
  const [sent, given] = [exampleOf(input), exampleOf(output)];
  const bodyType = hasBody ? { bodyType: 'json' } : {};
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      input: {
        type: 'object',
        properties: {
          type: { type: 'string', const: 'http' },
          method: { type: 'string', enum: [method] },
          ...(hasBody ? { bodyType: { type: 'string', const: 'json' } } : {}),
          [name]: rebased(input, 'properties', 'input', 'properties', name),
          ...(hasParams ? { pathParams: { type: 'object' } } : {}),
        },
        required: ['type', 'method', ...Object.keys(bodyType), ...(sent === undefined ? [] : [name])],
        additionalProperties: false,
      },
      output: {
        type: 'object',
        properties: {
          type: { type: 'string' },
          example: rebased(output, 'properties', 'output', 'properties', 'example'),
        },
        required: ['type'],
      },
    },
    required: ['input'],
  };
  const request = { type: 'http', method, ...bodyType, ...(sent === undefined ? {} : { [name]: sent }) };
  const answer = given === undefined ? {} : { output: { type: 'json', example: given } };
  const bazaar: Bazaar = (url) => ({
    ...(hasParams ? { routeTemplate: path } : {}),
    info: { input: { ...request, ...(hasParams ? { pathParams: pathParams(route, url) } : {}) }, ...answer },
    schema,
  });
  return encodeJson(bazaar(''), 'base64').length > mostExtension ? 'too large' : bazaar;
};
