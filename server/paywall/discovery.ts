// How buyers find an API: GET /openapi.json, with prices in both profiles in use, and GET /llms.txt, from the routes that
// its paywalls declare. https://paymentauth.org (x-payment-info.offers) and @agentcash/discovery (price, protocols).
import type { IncomingMessage, ServerResponse } from 'node:http';
import { formatUsdc } from '../money.ts';
import { rebased } from './bazaar.ts';
import { listingOf, type Listing } from './listing.ts';
import { routeSchema, type JsonSchema, type ReadRoute } from './read-route.ts';
import type { Route } from './route.ts';
import type { Paywall } from './types.ts';

/** What an API says of itself. */
export interface About {
  title: string;
  /** Of the API. Default `1.0.0`. */
  version?: string;
  description?: string;
  /** An e-mail address, by which lists of sellers know the owner. */
  contact?: string;
  /** A few sentences for agents: what to buy, and when. */
  guidance?: string;
  /** Scheme and host of the API as buyers name it. Default: those of the request. */
  origin?: string;
}

/** Middleware that answers `GET /openapi.json` and `GET /llms.txt`, and passes everything else on. */
export interface Discovery {
  (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): void;
  /** The same for frameworks whose handlers take a Request; 404 for everything else. */
  web(request: Request): Response;
}

type Listed = { route: ReadRoute } & (Omit<Listing, 'route'> | { price?: never });

/**
 * Lists paywalls that have a `route`, and free routes.
 * @throws Error for a paywall without one
 */
export const discovery = (about: About, sold: readonly (Paywall | Route)[]): Discovery => {
  if (typeof about.title !== 'string' || about.title === '') throw new Error('discovery: title: is required');
  const listed = sold.map(read);
  const answer = (method: string, path: string, from: string): Text | null => {
    if (method !== 'GET' && method !== 'HEAD') return null;
    const origin = about.origin ?? from;
    if (path === '/openapi.json')
      return textOf('application/json', JSON.stringify(openapi(about, listed, origin), null, 1));
    return path === '/llms.txt' ? textOf('text/plain', llms(about, listed, origin)) : null;
  };
  const middleware = (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const scheme = 'encrypted' in request.socket ? 'https' : 'http';
    const { originalUrl, url = '' } = request as IncomingMessage & { originalUrl?: string };
    const [path = ''] = (originalUrl ?? url).split('?');
    const said = answer(request.method ?? '', path, `${scheme}://${request.headers.host ?? 'localhost'}`);
    if (said === null) return next();
    response.writeHead(200, said.headers).end(request.method === 'HEAD' ? '' : said.text);
  };
  return Object.assign(middleware, {
    web(request: Request): Response {
      const { pathname, origin } = new URL(request.url);
      const said = answer(request.method, pathname, origin);
      if (said === null) return Response.json({ error: 'There is no such page' }, { status: 404 });
      return new Response(request.method === 'HEAD' ? null : said.text, said);
    },
  });
};

interface Text {
  headers: Record<string, string>;
  text: string;
}

const textOf = (type: string, text: string): Text => {
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    'access-control-allow-origin': '*',
    // It may name the host of its request, which anybody writes.
    'cache-control': 'no-store',
  };
  return { text, headers: { ...headers, 'content-length': String(Buffer.byteLength(text)) } };
};

const read = (one: Paywall | Route, at: number): Listed => {
  const listing = listingOf(one);
  if (listing === undefined) {
    const given = routeSchema.safeParse(one);
    if (given.success) return { route: given.data };
    const [issue] = given.error.issues;
    throw new Error(`discovery: routes.${at}: ${issue?.path.join('.') || 'it'}: ${issue?.message}`);
  }
  const { route } = listing;
  if (route === undefined) throw new Error(`discovery: routes.${at}: give its paywall the option route`);
  return { ...listing, route };
};

const openapi = (about: About, listed: readonly Listed[], origin: string): object => {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const one of listed) {
    const path = one.route.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[one.route.method.toLowerCase()] = operation(one, path);
  }
  const { title, version = '1.0.0', description, contact, guidance } = about;
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description,
      ...(contact === undefined ? {} : { contact: { email: contact } }),
      'x-guidance': guidance ?? `Prices are in USDC on Solana. ${origin}/llms.txt says how to pay.`,
    },
    servers: [{ url: origin }],
    'x-service-info': { docs: { llms: '/llms.txt', apiReference: '/openapi.json' } },
    paths,
  };
};

const operation = (one: Listed, path: string): object => {
  const { method, description, input, output = {} } = one.route;
  const place = ['paths', path, method.toLowerCase()];
  const json = (schema: JsonSchema, ...at: string[]) => ({
    'application/json': { schema: rebased(schema, ...place, ...at, 'content', 'application/json', 'schema') },
  });
  const takesBody = /^(POST|PUT|PATCH)$/.test(method);
  const answers = { description: 'What was asked for', content: json(output, 'responses', '200') };
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    parameter('path', name, { type: 'string' }, true),
  );
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^\w]+/g, '_')}`,
    summary: description ?? `${method} ${path}`,
    security: [],
    parameters: [...named, ...(takesBody ? [] : queryOf(input))],
    ...(takesBody ? { requestBody: { required: true, content: json(input ?? {}, 'requestBody') } } : {}),
    ...(one.price === undefined ? {} : { 'x-payment-info': paymentInfo(one) }),
    responses: {
      '200': answers,
      ...(one.price === undefined ? {} : { '402': { description: 'Payment required' } }),
    },
  };
};

const parameter = (where: 'path' | 'query', name: string, schema: JsonSchema, required: boolean) => ({
  name,
  in: where,
  required,
  schema,
});

/** The properties of an object, each a parameter; a reference in them cannot be kept. */
const queryOf = (input: JsonSchema | undefined) => {
  const required = Array.isArray(input?.['required']) ? (input['required'] as unknown[]) : [];
  const properties = Object.entries((input?.['properties'] ?? {}) as Record<string, JsonSchema>);
  return properties.map(([name, schema]) => parameter('query', name, schema, required.includes(name)));
};

const paymentInfo = ({ price, mint, dialects, route }: Omit<Listing, 'route'> & { route: ReadRoute }) => {
  const charge = { method: 'solana', intent: 'charge', currency: mint };
  const amount = price === null ? null : String(price);
  return {
    price:
      price === null
        ? { mode: 'dynamic', currency: 'USD' }
        : { mode: 'fixed', currency: 'USD', amount: formatUsdc(price) },
    protocols: [...(dialects.some((one) => one.startsWith('x402')) ? [{ x402: {} }] : []), { mpp: charge }],
    offers: [{ ...charge, amount, description: route.description }],
  };
};

const llms = ({ title, description, guidance }: About, listed: readonly Listed[], origin: string): string => {
  const lines = listed.map(({ route, price }) => {
    const cost =
      price === undefined ? 'free' : price === null ? 'priced by request' : `${formatUsdc(price)} USDC`;
    return `- ${route.method} ${route.path} (${cost})${route.description === undefined ? '' : `: ${route.description}`}`;
  });
  const text = [
    `# ${title}`,
    description && `> ${description}`,
    guidance,
    `## Routes\n\n${lines.join('\n')}`,
    `Schemas and prices: ${origin}/openapi.json. A paid route answers 402 and says what it costs, in USDC on Solana. Pay in one of the protocols that the 402 offers (x402, MPP or receipts), and send the same request again with the proof.`,
  ];
  return `${text.filter((part) => part !== undefined && part !== '').join('\n\n')}\n`;
};
