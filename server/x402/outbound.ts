// Requests to URLs that others chose: where they may go, how long they may take, how much they may bring back. A name
// is resolved once, and the connection goes to the address that was checked. Connections are kept for a while, for the
// next request to the same origin.
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress, publicLookup } from '../lib/net/public-host.ts';
import type { Goods } from '../engine/ports.ts';
import { AppError, fieldError } from '../errors.ts';
import { isOwnOrigin, type OwnOrigins } from '../lib/net/public-url.ts';
import { createAnswerLimit } from './answer-limit.ts';
import { sendRequest, StaleConnection, Withheld, type OutboundAnswer, type Sending } from './send-request.ts';

export type { OutboundAnswer } from './send-request.ts';
import { bareHost } from '../lib/net/bare-host.ts';

export interface OutboundRequest {
  url: string;
  /** Path and query, where they are not spelled as in `url`; no header is then added either. */
  target?: string;
  method?: string;
  headers?: Readonly<Record<string, string | string[]>>;
  body?: string | Uint8Array;
  signal?: AbortSignal;
  /** Limits and sink for an answer below 400; without it every answer is small, and is in memory. */
  goods?: Goods;
  /**
   * For a request that pays: runs when the connection stands, in the turn of the event loop in which the bytes leave.
   * When it throws, nothing has left, and the caller gets what it threw. Such a request is never resent automatically.
   */
  beforeSending?: () => void;
}

/**
 * @throws AppError `bad_request` for a place that must not be asked, `not_available` when no usable answer came,
 *   `answer_too_large` and `answer_too_slow` beyond the limits of `goods`
 */
export type Outbound = (request: OutboundRequest) => Promise<OutboundAnswer>;

interface OutboundOptions {
  /** Origins on this machine that may be asked, also over plain HTTP. */
  allowOrigins: readonly string[];
  /** Of these, only paths below `/sandbox/` of the first may be asked. */
  ownOrigins: OwnOrigins;
  withinMs?: number;
  mostBytes?: number;
}

const mebibyte = 1024 * 1024;
/** Below the 5 s after which many servers end an idle connection: we end it first, and never send into a dead one. */
const keptMs = 4_000;

/** `close` ends all requests under way and all connections; nothing is sent after it. */
export const createOutbound = (options: OutboundOptions): Outbound & { close(): void } => {
  const { withinMs = 10_000, mostBytes = mebibyte } = options;
  const kept = { keepAlive: true, timeout: keptMs, maxFreeSockets: 8 };
  const agents = { http: new HttpAgent(kept), https: new HttpsAgent(kept) };
  let isClosed = false;

  const send = async (sending: Sending): Promise<OutboundAnswer> => {
    try {
      return await sendRequest(sending);
    } catch (error) {
      if (!(error instanceof StaleConnection) || sending.beforeSending !== undefined || isClosed) throw error;
      return await sendRequest({ ...sending, agent: false });
    }
  };

  const ask: Outbound = async (asked) => {
    const { url, method = 'GET', headers = {}, body, signal, beforeSending } = asked;
    const place = placeOf(url, options);
    if (isClosed) throw new AppError('not_available', 'The treasury is stopping. Ask again when it runs.');
    const limit = createAnswerLimit({ withinMs, mostBytes }, asked, place.url.origin);
    const ending = signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal]);
    const agent = place.url.protocol === 'https:' ? agents.https : agents.http;
    const gate = beforeSending === undefined ? {} : { beforeSending };
    try {
      return await send({
        ...place,
        target: asked.target,
        method,
        headers,
        body,
        signal: ending,
        begin: limit.begin,
        agent,
        ...gate,
      });
    } catch (error) {
      if (error instanceof Withheld) throw error.cause;
      if (error instanceof AppError) throw error;
      throw limit.explain(error);
    } finally {
      limit.end();
    }
  };

  const close = (): void => {
    isClosed = true;
    agents.http.destroy();
    agents.https.destroy();
  };
  return Object.assign(ask, { close });
};

interface Place {
  url: URL;
  /** Missing for a place on this machine that we may ask. */
  lookup?: LookupFunction;
}

const placeOf = (text: string, { allowOrigins, ownOrigins }: OutboundOptions): Place => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.username !== '' || url.password !== '')
    throw fieldError('url', 'must be a whole URL without a user name or password');
  url.hash = '';
  if (isOwnOrigin(ownOrigins, url)) {
    if (url.origin === ownOrigins()[0] && url.pathname.startsWith('/sandbox/')) return { url };
    throw fieldError('url', 'this is the treasury itself, which pays nobody for its own answers');
  }
  if (allowOrigins.includes(url.origin)) return { url };
  if (url.protocol !== 'https:')
    throw fieldError('url', 'must be https (on the sandbox, see --allow-origin)');
  const refusal = (): AppError => fieldError('url', `${url.hostname} is not a public internet address`);
  const host = bareHost(url);
  // A literal address is never looked up.
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw refusal();
  return { url, lookup: publicLookup(refusal) };
};
