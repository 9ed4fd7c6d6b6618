// The guard that every request meets first, over raw sockets: against DNS rebinding, pages in a browser, and CONNECT.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Process, removeFolder, spawnTreasury, temporaryFolder, until } from '../../harness/treasury.ts';
import { badHosts, badOrigins, cors, goodHosts, goodOrigins, guardedMethods } from './guarded.ts';
import { treasury } from '../api-treasury.ts';
import { ask, port, useTreasury } from '../contract/raw-treasury.ts';

useTreasury();

/** `P` stands for the port. */
const withPort = (line: string): string =>
  line.replaceAll(/\bP\b/g, String(port)).replaceAll('P1', String(port + 1));

describe('a request', () => {
  it('passes with exactly one exact Host and no Origin but the dashboard’s, for every method: the whole matrix', async () => {
    const wrong: string[] = [];
    let asked = 0;
    const look = async (
      hosts: string[],
      origins: string[],
      method: keyof typeof guardedMethods,
      good: boolean,
    ): Promise<void> => {
      const [target, passes] = guardedMethods[method];
      const answer = await ask({ method, target, headers: [...hosts, ...origins].map(withPort) });
      asked += 1;
      const fine = good ? answer.status === passes : answer.status === 403 || answer.status === 400;
      if (!fine) wrong.push(`${method} ${[...hosts, ...origins].join(' | ')}: ${answer.status}`);
      if (cors.test(answer.head)) wrong.push(`CORS: ${answer.head}`);
    };
    const methods = Object.keys(guardedMethods) as (keyof typeof guardedMethods)[];
    const jobs: (() => Promise<void>)[] = [];
    // By every method where one of the two is as it should be, and by one method in turn where neither need be.
    for (const [h, hosts] of [...goodHosts, ...badHosts].entries())
      for (const [o, origins] of [...goodOrigins, ...badOrigins].entries()) {
        const isGood = goodHosts.includes(hosts) && goodOrigins.includes(origins);
        const by = h === 0 || o === 0 ? methods : methods.slice((h + o) % methods.length).slice(0, 1);
        for (const method of by) jobs.push(() => look(hosts, origins, method, isGood));
      }
    // The host accepts new connections one by one: a thousand at once would wait for each other.
    const work = async (): Promise<void> => {
      for (let job = jobs.pop(); job !== undefined; job = jobs.pop()) await job();
    };
    await Promise.all(Array.from({ length: 64 }, work));
    expect(asked).toBeGreaterThan(2_000);
    expect(wrong).toEqual([]);
  });

  it.each(['HTTP/1.0', 'HTTP/0.9', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'HTTP/1', ''])(
    'in %j is refused',
    async (version) => {
      expect((await ask({ version })).status).toBe(400);
    },
  );

  it.each([
    'http://127.0.0.1:P/v1/dashboard',
    'http://evil.com/v1/dashboard',
    'HTTP://127.0.0.1:P/v1/dashboard',
    '*',
    'v1/dashboard',
    '127.0.0.1:P',
    '?owner=x',
    '/v1/agents/%ff/balance',
    '/v1/agents/%/balance',
    '/%c0%ae%c0%ae/v1/dashboard',
  ])('for the target %s is refused', async (target) => {
    const { status, body } = await ask({ target: withPort(target) });
    expect(status).toBe(400);
    if (body !== '') expect(JSON.parse(body)).toMatchObject({ code: 'bad_request' });
  });

  it.each([
    '//evil.com/v1/dashboard',
    '/\\evil.com/v1/dashboard',
    '/v1/../v1/dashboard',
    '/v1//dashboard',
    '/v1/%64ashboard/',
    '/V1/dashboard',
  ])('for %s, which is no route, is not answered as if it were one', async (target) => {
    expect((await ask({ target: `${target}?owner=${treasury.owner}` })).status).toBeGreaterThanOrEqual(400);
  });

  it('is refused with an error in JSON even when it names no host', async () => {
    const { status, body } = await ask({ headers: [] });
    expect(status).toBe(403);
    expect(JSON.parse(body)).toMatchObject({ code: 'forbidden' });
  });

  it('that is a page’s preflight is refused, and the answer has no header that would allow it', async () => {
    const asked = [
      'Access-Control-Request-Method: POST',
      'Access-Control-Request-Headers: authorization,content-type',
    ];
    for (const more of [
      [],
      ['Access-Control-Request-Private-Network: true'],
      ['Access-Control-Request-Local-Network: true'],
    ]) {
      for (const origin of ['https://evil.com', 'null', `http://127.0.0.1:${port}`]) {
        const headers = [`Host: 127.0.0.1:${port}`, `Origin: ${origin}`, ...asked, ...more];
        const { status, head } = await ask({ method: 'OPTIONS', target: '/v1/freeze', headers });
        expect(status).toBeGreaterThanOrEqual(400);
        expect(head).not.toMatch(cors);
        expect(head).not.toContain('allow:');
      }
    }
  });
});

const refusedAt = (host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 2_000 });
    socket.on('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => resolve(true));
    socket.on('close', () => resolve(true));
  });

describe('the port', () => {
  it('is bound on 127.0.0.1 alone', async () => {
    const others = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .map(({ address }) => address);
    const addresses = new Set([...others, '::1', '127.0.0.2', '127.1.2.3']);
    addresses.delete('127.0.0.1');
    for (const address of addresses) expect(await refusedAt(address), address).toBe(true);
    expect(await refusedAt('127.0.0.1')).toBe(false);
  });
});

// Nothing else listens to the errors of such a connection, or ends it.
describe('a CONNECT, which takes its connection out of the server’s hands,', () => {
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

  const asked = 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n';

  /** A client that keeps its half open after the host has ended the other. */
  const connecting = async (): Promise<Socket> => {
    const { port: own, hostname } = new URL(host.ready.url);
    const socket = connect({ port: Number(own), host: hostname, allowHalfOpen: true });
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(asked);
    return socket;
  };
  /** A client that asks for so many long answers, one after the other, and reads none. */
  const fill = async (answers: number): Promise<Socket> => {
    const { port: own, hostname, host: name } = new URL(host.ready.url);
    const socket = connect(Number(own), hostname).pause();
    socket.on('error', () => {});
    await once(socket, 'connect');
    for (let n = 0; n < answers; n += 1) {
      socket.write(`GET /v1/openapi.json HTTP/1.1\r\nHost: ${name}\r\n\r\n`);
      // The host reads in the order of what came: with the second of these it has answered what was asked before the first.
      for (let later = 0; later < 2; later += 1) await host.client.get('/v1/health');
    }
    socket.write(asked);
    return socket;
  };

  it('does not end the host when the client resets the connection', async () => {
    for (let n = 0; n < 100; n += 1) {
      const socket = await connecting();
      // With bytes that nobody reads, in the same packet as the reset.
      socket.write('x'.repeat(100_000));
      if (n % 2 === 0) await once(socket, 'data');
      socket.resetAndDestroy();
    }
    expect((await host.client.get('/v1/health')).status).toBe(200);
    expect(host.child.exitCode).toBeNull();
  });

  it('does not keep the host from ending when the client holds the connection', async () => {
    const sockets = await Promise.all([connecting(), connecting(), connecting()]);
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
});
