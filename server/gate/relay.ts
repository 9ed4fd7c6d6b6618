// Passes a request on to the server behind the gate, and its answer back, as they came: raw headers in their order, bytes as
// they are, both ways at the speed of the slower side.
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { bareHost } from '../lib/net/bare-host.ts';

export interface Upstream {
  /** Scheme and host. */
  origin: URL;
  /** Set on each request, in place of the client's. */
  headers: Readonly<Record<string, string>>;
  /** Whether the gate answers for CORS. */
  ownCors: boolean;
  /** How long it may keep silent. */
  silentMs: number;
}

/** How it went. Nothing was answered yet when it `failed`; `cut` short, a part was. */
export type Passed = { status: number } | { failed: string } | { cut: string } | 'gone';

const hopByHop =
  /^(connection|keep-alive|proxy-connection|proxy-authenticate|proxy-authorization|te|trailer|transfer-encoding|upgrade)$/;
const ofPayments =
  /^(x-payment|payment-signature|payment-required|payment-response|x-payment-response|payment-receipt)$/;

const agents = {
  'http:': new HttpAgent({ keepAlive: true }),
  'https:': new HttpsAgent({ keepAlive: true }),
};

type Pairs = readonly (readonly [name: string, value: string])[];

const pairsOf = (raw: readonly string[]): Pairs =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));

/** Without those that belong to one connection, or to the payment. */
const kept = ({ rawHeaders, headers }: IncomingMessage): Pairs => {
  const named = new Set((headers.connection ?? '').toLowerCase().split(/\s*,\s*/));
  // Without its length, a body behind a GET would reach the other side as a request of its own, which nobody paid for.
  named.delete('content-length');
  return pairsOf(rawHeaders).filter(([name, value]) => {
    const lower = name.toLowerCase();
    if (named.has(lower) || hopByHop.test(lower) || ofPayments.test(lower)) return false;
    return !(/^(www-authenticate|authorization)$/.test(lower) && /^payment( |$)/i.test(value));
  });
};

const onwardHeaders = (request: IncomingMessage, { origin, headers }: Upstream): string[] => {
  const own = new Set(['host', 'expect', ...Object.keys(headers).map((name) => name.toLowerCase())]);
  const chunked =
    request.headers['transfer-encoding'] === undefined ? [] : [['transfer-encoding', 'chunked']];
  return [
    ['host', origin.host],
    // Some servers take an underscore for a hyphen.
    ...kept(request).filter(([name]) => !own.has(name.toLowerCase().replaceAll('_', '-'))),
    ...Object.entries(headers),
    ...chunked,
  ].flat();
};

/** Of the request that this answers, whose body the paywall may have read. */
export const relay = (response: ServerResponse<IncomingMessage>, upstream: Upstream): Promise<Passed> =>
  new Promise((resolve) => {
    const request: IncomingMessage & { rawBody?: Buffer } = response.req;
    if (response.destroyed) return resolve('gone');
    const { silentMs } = upstream;
    const onward = open(request, upstream, hasBody(request) || request.payment !== undefined);
    response.once('close', () => {
      if (response.writableFinished) return;
      onward.destroy();
      resolve('gone');
    });
    onward.once('timeout', () => {
      // A client that reads no further keeps the other side silent.
      if (response.writableNeedDrain) response.destroy();
      else onward.destroy(new Error(`silent for ${silentMs / 1_000} seconds`));
    });
    onward.once('error', (error) => {
      if (!response.headersSent) return resolve({ failed: error.message });
      response.destroy();
      resolve({ cut: error.message });
    });
    onward.once('response', (answer) => {
      passBack(answer, response, upstream).then(resolve, ({ message }: Error) =>
        resolve({ failed: message }),
      );
    });
    if (request.rawBody === undefined) request.pipe(onward);
    else onward.end(request.rawBody);
  });

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;

/**
 * A paid request gets a connection of its own: one that the other side closes while it is idle would cost the payment. So
 * does one with a body: a server that leaves the body unread would take it for the next request, which nobody paid for.
 */
const open = (request: IncomingMessage, upstream: Upstream, isAlone: boolean): ClientRequest => {
  const { protocol, port } = upstream.origin;
  const isSecure = protocol === 'https:';
  return (isSecure ? requestHttps : requestHttp)({
    protocol,
    hostname: bareHost(upstream.origin),
    port,
    path: request.url,
    method: request.method,
    headers: onwardHeaders(request, upstream),
    agent: isAlone ? false : agents[isSecure ? 'https:' : 'http:'],
    timeout: upstream.silentMs,
  });
};

/** Rejects before anything was answered, for an answer that cannot be passed on. */
const passBack = async (
  answer: IncomingMessage,
  response: ServerResponse,
  { ownCors }: Upstream,
): Promise<Passed> => {
  const status = answer.statusCode ?? 502;
  const vary = response.getHeader('vary');
  const headers = [
    ...kept(answer).filter(([name]) => !(ownCors && /^access-control-/i.test(name))),
    ...(vary === undefined ? [] : [['vary', String(vary)] as const]),
  ];
  // What was bought is for its buyer: a shared cache would give it to others.
  if (response.req.payment !== undefined && answer.headers['cache-control'] === undefined)
    response.setHeader('cache-control', 'no-store');
  response.writeHead(status, answer.statusMessage ?? '', headers.flat());
  // Node would write them as UTF-8 here, and as the bytes that came with the first part of the body.
  if (headers.every(([, value]) => /^[\x20-\x7e\t]*$/.test(value))) response.flushHeaders();
  return new Promise((resolve) => {
    answer.once('end', () => {
      response.addTrailers(pairsOf(answer.rawTrailers) as [string, string][]);
      response.end();
      resolve({ status });
    });
    answer.once('error', ({ message }) => {
      response.destroy();
      resolve({ cut: message });
    });
    answer.pipe(response, { end: false });
  });
};
