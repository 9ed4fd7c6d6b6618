// The headers that pass the proxy, in both directions.
import type { AnswerReader, SellerRequest } from '../../engine/ports.ts';
import type { DoorName } from '../../lib/public-url.ts';
import { isOfATunnel } from '../tunnel-headers.ts';
import { placeThroughProxy, type Place } from './place.ts';

type Head = Parameters<AnswerReader['begin']>[0];

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
  'location',
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
export const headersForClient = ({ headers, payment }: Head, place: Place): [string, string][] => {
  const named = namedIn(headers['connection'] ?? '');
  const passes = ([name]: [string, string]): boolean =>
    !notOnOurOrigin.has(name) && !named.has(name) && !/^(?:access-control|x-treasury)-/.test(name);
  const location = headers['location'] === undefined ? null : placeThroughProxy(headers['location'], place);
  return [
    ...Object.entries(headers).filter(passes),
    ...(location === null ? [] : [['Location', location] as [string, string]]),
    ['Content-Security-Policy', "sandbox; default-src 'none'"],
    ['X-Content-Type-Options', 'nosniff'],
    // Without it, an answer is the treasury's own.
    ['X-Treasury-From', 'seller'],
    ...(payment === null ? [] : paymentHeaders(payment)),
  ];
};

const paymentHeaders = ({ paymentId, amount, status }: NonNullable<Head['payment']>): [string, string][] => [
  ['X-Treasury-Payment-Id', paymentId],
  ['X-Treasury-Payment-Amount', amount],
  ['X-Treasury-Payment-Status', status],
];
