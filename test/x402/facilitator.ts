// A facilitator's list of paid APIs, over real HTTP on this machine: answers like the official ones, and hostile ones.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import bs58 from 'bs58';

export const usdcMint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
export const mainnetId = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

/** The same address for the same name. */
export const walletOf = (name: string): string => bs58.encode(createHash('sha256').update(name).digest());

export interface Asked {
  limit: number;
  offset: number;
  path: string;
  query: string;
}
type Items = readonly unknown[];

export interface Facilitator {
  url: string;
  origin: string;
  asked: Asked[];
  /** Sets the items that it lists from now on. */
  list(items: Items): void;
  /** Handles a request itself from now on; false for the usual answer. */
  answer(how: ((asked: Asked, response: ServerResponse) => boolean | Promise<boolean>) | null): void;
  close(): Promise<void>;
}

/** Serves `items` as the official facilitators do, at most 100 at a time. */
export const startFacilitator = async (items: Items = []): Promise<Facilitator> => {
  let listed = items;
  let how: Parameters<Facilitator['answer']>[0] = null;
  const asked: Asked[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://x');
    const [limit, offset] = ['limit', 'offset'].map((name) => Number(url.searchParams.get(name)));
    const one = { limit: limit ?? 0, offset: offset ?? 0, path: url.pathname, query: url.search };
    asked.push(one);
    if (await how?.(one, response)) return;
    sendPage(response, listed, one);
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/platform/v2/x402`,
    origin,
    asked,
    list: (next) => void (listed = next),
    answer: (next) => void (how = next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

export const sendPage = (response: ServerResponse, items: Items, { limit, offset }: Asked): void => {
  const page = items.slice(offset, offset + Math.min(limit, 100));
  sendJson(response, {
    x402Version: 2,
    items: page,
    pagination: { limit, offset, total: items.length },
  });
};

export const sendJson = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};

/** An item as version 2 of the official packages lists it. */
export const v2Item = (name: string, change: Record<string, unknown> = {}) => ({
  resource: `https://${name}.example/v2/data`,
  type: 'http',
  x402Version: 2,
  accepts: [accept(`payee of ${name}`)],
  lastUpdated: '2026-10-01T12:00:00.000Z',
  description: `What ${name} knows, as JSON.`,
  mimeType: 'application/json',
  serviceName: `Service ${name}`,
  tags: ['Weather', 'forecast', 'third'],
  extensions: {
    bazaar: { info: { input: { type: 'http', method: 'POST', bodyType: 'json', body: {} } }, schema: {} },
  },
  ...change,
});

export const accept = (payee: string, change: Record<string, unknown> = {}) => ({
  scheme: 'exact',
  network: mainnetId,
  asset: usdcMint,
  amount: '10000',
  payTo: walletOf(payee),
  maxTimeoutSeconds: 60,
  extra: { feePayer: walletOf('facilitator') },
  ...change,
});

/** An item as version 1 lists it. */
export const v1Item = (name: string, change: Record<string, unknown> = {}) => ({
  resource: `https://${name}.example/v1/data`,
  type: 'http',
  x402Version: 1,
  accepts: [
    {
      scheme: 'exact',
      network: 'solana',
      asset: usdcMint,
      maxAmountRequired: '2500',
      payTo: walletOf(`payee of ${name}`),
      resource: `https://${name}.example/v1/data`,
      description: `What ${name} knew.`,
      mimeType: '',
      maxTimeoutSeconds: 60,
      outputSchema: { input: { type: 'http', method: 'get' }, output: null },
      extra: { feePayer: walletOf('facilitator') },
    },
  ],
  lastUpdated: 1_790_000_000,
  metadata: {},
  ...change,
});

/** An item for Ethereum, like most on real lists. */
export const evmItem = (name: string) =>
  v2Item(name, {
    accepts: [
      accept('x', {
        network: 'eip155:8453',
        asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
      }),
    ],
  });
