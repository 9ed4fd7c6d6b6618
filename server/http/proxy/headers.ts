// The headers that pass the proxy, in both directions.
import type { AnswerReader, SellerRequest } from '../../engine/ports.ts';
import type { DoorName } from '../../lib/net/public-url.ts';
import { isOfATunnel } from '../tunnel-headers.ts';
import { placeThroughProxy, type Place } from './place.ts';

type Head = Parameters<AnswerReader['begin']>[0];
type Pair = [name: string, value: string];

/** Of one connection; RFC 9110, 7.6.1. */
const ofOneConnection = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];
/** Ours, or those of our own connection. */
const ofOurRequest = new Set([...ofOneConnection, 'host', 'content-length', 'expect']);
/** A seller must not act on the dashboard's origin, from which its answer comes. */
const notOnOurOrigin = new Set([
  ...ofOneConnection,
  'set-cookie',
  'service-worker-allowed',
  'clear-site-data',
  'strict-transport-security',
  'alt-svc',
  'refresh',
  'report-to',
  'nel',
  'content-security-policy',
  'x-content-type-options',
]);

/** Headers that `Connection` names are those of the connection as well. */
const namedIn = (connection: string): Set<string> =>
  new Set(connection.split(',').map((name) => name.trim().toLowerCase()));

/**
 * The headers that go on to the seller, in their order and spelling.
 * @param rawHeaders names and values in turn, as Node has them
 * @param keys the headers that hold our API key, in lower case
 * @param door by which the request came
 */
export const headersForSeller = (
  rawHeaders: readonly string[],
  keys: ReadonlySet<string>,
  door: DoorName,
): SellerRequest['headers'] => {
  const pairs = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : [],
  );
  const named = namedIn(
    pairs.flatMap(([name, value]) => (name.toLowerCase() === 'connection' ? [value] : [])).join(','),
  );
  const spelled = new Map<string, string>();
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const low = name.toLowerCase();
    if (keys.has(low) || low.startsWith('x-treasury-') || ofOurRequest.has(low) || named.has(low)) continue;
    // Many are others for each request, so that a repetition would be another purchase.
    if (door === 'public' && isOfATunnel(low)) continue;
    const first = spelled.get(low) ?? name;
    spelled.set(low, first);
    values.set(first, [...(values.get(first) ?? []), value]);
  }
  return Object.fromEntries(
    [...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]),
  );
};

/** The headers of a seller's answer that its client gets, and ours. */
export const headersForClient = ({ headers, payment }: Head, place: Place, door: DoorName): Pair[] => {
  const named = namedIn(headers['connection'] ?? '');
  const isPrivate = payment !== null || door === 'public';
  const passes = ([name]: Pair): boolean =>
    !notOnOurOrigin.has(name) &&
    !named.has(name) &&
    !(payment !== null && name === 'x-should-retry') &&
    !name.startsWith('access-control-') &&
    !(isPrivate && forCaches.test(name));
  const sellers = Object.entries(headers).filter(passes).flatMap(throughProxy(place));
  const caching = isPrivate ? [['Cache-Control', cachingOf(headers, door)] as Pair] : [];
  const ours: Pair[] = [
    ...caching,
    ['Content-Security-Policy', "sandbox; default-src 'none'"],
    ['X-Content-Type-Options', 'nosniff'],
    // Without it, an answer is the treasury's own.
    ['X-Treasury-From', 'seller'],
    ...(payment === null ? [] : paymentHeaders(payment, headers)),
  ];
  return [...(payment === null ? sellers : bounded(sellers, ours)), ...ours];
};

/** A redirect's place, also that of a paid one. */
const throughProxy =
  (place: Place) =>
  ([name, value]: Pair): Pair[] => {
    if (name !== 'location' && name !== 'x-treasury-location') return [[name, value]];
    const through = placeThroughProxy(value, place);
    return through === null ? [] : [[name, through]];
  };

/** By these, a cache between us and the client keeps an answer, or a server there gives away a file of its own. */
const forCaches =
  /^(?:(?:.*-)?cache-control|surrogate-control|edge-control|x-accel-(?:expires|redirect)|x-sendfile)$/;

/** RFC 9111: a cache does not know that X-Treasury-Key says whose an answer is. */
const cachingOf = (headers: Head['headers'], door: DoorName): string => {
  if (door === 'public') return 'no-store';
  const directives = (headers['cache-control'] ?? '').split(',').map((directive) => directive.trim());
  const others = directives.filter((one) => one !== '' && !/^(?:public|private|s-maxage)\b/i.test(one));
  return ['private', ...others].join(', ');
};

/** Node's clients take 16 KiB of a head, Python's 100 fields. Whoever cannot read it repeats the request. */
const most = { bytes: 7 * 1024, fields: 64 };
const sizeOf = ([name, value]: Pair): number => name.length + value.length + 4;

/** The seller’s headers that fit beside ours: first those that describe the body, then the shortest. */
const bounded = (sellers: readonly Pair[], ours: readonly Pair[]): Pair[] => {
  const isOfBody = ([name]: Pair): boolean => name.startsWith('content-');
  const kept = new Set<Pair>();
  let { bytes, fields } = most;
  for (const pair of ours) [bytes, fields] = [bytes - sizeOf(pair), fields - 1];
  for (const pair of sellers.toSorted(
    (a, b) => Number(isOfBody(b)) - Number(isOfBody(a)) || sizeOf(a) - sizeOf(b),
  )) {
    if (fields === 0 || sizeOf(pair) > bytes) continue;
    [bytes, fields] = [bytes - sizeOf(pair), fields - 1];
    kept.add(pair);
  }
  return sellers.filter((pair) => kept.has(pair));
};

/** No seller crowds out, or names in Connection, what says that this is no answer to repeat. */
const paymentHeaders = (
  { paymentId, amount, status }: NonNullable<Head['payment']>,
  headers: Head['headers'],
): Pair[] => [
  ['X-Treasury-Payment-Id', paymentId],
  ['X-Treasury-Payment-Amount', amount],
  ['X-Treasury-Payment-Status', status],
  ['x-should-retry', headers['x-should-retry'] ?? 'false'],
];
