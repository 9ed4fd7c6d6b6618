// CONNECT takes a connection out of the server's hands: nothing else listens to its errors or ends it.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeFolder, spawnTreasury, temporaryFolder, until, type Process } from '../harness/treasury.ts';

const dataDir = temporaryFolder();
let host: Process;
beforeAll(async () => {
  host = await spawnTreasury(dataDir, []);
});
afterAll(async () => {
  host.client.close();
  await host.kill('SIGKILL');
  removeFolder(dataDir);
});

const request = 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n';

/** A client that keeps its half open after the host has ended the other. */
const ask = async (bytes = request): Promise<Socket> => {
  const { port, hostname } = new URL(host.ready.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
};

it('does not end the host when the client resets the connection', async () => {
  for (let n = 0; n < 100; n += 1) {
    const socket = await ask();
    // With bytes that nobody reads, in the same packet as the reset.
    socket.write('x'.repeat(100_000));
    if (n % 2 === 0) await once(socket, 'data');
    socket.resetAndDestroy();
  }
  expect((await host.client.get('/v1/health')).status).toBe(200);
  expect(host.child.exitCode).toBeNull();
});

it('does not keep the host from ending when the client holds the connection', async () => {
  const sockets = await Promise.all([ask(), ask(), ask()]);
  // More answers before it than the client takes: the refusal never leaves.
  const documents = 'GET /v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n'.repeat(40);
  const full = await ask(documents.replaceAll('PORT', new URL(host.ready.url).port) + request);
  full.pause();
  const [text] = (await once(sockets[0], 'data')) as [Buffer];
  expect(text.toString()).toMatch(/^HTTP\/1\.1 501 /);
  host.client.close();
  host.child.kill('SIGTERM');
  await until('the end of the host', () => host.child.exitCode !== null);
  expect(host.child.exitCode).toBe(0);
  for (const socket of [...sockets, full]) socket.destroy();
});
