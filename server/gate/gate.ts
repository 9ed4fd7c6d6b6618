// A paid front for a server in any language: finds the route of each request, lets the paywall judge it, and passes it on.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { bareHost } from '../lib/net/bare-host.ts';
import { discovery, type About, type Discovery } from '../paywall/discovery.ts';
import { paywall } from '../paywall/paywall.ts';
import type { Route } from '../paywall/route.ts';
import { createTransactionReader } from '../paywall/transaction-reader.ts';
import type { GrantStore, KeySigner, Paywall, Signer } from '../paywall/types.ts';
import { optionsOf, type GateFile } from './file.ts';
import { relay, type Passed, type Upstream } from './relay.ts';
import { inOrder, overrideIn, readTarget, withPath } from './target.ts';

export interface GateKeys {
  /** Signs refunds. */
  refunds: Signer | null;
  /** Pays the fees of `settle: self`. */
  fees: KeySigner | null;
}

export interface GateDeps {
  store: GrantStore;
  keys: GateKeys;
  say: (text: string) => void;
}

export interface Gate {
  server: Server;
  /** Serves another file from now on; requests under way end as they began. @throws Error that names an option */
  use(file: GateFile, keys: GateKeys): void;
  /** Takes no more requests, and resolves when those under way and their refunds have ended. */
  drain(): Promise<void>;
}

type Sold = GateFile['routes'][number] & { paid: Paywall | null };

/** What the gate serves at a time. */
interface Serving extends GateDeps {
  /** Those under way. */
  refunds: Set<Promise<void>>;
  file: GateFile;
  sold: readonly Sold[];
  listing: Discovery;
  upstream: Upstream;
  health: () => Promise<object>;
}

export const createGate = (first: GateFile, { store, keys, say }: GateDeps): Gate => {
  const refunds = new Set<Promise<void>>();
  let serving = serve(first, { store, keys, say, refunds });
  const server = createServer({ maxHeaderSize: 32_768 }, (request, response) => {
    answer(serving, response).catch((error: unknown) => {
      say(`${about(request)} failed: ${(error as Error).message}`);
      if (response.headersSent) response.destroy();
      else send(response, 500, { code: 'internal', error: 'Internal error' });
    });
  });
  return {
    server,
    use(file, others) {
      serving = serve(file, { store, keys: others, say, refunds });
    },
    async drain() {
      await new Promise((resolve) => void server.close(resolve));
      await Promise.all(refunds);
    },
  };
};

const serve = (file: GateFile, deps: GateDeps & Pick<Serving, 'refunds'>): Serving => {
  const { about: said, upstream, upstreamHeaders, cors, routes } = file;
  const log = { warn: (details: object, text: string) => deps.say(`${text}${reasonIn(details)}`) };
  const options = { ...optionsOf(file, deps.keys.fees), store: deps.store, log };
  const listed: (Paywall | Route)[] = [];
  const sold = routes.map((one): Sold => {
    const { price, free: _, refundOn: __, ...given } = one;
    const route = given as Route;
    const paid = price === undefined ? null : paywall({ ...options, price, route });
    listed.push(paid ?? route);
    return { ...one, paid };
  });
  return {
    ...deps,
    file,
    sold: inOrder(sold),
    listing: discovery(
      { title: 'Paid API', ...said, ...('origin' in options ? { origin: options.origin } : {}) } as About,
      listed,
    ),
    upstream: { origin: upstream, headers: upstreamHeaders, ownCors: cors !== undefined, silentMs: 300_000 },
    health: createHealth(file, deps.store),
  };
};

const reasonIn = (details: object): string => {
  const { err } = details as { err?: unknown };
  return err instanceof Error ? `: ${(err.cause instanceof Error ? err.cause : err).message}` : '';
};

/** Without the query, which may be private. */
const about = ({ method, url }: IncomingMessage): string => `${method} ${url?.split('?')[0]}`;

const send = (response: ServerResponse, status: number, body: { code: string; error: string }): void => {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
  response.end(JSON.stringify(body));
};

const answer = async (serving: Serving, response: ServerResponse<IncomingMessage>): Promise<void> => {
  const request = response.req;
  const { file, sold, listing } = serving;
  const target = readTarget(request.url ?? '');
  const override = overrideIn(request.headers);
  if ('refused' in target) return send(response, 400, { code: 'bad_target', error: target.refused });
  if (override !== undefined)
    return send(response, 400, { code: 'bad_header', error: `${override} is not taken` });
  const there = withPath(sold, target);
  if (allowPages(file, there, response)) return;
  if (request.url?.split('?')[0] === '/healthz') {
    response.setHeader('content-type', 'application/json');
    return void response.end(JSON.stringify(await serving.health()));
  }
  let isListing = true;
  listing(request, response, () => (isListing = false));
  if (isListing) return;
  const one = there.find(({ method }) => method === request.method);
  if (one === undefined && there.length > 0) {
    response.setHeader('allow', there.map(({ method }) => method).join(', '));
    return send(response, 405, { code: 'wrong_method', error: `${request.method} is not served here` });
  }
  if (one === undefined) return send(response, 404, notFound);
  const { paid } = one;
  if (paid !== null && !(await isPaid(paid, response))) return;
  settleUp(serving, one, response, await relay(response, serving.upstream));
};

