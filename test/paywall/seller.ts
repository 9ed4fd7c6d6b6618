// The tests' sellers, and the requests of a buyer to them.
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import { createGrantStore } from '../../server/paywall/store/grant-store.ts';
import { paywall } from '../../server/paywall/paywall.ts';
import type { Payment, PaywallOptions } from '../../server/paywall/types.ts';
import { price } from '../x402/market.ts';
import type { Market } from '../x402/market.ts';

export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

export const listen = async (listener: RequestListener): Promise<{ url: string; server: Server }> => {
  const server = createServer({ maxHeaderSize: 512 * 1024 }, listener);
  // Seller and buyer share an event loop, where timers come before I/O: after a busy spell the server would close an
  // idle connection on which a request has just been sent, and the buyer would see ECONNRESET.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
};

export const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

export const ask = async (url: string, header?: string | null, init: RequestInit = {}): Promise<Answer> => {
  const headers = new Headers(init.headers);
  if (typeof header === 'string') headers.set('x-payment', header);
  const response = await fetch(url, { ...init, headers });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Answer['body'],
  };
};

export interface Shop {
  url: string;
  /** A receipt has to name an invoice. */
  forecast: string;
  /** Accepts receipts without an invoice, too. */
  loose: string;
  /** As `forecast`, with a JSON parser behind the paywall. */
  orders: string;
  options: PaywallOptions;
  store: ReturnType<typeof createGrantStore>;
  close(): Promise<void>;
}

export const openShop = async (market: Market, more: Partial<PaywallOptions> = {}): Promise<Shop> => {
  const store = createGrantStore(join(market.dataDir, 'grants.db'));
  const recipient = market.seller.publicKey.toBase58();
  const base = { price, recipient, rpcUrl: market.rpcUrl, network: 'sandbox' as const, store };
  const options: PaywallOptions = { ...base, visibleWithinMs: 0, ...more };
  const app = express();
  app.get('/forecast', paywall(options), (_, response) => {
    response.json({ sun: true, payment: response.locals['payment'] as Payment });
  });
  app.get('/loose', paywall({ ...options, bind: 'optional' }), (_, response) => {
    response.json({ sun: true });
  });
  app.all('/orders', paywall(options), express.json({ limit: '1mb' }), (request, response) => {
    response.json({ ordered: request.body as unknown });
  });
  const { url, server } = await listen(app);
  return {
    url,
    forecast: `${url}/forecast?city=Oslo`,
    loose: `${url}/loose`,
    orders: `${url}/orders`,
    options,
    store,
    close: async () => {
      await closeServer(server);
      store.close();
    },
  };
};

/** Asks without paying; returns the invoice of the 402. */
export const quote = async (url: string, init: RequestInit = {}): Promise<string> => {
  const { status, body } = await ask(url, null, init);
  if (status !== 402 || typeof body['invoice'] !== 'string') throw new Error(`no quote: ${status}`);
  return body['invoice'];
};

export const refused = (answer: Answer): { status: number; code: unknown } => ({
  status: answer.status,
  code: answer.body['code'],
});
