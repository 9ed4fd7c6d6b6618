// A shop that sells in every dialect on a chain of its own, and the official clients, each a process of its own.
import { join } from 'node:path';
import express from 'express';
import { createGrantStore } from '../../server/paywall/store/grant-store.ts';
import { paywall } from '../../server/paywall/paywall.ts';
import type { Payment, PaywallOptions } from '../../server/paywall/types.ts';
import { startPeer, type Peer, type PeerName } from '../harness/programs/peers.ts';
import { createMarket, price, type Market } from '../x402/market.ts';
import { closeServer, listen } from './seller.ts';

/** The answer of an official client's program. */
export interface Fetched {
  status: number;
  body: string;
  settlement: Record<string, unknown> | null;
  /** The headers of its last request. */
  sent: Record<string, string>;
  ms: number;
}

export const clients = { 'x402-v2': 'x402-v2', 'x402-v1': 'x402-v1', mpp: 'mpp' } as const satisfies Record<
  string,
  PeerName
>;
export type ClientName = keyof typeof clients;

export interface Bazaar {
  market: Market;
  facilitator: Peer;
  url: string;
  options: PaywallOptions;
  store: ReturnType<typeof createGrantStore>;
  /** Payments that handlers were given, in their order. */
  served: Payment[];
  client(name: ClientName): Promise<Peer>;
  buy(name: ClientName, url: string): Promise<Fetched>;
  close(): Promise<void>;
}

export const openBazaar = async (more: Partial<PaywallOptions> = {}): Promise<Bazaar> => {
  const market = await createMarket();
  const { rpcUrl } = market;
  const facilitator = more.settle ? null : await startPeer('x402-v2', 'facilitator', { rpcUrl });
  if (more.settle) await market.fundSol(more.settle.feePayer.address);
  const store = createGrantStore(join(market.dataDir, 'grants.db'));
  const options: PaywallOptions = {
    price,
    recipient: market.seller.publicKey.toBase58(),
    rpcUrl,
    network: 'sandbox',
    store,
    ...(facilitator && { facilitator: String(facilitator.says['url']) }),
    rpcTimeoutMs: 60_000,
    ...more,
  };
  const served: Payment[] = [];
  const app = express();
  app.get('/front', (_, response) => void response.send('open'));
  app.all('/{*any}', paywall(options), (request, response) => {
    const payment = response.locals['payment'] as Payment;
    served.push(payment);
    response.json({ url: request.originalUrl, payment });
  });
  const { url, server } = await listen(app);
  const peers = new Map<ClientName, Promise<Peer>>();
  const client = (name: ClientName): Promise<Peer> => {
    const known = peers.get(name);
    if (known !== undefined) return known;
    const pull = options.settle !== undefined;
    const started = startPeer(clients[name], 'client', { rpcUrl, units: '100000000', pull });
    peers.set(name, started);
    return started;
  };
  return {
    market,
    get facilitator() {
      if (facilitator === null) throw new Error('this seller settles by itself');
      return facilitator;
    },
    url,
    options,
    store,
    served,
    client,
    buy: async (name, target) => (await client(name)).ask<Fetched>(target),
    async close() {
      for (const peer of peers.values()) await (await peer).end();
      await facilitator?.end();
      await closeServer(server);
      store.close();
      await market.close();
    },
  };
};
