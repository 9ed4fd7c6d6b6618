// The guard that every request meets first, over raw sockets: against DNS rebinding, and pages in a browser.
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { badHosts, badOrigins, cors, goodHosts, goodOrigins, guardedMethods } from './guarded.ts';
import { ask, port, treasury, useTreasury } from './raw-treasury.ts';

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
    for (const method of Object.keys(guardedMethods) as (keyof typeof guardedMethods)[]) {
      const jobs: (() => Promise<void>)[] = [];
      for (const hosts of [...goodHosts, ...badHosts])
        for (const origins of [...goodOrigins, ...badOrigins])
          jobs.push(() =>
            look(hosts, origins, method, goodHosts.includes(hosts) && goodOrigins.includes(origins)),
          );
      // The host accepts new connections one by one: a thousand at once would wait for each other.
      const work = async (): Promise<void> => {
        for (let job = jobs.pop(); job !== undefined; job = jobs.pop()) await job();
      };
      await Promise.all(Array.from({ length: 64 }, work));
    }
    expect(asked).toBeGreaterThan(6_000);
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
