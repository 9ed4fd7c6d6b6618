// A seller that streams, in a process of its own. /first sends the time of its first byte as that byte leaves; /bytes sends
// as many MiB as asked. Below /paid, behind our paywall, it sells the same. Arguments: the chain's RPC, the payee, a folder.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import express from 'express';
import { createGrantStore } from '../../../../server/paywall/store/grant-store.ts';
import { paywall } from '../../../../server/paywall/paywall.ts';

const [rpcUrl = '', recipient = '', folder = ''] = process.argv.slice(2);

/** Nanoseconds of the machine's monotonic clock, which all its processes share. */
const first = (_: IncomingMessage, response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`${process.hrtime.bigint()}\n`);
  response.end();
};

const piece = Buffer.alloc(64 * 1024, 7);

const bytes = async ({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> => {
  const mebibytes = Number(new URL(url, 'http://seller').searchParams.get('mib'));
  response.writeHead(200, { 'content-type': 'application/octet-stream' });
  const pieces = function* () {
    for (let left = mebibytes * 16; left > 0; left -= 1) yield piece;
  };
  // A reader that goes away is none of the seller's business.
  await pipeline(Readable.from(pieces()), response).catch(() => {});
};

const store = createGrantStore(join(folder, 'grants.db'));
const app = express();
app.get('/first', first);
app.get('/bytes', bytes);
app.use('/paid', paywall({ price: '0.01', recipient, rpcUrl, network: 'sandbox', store }));
app.get('/paid/first', first);
app.get('/paid/bytes', bytes);

const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => {
  store.close();
  process.exit(0);
});
