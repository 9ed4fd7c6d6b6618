// Turns an item of a facilitator's list into a catalog entry, if we can pay it and its place is allowed.
import { hash } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { usdcMints } from '../contract/treasury/networks.ts';
import { isPublicAddress } from '../lib/net/public-host.ts';
import type { ListedItem } from '../engine/ports.ts';
import { formatUsdc, usdc } from '../money.ts';
import { isOwnOrigin, type OwnOrigins } from '../lib/net/public-url.ts';
import { addressSchema } from '../lib/solana/solana-address.ts';
import { bareHost } from '../lib/net/bare-host.ts';

export interface ItemRules {
  network: Config['network'];
  /** Origins on this machine that are accepted, also over plain HTTP. */
  allowOrigins: readonly string[];
  /** This host's own origin, which no list may describe. */
  ownOrigins: OwnOrigins;
  /** Unix milliseconds: later update times are cut to it. */
  now: number;
}

type ReadItem =
  | ({ kind: 'entry' } & ListedItem)
  /** It offers nothing in USDC, on this network, and in a scheme that we can pay. */
  | { kind: 'not-payable' }
  /** It cannot be read, or its place must not be asked. */
  | { kind: 'unusable' };

const mainnet = ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'solana'];
/** x402's names, of version 2 and 1. The sandbox uses mainnet's, as it uses its mint. */
const networkIds: Readonly<Record<Config['network'], readonly string[]>> = {
  sandbox: mainnet,
  mainnet,
  devnet: ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'solana-devnet'],
};

const maybe = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);
const word = maybe(z.string().max(100_000));
const method = maybe(z.string().regex(/^(GET|POST|PUT|PATCH|DELETE|HEAD)$/i));
const amount = maybe(z.string().regex(/^[1-9][0-9]{0,15}$/));
const input = maybe(z.object({ input: maybe(z.object({ method })) }));

const acceptsSchema = z.object({
  scheme: z.literal('exact'),
  network: z.string(),
  asset: z.string(),
  payTo: addressSchema,
  amount,
  maxAmountRequired: amount,
  outputSchema: input,
  description: word,
});
const itemSchema = z.object({
  resource: z.string().max(2_000),
  type: z.literal('http').optional(),
  accepts: z.array(z.unknown()).max(1_000),
  lastUpdated: maybe(z.union([z.number(), z.string()])),
  description: word,
  serviceName: word,
  tags: maybe(z.array(z.unknown())),
  method,
  metadata: maybe(z.object({ description: word, name: word, method, input: maybe(z.object({ method })) })),
  extensions: maybe(z.object({ bazaar: maybe(z.object({ info: input })) })),
});
type Item = z.output<typeof itemSchema>;
type Payable = z.output<typeof acceptsSchema> & { units: bigint };

/** Reads any item; never throws. */
export const readItem = (given: unknown, rules: ItemRules): ReadItem => {
  const { data: item } = itemSchema.safeParse(given);
  const url = item === undefined ? null : placeOf(item.resource, rules);
  if (item === undefined || url === null) return { kind: 'unusable' };
  const payable = payableOf(item, rules.network);
  const [cheapest] = payable;
  if (cheapest === undefined) return { kind: 'not-payable' };
  const path = url.pathname.replace(/\/+$/, '');
  const about = item.description ?? item.metadata?.description ?? cheapest.description ?? '';
  return {
    kind: 'entry',
    updatedAt: Math.min(timeOf(item.lastUpdated), rules.now),
    entry: {
      id: shortened(`${url.host}${path}`),
      name: plain(item.serviceName ?? item.metadata?.name ?? '', 80) || plain(`${url.host}${path}`, 80),
      description: plain(about, 280),
      category: categoryOf(item),
      source: 'x402-marketplace',
      endpoint: `${methodOf(item, payable)} ${path === '' ? '/' : path}`,
      origin: url.origin,
      payees: [...new Set(payable.map(({ payTo }) => payTo))],
      pricing: {},
      price: formatUsdc(usdc(cheapest.units)),
      vouched: false,
    },
  };
};

const placeOf = (resource: string, { allowOrigins, ownOrigins }: ItemRules): URL | null => {
  if (!URL.canParse(resource)) return null;
  const url = new URL(resource);
  if (url.username !== '' || url.password !== '' || isOwnOrigin(ownOrigins, url)) return null;
  if (allowOrigins.includes(url.origin)) return url;
  const host = bareHost(url);
  const isPublic = isIP(host) === 0 ? /\.[^.\d][^.]*$/.test(host) : isPublicAddress(host);
  return url.protocol === 'https:' && isPublic ? url : null;
};

/** The offers that we can pay, cheapest first. */
const payableOf = ({ accepts }: Item, network: Config['network']): Payable[] =>
  accepts
    .flatMap((one): Payable[] => {
      const { data } = acceptsSchema.safeParse(one);
      const units = data?.amount ?? data?.maxAmountRequired;
      if (data === undefined || units === undefined || data.asset !== usdcMints[network]) return [];
      return networkIds[network].includes(data.network) ? [{ ...data, units: BigInt(units) }] : [];
    })
    .toSorted((a, b) => (a.units < b.units ? -1 : a.units > b.units ? 1 : 0));

const methodOf = ({ method: said, metadata, extensions }: Item, payable: readonly Payable[]): string =>
  (
    said ??
    extensions?.bazaar?.info?.input?.method ??
    payable.find(({ outputSchema }) => outputSchema?.input?.method)?.outputSchema?.input?.method ??
    metadata?.method ??
    metadata?.input?.method ??
    'GET'
  ).toUpperCase();

const categoryOf = ({ tags = [] }: Item): string => {
  const words = tags.flatMap((tag) => (typeof tag === 'string' ? [plain(tag, 30).toLowerCase()] : []));
  return (
    words
      .filter((one) => one !== '')
      .slice(0, 2)
      .join(' ') || 'api'
  );
};

/** Takes seconds, milliseconds or ISO 8601; returns Unix milliseconds, or 0 for anything else. */
const timeOf = (said: string | number | undefined): number => {
  const number = typeof said === 'string' && !/^\d{9,16}$/.test(said) ? Date.parse(said) : Number(said);
  if (!Number.isFinite(number) || number < 0) return 0;
  // 100,000,000,000 is the year 5138 in seconds and 1973 in milliseconds.
  return Math.floor(number < 100_000_000_000 && !isDate(said) ? number * 1_000 : number);
};
const isDate = (said: unknown): boolean => typeof said === 'string' && !/^\d+$/.test(said);

/** An id has at most 200 characters; a hash keeps longer ones apart. */
const shortened = (text: string): string =>
  text.length <= 200 ? text : `${text.slice(0, 175)}~${hash('sha256', text).slice(0, 24)}`;

/** Control and bidirectional characters could make one text look like another to the owner. */
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\s]+/gu;
const plain = (text: string, most: number): string => {
  const clean = text
    .slice(0, 4 * most)
    .replace(hidden, ' ')
    .trim();
  if (clean.length <= most) return clean;
  // Do not cut a surrogate pair in two.
  return `${clean
    .slice(0, most - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`;
};
