// The reverse proxy that pays: a request below /v1/agents/:agentId/proxy goes on to its seller as it came, and the
// seller's answer comes back while it arrives. A web page may not use it: its answers are the sellers' own.
import type { Request, RequestHandler, Response } from 'express';
import type { ProxyCall, AnswerReader } from '../../engine/ports.ts';
import { AppError, fieldError } from '../../errors.ts';
import type { DoorName } from '../../lib/net/public-url.ts';
import type { Log } from '../../log.ts';
import type { Credentials } from '../auth.ts';
import { doorOf } from '../door.ts';
import { goneOf } from '../gone.ts';
import type { RefuseSecrets } from '../own-secrets.ts';
import { mostProxied, type Bodies } from './body.ts';
import { callerOf } from './caller.ts';
import { headersForSeller, headersForClient } from './headers.ts';
import { isProxied, placeOf, type Place } from './place.ts';
import { z } from 'zod';
import { parse } from '../../contract/field-errors.ts';
import { amount } from '../../contract/fields.ts';
import type { Usdc } from '../../money.ts';
import { keyOf } from '../idempotency-key.ts';
import { endWhole, writePiece } from '../streamed.ts';

interface ProxyDeps {
  bodies: Bodies;
  credentials: Credentials;
  refuseSecrets: RefuseSecrets;
  /** Pays, and hands the answer to the reader. */
  proxy(call: ProxyCall): Promise<void>;
  /** Waits for a turn in which an agent's request may begin. */
  admission: { next(lane: string): Promise<void> };
  log: Log;
}

/** Answers requests of the proxy, and passes on all others. */
export const createProxy = (deps: ProxyDeps): RequestHandler => {
  return async (request, response, next) => {
    if (!isProxied(request.originalUrl)) return next();
    // No page of ours is shown in place of a seller's answer.
    response.locals['isOurs'] = false;
    const release: (() => void)[] = [];
    try {
      refuseBrowsers(request);
      const door = doorOf(response).name;
      const { caller, ...asked } = await admitted(deps, request, door);
      response.locals['caller'] = caller;
      const { body, release: forget } = await deps.bodies.read(request, caller.agentId, mostProxied);
      release.push(forget);
      await deps.proxy({
        ...asked,
        caller,
        request: { ...asked.request, body },
        reader: readerOf(response, asked.place, door),
        gone: goneOf(request, response),
      });
    } catch (error) {
      refuse(response, error, deps.log);
    } finally {
      for (const end of release) end();
    }
  };
};

/** @throws AppError for all that can be refused before the body is read */
const admitted = async (deps: ProxyDeps, request: Request, door: DoorName) => {
  const { credentials, admission, refuseSecrets } = deps;
  const place = placeOf(request.originalUrl);
  const { caller, keyHeaders } = callerOf(request, place.agentId, credentials);
  await admission.next(caller.agentId);
  credentials.seen(caller);
  const { url, target } = place;
  const headers = headersForSeller(request.rawHeaders, keyHeaders, door);
  refuseSecrets(caller, caller.agentId, { headers, url, address: request.originalUrl });
  const asked = { key: keyIn(request), maxAmount: maxAmountIn(request) };
  return { ...asked, caller, place, request: { url, target, method: request.method, headers } };
};

/** @throws AppError `forbidden`, `not_available` */
export const refuseBrowsers = ({ method, headers }: Request): void => {
  const site = headers['sec-fetch-site'];
  if (headers.origin !== undefined || headers['sec-fetch-mode'] === 'navigate' || (site ?? 'none') !== 'none')
    throw new AppError('forbidden', 'Web pages may not use the proxy.');
  // RFC 9110, 7.8: an offer may be ignored. Java's client offers HTTP/2 with each request.
  const changesProtocol = headers.upgrade !== undefined && headers.upgrade.trim().toLowerCase() !== 'h2c';
  if (method === 'TRACE' || method === 'CONNECT' || changesProtocol)
    throw new AppError('not_available', 'The proxy passes on neither TRACE nor a change of protocol.');
};

/** Clients repeat these by themselves. */
const repeated = [409, 503];

/** @throws AppError for the reply; a reply that has begun is broken off, so that it does not look whole */
const refuse = (response: Response, error: unknown, log: Log): void => {
  if (response.headersSent) {
    log.info({ err: error }, 'an answer through the proxy broke off');
    response.destroy();
    return;
  }
  if (!(error instanceof AppError)) throw error;
  const { code, status, details = {} } = error;
  if (code === 'too_large') response.setHeader('Connection', 'close');
  const mayBeSigned = details['isSigned'] === true || code === 'idempotency_conflict';
  if (mayBeSigned || details['paymentId'] !== undefined) response.setHeader('x-should-retry', 'false');
  if (mayBeSigned && repeated.includes(status) && code !== 'answer_not_kept') response.locals['status'] = 402;
  throw error;
};

/** The wishes of a proxy's client to the treasury itself, in headers. */
type Headers = Pick<Request, 'headersDistinct'>;

const maxAmount = z.object({ 'X-Treasury-Max-Amount': amount.optional() });

/** Sellers know Idempotency-Key too: it counts here where ours is missing. Null without both. @throws AppError `bad_request` */
const keyIn = (request: Headers): string | null =>
  keyOf(request, 'X-Treasury-Idempotency-Key') ?? keyOf(request);

/** @throws AppError `bad_request` */
const maxAmountIn = ({ headersDistinct }: Headers): Usdc | undefined => {
  const [given, ...more] = headersDistinct['x-treasury-max-amount'] ?? [];
  if (more.length > 0) throw fieldError('X-Treasury-Max-Amount', 'must be sent once');
  return parse(maxAmount, { 'X-Treasury-Max-Amount': given })['X-Treasury-Max-Amount'];
};

// The client of the proxy, as it reads a seller's answer.

/** A client that takes nothing for so long has gone. */
const stalledMs = 300_000;

const readerOf = (response: Response, place: Place, door: DoorName): AnswerReader => ({
  begin(head) {
    response.removeHeader('Cache-Control');
    response.statusCode = head.status;
    for (const [name, value] of headersForClient(head, place, door)) response.setHeader(name, value);
    // A stream of events may say nothing for a while. `flushHeaders` would write the values of headers in UTF-8.
    response.write(Buffer.alloc(0));
  },
  write: (piece) => writePiece(response, piece, stalledMs),
  end: () => endWhole(response),
});
