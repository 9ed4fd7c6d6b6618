// A seller of one item for 0.01 USDC behind the paywall that ships with the product, in a process of its own: Express,
// receipts bound to their requests, grants on disk. Arguments: the chain's RPC, the payee, a folder, and the URL of a
// facilitator, with which it sells in x402 too and reads this machine's clock, as on a public network; "plain" for node:http.
import { join } from 'node:path';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createGrantStore } from '../../../../server/paywall/store/grant-store.ts';
import { paywall } from '../../../../server/paywall/paywall.ts';

const [rpcUrl = '', recipient = '', folder = '', facilitator, kind] = process.argv.slice(2);
const store = createGrantStore(join(folder, 'grants.db'));
const x402 = facilitator === undefined ? {} : { facilitator, now: Date.now };
// How fast a busy chain answers is not the question here.
const patient = { rpcTimeoutMs: 60_000 };
const paid = paywall({ price: '0.01', recipient, rpcUrl, network: 'sandbox', store, ...patient, ...x402 });

const withExpress = (): RequestListener => {
  const app = express();
  app.use(paid);
  app.get('/weather', (request, response) => {
    response.json({ method: request.method, url: request.originalUrl });
  });
  return app;
};
const plain: RequestListener = (request, response) =>
  void paid(request, response, () =>
    response.end(JSON.stringify({ method: request.method, url: request.url })),
  );

const server = createServer({ noDelay: true }, kind === 'plain' ? plain : withExpress());
// A busy buyer may send on a connection that is just being closed for having been idle.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => {
  store.close();
  process.exit(0);
});
