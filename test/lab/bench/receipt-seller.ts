// A seller of one item for 0.01 USDC behind the paywall that ships with the product, in a process of its own: Express,
// receipts bound to their requests, grants on disk. Arguments: the chain's RPC, the payee, a folder.
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createGrantStore } from '../../../server/paywall/grant-store.ts';
import { paywall } from '../../../server/paywall/paywall.ts';

const [rpcUrl = '', recipient = '', folder = ''] = process.argv.slice(2);
const store = createGrantStore(join(folder, 'grants.db'));
const app = express();
app.use(paywall({ price: '0.01', recipient, rpcUrl, network: 'sandbox', store }));
app.get('/weather', (request, response) => {
  response.json({ method: request.method, url: request.originalUrl });
});
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => {
  store.close();
  process.exit(0);
});
