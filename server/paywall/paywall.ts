// For authors of paid APIs: quotes a price, and lets a request through when it is paid for.
//
//   app.get('/forecast', paywall({ price: '0.05', recipient, rpcUrl, network: 'mainnet', store }), forecast);
//
// Mount it before body parsers: an invoice is bound to the raw body. The paywall reads the body and puts it back, so a
// parser may follow. A parser that must come first has to keep the bytes: express.json({verify: keepRawBody}). A
// payment is granted at most once, and before the request is served: if serving then fails, the payment stays used.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createCore, type Answer, type Core } from './core.ts';
import { list } from './listing.ts';
import { readRawBody } from './raw-body.ts';
import type { Asked, Paywall, PaywallOptions } from './types.ts';
import { createWebPaywall, tooLarge } from './web.ts';

interface PaidRequest extends IncomingMessage {
  originalUrl?: string;
}
interface LocalsResponse extends ServerResponse {
  locals?: Record<string, unknown>;
}

/** @throws Error that names the option when one makes no sense */
export const paywall = (options: PaywallOptions): Paywall => {
  const core = createCore(options);
  const middleware = async (
    request: PaidRequest,
    response: LocalsResponse,
    next: (error?: unknown) => void,
  ): Promise<void> => {
    let admitted: boolean;
    try {
      admitted = await admit(core, request, response);
    } catch (error) {
      return next(error);
    }
    if (admitted) next();
  };
  const made = Object.assign(middleware, { web: createWebPaywall(core), refund: core.refund });
  list(made, core.listing);
  return made;
};

/** For `express.json({verify: keepRawBody})` when a body parser comes before the paywall. */
export const keepRawBody = (
  request: IncomingMessage & { rawBody?: Buffer },
  _: unknown,
  bytes: Buffer,
): void => {
  request.rawBody = bytes;
};

/** True when the request may be served; otherwise it was answered. */
const admit = async (core: Core, request: PaidRequest, response: LocalsResponse): Promise<boolean> => {
  const url = targetOf(request);
  if (!isPath.test(url)) {
    send(response, badTarget);
    return false;
  }
  let isGone = response.destroyed;
  response.once('close', () => (isGone = true));
  const body = await readRawBody(request, core.maxBodyBytes);
  if ('tooLarge' in body) {
    response.setHeader('connection', 'close');
    send(response, tooLarge(core));
    return false;
  }
  const decision = await core.decide(askedOf(request, url, body), () => isGone);
  if ('status' in decision) {
    send(response, decision);
    return false;
  }
  setHeaders(response, decision.headers);
  if (decision.admitted !== null) {
    request.payment = decision.admitted;
    if (response.locals) response.locals['payment'] = decision.admitted;
  }
  return true;
};

// A router strips the path that it is mounted at from `url`.
const targetOf = ({ originalUrl, url }: PaidRequest): string => originalUrl ?? url ?? '';

// Routers cut scheme, host and fragment off, each in its way: the price would be of another URL than the one served.
const isPath = /^\/[^#]*$/;
const badTarget: Answer = {
  status: 400,
  headers: {},
  body: { error: 'The request has to name a path, without scheme, host or fragment', code: 'bad_target' },
};

const askedOf = (request: PaidRequest, url: string, body: Buffer): Asked => ({
  method: request.method ?? '',
  url,
  header(name) {
    const value = request.headers[name.toLowerCase()];
    return typeof value === 'string' ? value : null;
  },
  body,
  origin: `${'encrypted' in request.socket ? 'https' : 'http'}://${request.headers.host ?? request.headers[':authority'] ?? 'localhost'}`,
});

const send = (response: ServerResponse, { status, headers, body }: Answer): void => {
  const text = JSON.stringify(body);
  response.statusCode = status;
  setHeaders(response, headers);
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.setHeader('cache-control', 'no-store');
  response.end(text);
};

const setHeaders = (response: ServerResponse, headers: Answer['headers']): void => {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
};