const notFound = {
  code: 'not_found',
  error: 'Nothing is served at this path: /openapi.json lists what is',
  openapi: '/openapi.json',
};

const isPaid = (paid: Paywall, response: ServerResponse<IncomingMessage>): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const next = (error?: unknown): void => (error === undefined ? resolve(true) : reject(error as Error));
    paid(response.req, response, next).then(() => resolve(false), reject);
  });

/** Says what failed behind the gate, and sends the payment back where the file says so. */
const settleUp = (
  { keys, say, refunds }: Serving,
  { paid, refundOn }: Sold,
  response: ServerResponse<IncomingMessage>,
  passed: Passed,
): void => {
  const { payment } = response.req;
  if (passed !== 'gone' && 'failed' in passed) {
    const shown = payment && { payment: payment.paymentId, transaction: payment.txSignature };
    const error = 'The server behind this gate does not answer';
    send(response, 502, { code: 'upstream_failed', error, ...shown });
  }
  const status = passed === 'gone' ? 0 : 'status' in passed ? passed.status : 502;
  const isDue = refundOn.some(([from, to]) => from <= status && status <= to);
  if (payment === undefined || (!isDue && status > 0 && status < 500)) return;
  const { txSignature, amount, payer } = payment;
  const why = passed === 'gone' ? 'the client hung up' : Object.values(passed).join();
  say(`${about(response.req)}: paid and not served: ${why}. ${amount} USDC by ${payer} in ${txSignature}`);
  if (!isDue || paid === null || keys.refunds === null) return;
  const refund = paid.refund(payment, keys.refunds).then(
    (made) => say(`refund ${made.status}: ${made.txSignature} for ${txSignature}`),
    (error: unknown) => say(`${(error as Error).message}. It is due for ${txSignature}`),
  );
  refunds.add(refund);
  void refund.finally(() => refunds.delete(refund));
};

const exposed =
  'payment-required, payment-response, x-payment-response, payment-receipt, www-authenticate, retry-after';

/** Sets the headers of CORS. True for a preflight, which was answered. */
const allowPages = (
  { cors }: GateFile,
  there: readonly Sold[],
  response: ServerResponse<IncomingMessage>,
): boolean => {
  const { method, headers } = response.req;
  const { origin } = headers;
  if (cors === undefined || origin === undefined) return false;
  if (cors !== '*') response.setHeader('vary', 'Origin');
  if (cors !== '*' && !cors.includes(origin)) return false;
  response.setHeader('access-control-allow-origin', cors === '*' ? '*' : origin);
  response.setHeader('access-control-expose-headers', exposed);
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
  response.setHeader('access-control-allow-methods', there.map((one) => one.method).join(', '));
  response.setHeader('access-control-allow-headers', headers['access-control-request-headers'] ?? '');
  response.setHeader('access-control-max-age', '600');
  response.writeHead(204).end();
  return true;
};

const healthyMs = 2_000;

/** Asked at most once in two seconds, since anybody may ask. */
const createHealth = (file: GateFile, store: GrantStore): (() => Promise<object>) => {
  const { rpcUrl, network } = optionsOf(file, null);
  const reader = createTransactionReader({ rpcUrl, network: network as 'sandbox', timeoutMs: healthyMs });
  let known = { at: -Infinity, health: Promise.resolve<object>({}) };
  const ask = async (): Promise<object> => {
    const [rpc, kept, behind] = await Promise.all([
      does(reader.call('getLatestBlockhash', [])),
      does((async () => store.isUsed('health'))()),
      does(connects(file.upstream)),
    ]);
    return { rpc, store: kept, upstream: behind };
  };
  return () => {
    if (performance.now() - known.at > healthyMs) known = { at: performance.now(), health: ask() };
    return known.health;
  };
};

const does = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'answers',
    () => 'does not answer',
  );

const connects = async (url: URL): Promise<void> => {
  const given = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const socket = connect({ host: bareHost(url), port: given });
  socket.setTimeout(healthyMs, () => socket.destroy(new Error('silent')));
  await once(socket, 'connect');
  socket.destroy();
};
