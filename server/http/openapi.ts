// The interface as OpenAPI 3.1, generated from the contract.
import type { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { agentEvents } from '../contract/agents/agent-events.schemas.ts';
import { needsOwner, routes, type Access, type Route, type RouteName } from '../contract/routes.ts';
import { exchanges } from '../contract/schemas.ts';
import { errorCodes } from '../errors.ts';
import { exampleOf } from './openapi-examples.ts';
import { createSchemas, jsonOf, type Json, type Schemas } from './openapi-schemas.ts';
import { errorExample } from './openapi-example-values.ts';

/** The document for each origin of this host; it is built once for each. */
export const createOpenapi = (): ((url: string) => Json) => {
  const documents = new Map<string, Json>();
  return (url) => {
    const document = documents.get(url) ?? build(url);
    documents.set(url, document);
    return document;
  };
};

const build = (url: string): Json => {
  const schemas = createSchemas();
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries(routes) as [RouteName, Route][]) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(schemas, name, route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Treasury',
      version: '1',
      description: `A personal treasury that pays for software agents. This is what version ${packageJson.version} answers.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url, description: 'This treasury, on this machine alone' }],
    tags: Object.entries(callers).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of an agent, or a token of the owner',
        },
      },
      responses: { Refused: refusedResponse },
      schemas: { ...schemas.all(), Error: errorSchema },
    },
  };
};

/** Tags: the callers of a route. */
const callers = {
  agent: 'With the agent’s API key; of its own agent alone, where the path names one',
  owner: 'With a token of the owner, who may also do all that an agent may',
  guest: 'As somebody who signed in on the page of a link session',
  everyone: 'Without any credential',
};
const callersOf: Readonly<Record<Access, readonly (keyof typeof callers)[]>> = {
  public: ['everyone'],
  key: ['agent', 'owner'],
  agent: ['agent', 'owner'],
  'any-agent': ['agent', 'owner'],
  identity: ['guest', 'owner'],
  owner: ['owner'],
};

const operation = (schemas: Schemas, name: RouteName, route: Route): Json => {
  const exchange = exchanges[name];
  const accepted = 'accepted' in exchange ? (exchange.accepted as z.ZodType) : undefined;
  const title = titled(name);
  const example = exampleOf(name);
  const body = schemas.refer(exchange.body, 'input', `${title}Request`);
  return {
    operationId: name,
    summary: route.summary,
    tags: callersOf[route.access],
    parameters: parameters(name, route, exchange.query),
    ...(route.method === 'POST' ? { requestBody: { content: json(body, example.request) } } : {}),
    responses: {
      200: {
        description: 'Done',
        content:
          name === 'agentEvents'
            ? eventsOf(schemas)
            : (documents[name] ??
              json(schemas.refer(exchange.reply, 'output', `${title}Reply`), example.reply)),
      },
      ...(accepted === undefined
        ? {}
        : {
            202: {
              description: 'Not done yet, or it needs the owner',
              content: json(schemas.refer(accepted, 'output', `${title}Accepted`), example.accepted),
            },
          }),
      '4XX': refused,
      default: refused,
    },
    security: route.access === 'public' ? [] : [{ bearer: [] }],
  };
};

const titled = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

const json = (schema: Json, example: unknown): Json => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
});

/** The schema of a stream is that of an event’s data. */
const eventsOf = (schemas: Schemas): Json => {
  const named = Object.entries(agentEvents);
  const schema = {
    description: `the data of an event, by its name: ${named.map(([type]) => type).join(', ')}`,
    anyOf: named.map(([type, data]) => schemas.refer(data, 'output', `${titled(type)}Event`)),
  };
  const example = { suspended: false, frozen: true, locked: false, halted: false };
  return { 'text/event-stream': { schema, example } };
};

/** Replies that are no JSON of the contract. */
const documents: Readonly<Partial<Record<RouteName, Json>>> = {
  openapi: { 'application/json': { schema: { type: 'object', description: 'this document' } } },
  events: {
    'text/event-stream': {
      schema: { type: 'string', description: 'server-sent events: a name, and data in JSON on one line' },
      example: 'event: freeze\ndata: {"frozen":true,"reason":"the owner pressed stop"}\n\n',
    },
  },
  statement: {
    'text/csv': { schema: { type: 'string', description: 'a line for each transfer, under a heading' } },
    'application/json': { schema: { type: 'object', description: 'with format=json' } },
  },
  books: {
    'text/csv': { schema: { type: 'string', description: 'of spreadsheets, banks and tax programs' } },
    'text/plain': { schema: { type: 'string', description: 'of hledger, ledger and beancount' } },
    'application/x-ofx': { schema: { type: 'string' } },
    'application/gzip': { schema: { type: 'string', contentEncoding: 'binary' } },
  },
  answer: {
    'application/octet-stream': { schema: { type: 'string', contentEncoding: 'binary' } },
  },
  taskImage: {
    'image/*': { schema: { type: 'string', contentEncoding: 'binary' } },
  },
};

/** Routes that move money, where a repetition under the same key has no second effect. */
const once: readonly RouteName[] = ['pay', 'fetch', 'generate', 'allocate', 'recall', 'archive', 'withdraw'];
const waits: readonly RouteName[] = ['pay', 'fetch', 'allocate', 'recall', 'archive', 'withdraw'];
const continues: readonly RouteName[] = ['pay', 'fetch', 'generate'];

const headers = (name: RouteName): Json[] => [
  ...(once.includes(name)
    ? [
        {
          name: 'Idempotency-Key',
          in: 'header',
          required: name === 'withdraw',
          description: 'The same key is the same request: it is done once, and its answer is repeated',
          schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
          example: '6f1c1c0e-6d0c-4b0a-9d51-6f1f4c9a7f10',
        },
      ]
    : []),
  ...(waits.includes(name) || continues.includes(name) ? [prefer(name)] : []),
];

const prefer = (name: RouteName): Json => {
  const preferences = [
    ...(waits.includes(name) ? ['wait=N holds the answer for at most N seconds, up to 60'] : []),
    ...(continues.includes(name)
      ? ['continue goes on with an equal request whose answer was never received, instead of another']
      : []),
  ];
  return {
    name: 'Prefer',
    in: 'header',
    required: false,
    description: `RFC 7240. ${preferences.join('; ')}`,
    schema: { type: 'string' },
    example: waits.includes(name) ? 'wait=20' : 'continue',
  };
};

const parameters = (name: RouteName, route: Route, query: z.ZodType): Json[] => {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, parameter]) => ({
    name: parameter,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const { properties = {}, required = [] } = jsonOf(query, 'input') as {
    properties?: Json;
    required?: string[];
  };
  const inQuery = Object.entries(properties).map(([parameter, schema]) => ({
    name: parameter,
    in: 'query',
    required: required.includes(parameter),
    schema,
  }));
  const owner = {
    name: 'owner',
    in: 'query',
    required: true,
    description: 'The owner’s wallet address',
    schema: { type: 'string' },
  };
  return [...inPath, ...inQuery, ...(needsOwner(route) ? [owner] : []), ...headers(name)];
};

const refused: Json = { $ref: '#/components/responses/Refused' };
const refusedResponse: Json = {
  description: 'Refused',
  headers: {
    'Retry-After': {
      description: 'In seconds, where waiting helps',
      schema: { type: 'integer', minimum: 1 },
    },
  },
  content: json({ $ref: '#/components/schemas/Error' }, errorExample),
};

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: { type: 'string', description: 'for people' },
    code: { type: 'string', description: 'for programs', enum: errorCodes },
    details: {
      type: 'object',
      description: 'such as fields (the fault of each), limit, spent, and retryAt',
    },
  },
};
