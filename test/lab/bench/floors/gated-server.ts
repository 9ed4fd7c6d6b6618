// A server behind a gate, in a process of its own: a small answer, or one of so many MiB.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const chunk = Buffer.alloc(2 ** 16);
const server = createServer(async (request, response) => {
  const mebibytes = Number(new URL(request.url ?? '', 'http://x').searchParams.get('mib'));
  if (mebibytes === 0)
    return void response.setHeader('content-type', 'application/json').end('{"report":"fine"}');
  for (let n = 0; n < mebibytes * 16; n += 1) if (!response.write(chunk)) await once(response, 'drain');
  response.end();
}).listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
