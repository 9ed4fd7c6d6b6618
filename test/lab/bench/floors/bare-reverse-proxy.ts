// A reverse proxy of `node:http` alone, in a process of its own. Argument: the origin of the server behind it.
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

const [behind = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const server = createServer((incoming, outgoing) => {
  const { method, url = '', headers } = incoming;
  const onward = request(behind + url, { method, headers, agent }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  incoming.pipe(onward);
}).listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
