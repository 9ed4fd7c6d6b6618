// CONNECT takes a connection out of the server's hands: nothing else listens to its errors or ends it.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
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
const ask = async (): Promise<Socket> => {
  const { port, hostname } = new URL(host.ready.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(request);
  return socket;
};
/** A client that asks for so many long answers, one after the other, and reads none. */
const fill = async (answers: number): Promise<Socket> => {
  const { port, hostname, host: name } = new URL(host.ready.url);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => {});
  await once(socket, 'connect');
  for (let n = 0; n < answers; n += 1) {
    socket.write(`GET /v1/openapi.json HTTP/1.1\r\nHost: ${name}\r\n\r\n`);
    await wait(300);
  }
  socket.write(request);
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
  // One of these is full just before its CONNECT, so that the refusal never leaves.
  const full = await Promise.all(Array.from({ length: 16 }, (_, answers) => fill(answers)));
  const [text] = (await once(sockets[0], 'data')) as [Buffer];
  expect(text.toString()).toMatch(/^HTTP\/1\.1 501 /);
  host.client.close();
  host.child.kill('SIGTERM');
  await until('the end of the host', () => host.child.exitCode !== null);
  expect(host.child.exitCode).toBe(0);
  for (const socket of [...sockets, ...full]) socket.destroy();
});
