// A seller's own list: the OpenAPI document of its origin, whose paid operations name a price (`x-payment-info`). Such a
// document does not say who is paid: each operation is asked once, unpaid, and its 402 says so.
import { z } from 'zod';
import type { Config } from '../config.ts';
import { usdcMints, x402Networks } from '../contract/treasury/networks.ts';
import type { Offer, Sellers } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import { jsonIn } from '../lib/base64-json.ts';
import type { Outbound } from '../x402/outbound.ts';
import type { BazaarPage } from './bazaar-list.ts';

export interface OpenApiOptions {
  outbound: Outbound;
  sellers: Pick<Sellers, 'ask' | 'offers'>;
  network: Config['network'];
  /** Of the source, without a trailing slash. */
  url: string;
  /** Operations that were read before. */
  offset: number;
  signal?: AbortSignal;
}

/** Each is one more request to the seller. */
const mostOperations = 200;

const documentSchema = z.object({
  info: z.object({ title: z.string().optional() }).catch({}),
  servers: z.array(z.object({ url: z.string() })).catch([]),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});
const operationSchema = z.object({
  'x-payment-info': z.looseObject({}),
  summary: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
});

/** @throws AppError `not_available` when there is no such document */
export const readOpenApi = async function* (options: OpenApiOptions): AsyncGenerator<BazaarPage, void> {
  const { outbound, url, offset, signal } = options;
  const request = { url: `${url}/openapi.json`, headers: { accept: 'application/json' } };
  const { status, bytes } = await outbound({ ...request, ...(signal && { signal }) });
  const { data } = documentSchema.safeParse(status === 200 ? jsonIn(bytes.toString('utf8')) : null);
  if (data === undefined) throw new AppError('not_available', `${url} has no list, and no openapi.json.`);
  const all = operationsIn(data, url);
  const operations = all.slice(0, mostOperations);
  if (operations.length <= offset)
    yield { items: [], next: offset, total: operations.length, skipped: 0, end: { isWhole: true } };
  for (const [at, one] of operations.entries()) {
    if (at < offset) continue;
    const item = await itemOf(options, one, data.info.title);
    const page = { items: item === null ? [] : [item], next: at + 1, total: operations.length };
    const isLast = at + 1 === operations.length;
    const end = all.length > operations.length ? tooMany : ({ isWhole: true } as const);
    yield { ...page, skipped: item === null ? 1 : 0, end: isLast ? end : null };
  }
};

const tooMany = {
  isWhole: false,
  why: `It lists more than ${mostOperations} paid operations: those after were not read.`,
} as const;

interface Operation {
  method: 'GET' | 'POST';
  path: string;
  url: string;
  about: string;
}

/** Those that are paid for, and whose address needs no value of a buyer's. */
const operationsIn = (
  { servers: [server], paths }: z.output<typeof documentSchema>,
  url: string,
): Operation[] => {
  const given = server !== undefined && URL.canParse(server.url, url) ? new URL(server.url, url) : null;
  const base = given?.origin === new URL(url).origin ? given.href : url;
  return Object.entries(paths).flatMap(([path, operations]) =>
    (['GET', 'POST'] as const).flatMap((method): Operation[] => {
      const { data } = operationSchema.safeParse(operations[method.toLowerCase()]);
      const place = `${base.replace(/\/$/, '')}${path}`;
      if (data === undefined || !/^\/[^{}]*$/.test(path) || !URL.canParse(place)) return [];
      return [{ method, path, url: place, about: data.description ?? data.summary ?? '' }];
    }),
  );
};

/** In the form of a facilitator's list; null for what does not answer 402 with an offer that we can pay. */
const itemOf = async (
  { sellers, network, signal }: OpenApiOptions,
  { method, path, url, about }: Operation,
  title: string | undefined,
): Promise<object | null> => {
  try {
    const request = { url, method, headers: { accept: 'application/json' }, body: null };
    const answer = await sellers.ask(request, signal && { signal });
    if (answer.status !== 402) return null;
    const accepts = sellers.offers(answer, url).map((offer) => acceptOf(offer, network));
    return {
      resource: url,
      method,
      accepts,
      description: about,
      ...(title && { serviceName: `${title} ${path}` }),
    };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof AppError && error.code !== 'halted') return null;
    throw error;
  }
};

const acceptOf = ({ payee, amount }: Offer, network: Config['network']): object => ({
  scheme: 'exact',
  network: x402Networks[network].v2,
  asset: usdcMints[network],
  payTo: payee,
  amount: String(amount),
});
