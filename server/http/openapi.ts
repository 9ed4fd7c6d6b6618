// The interface as OpenAPI 3.1, generated from the contract.
import { z } from 'zod';
import { needsOwner, routes, type Route, type RouteName } from '../contract/routes.ts';
import { exchanges } from '../contract/schemas.ts';

type Json = Record<string, unknown>;

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return rest;
};

const parameters = (route: Route, query: z.ZodType): Json[] => {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const { properties = {}, required = [] } = schemaOf(query, 'input') as {
    properties?: Json;
    required?: string[];
  };
  const inQuery = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
  const owner = {
    name: 'owner',
    in: 'query',
    required: true,
    description: 'The owner’s wallet address',
    schema: { type: 'string' },
  };
  return [...inPath, ...inQuery, ...(needsOwner(route) ? [owner] : [])];
};

const content = (schema: Json): Json => ({ content: { 'application/json': { schema } } });
const error = { description: 'Refused', ...content({ $ref: '#/components/schemas/Error' }) };

const operation = (name: RouteName, route: Route): Json => {
  const exchange = exchanges[name];
  const accepted = 'accepted' in exchange ? (exchange.accepted as z.ZodType) : undefined;
  return {
    operationId: name,
    summary: route.summary,
    parameters: parameters(route, exchange.query),
    ...(route.method === 'POST' ? { requestBody: content(schemaOf(exchange.body, 'input')) } : {}),
    responses: {
      200: { description: 'Done', ...content(schemaOf(exchange.reply, 'output')) },
      ...(accepted === undefined
        ? {}
        : {
            202: {
              description: 'Not done yet, or it needs the owner',
              ...content(schemaOf(accepted, 'output')),
            },
          }),
      default: error,
    },
    security: route.access === 'public' ? [] : [{ bearer: [] }],
  };
};

/** Made once, at the first request. */
export const createOpenapi = (): (() => Json) => {
  let document: Json | undefined;
  return () => {
    document ??= build();
    return document;
  };
};

const build = (): Json => {
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries(routes) as [RouteName, Route][]) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Treasury',
      version: '1',
      description: 'A personal treasury that pays for software agents.',
    },
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Error: {
          type: 'object',
          required: ['error'],
          properties: { error: { type: 'string' }, code: { type: 'string' }, details: { type: 'object' } },
        },
      },
    },
  };
};
