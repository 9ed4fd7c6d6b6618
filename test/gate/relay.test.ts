// What the gate passes on is what came: random requests and answers, byte for byte, against a direct call; and streams.
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { relay, type Passed } from '../../server/gate/relay.ts';
import { closeServer, listen } from '../paywall/seller.ts';
import { tries } from '../harness/tries.ts';
import { createMarket, type Market } from '../x402/market.ts';
import { digest, openGate, send, type Answered, type Asking, type Opened } from './open-gate.ts';

const count = tries(150, 1_000);
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const routes = methods
  .flatMap((method) =>
    ['/r/:a', '/r/:a/:b'].map((path) => `  - { method: ${method}, path: '${path}', free: true }`),
  )
  .join('\n');

let market: Market;
let opened: Opened;
let serve: (request: IncomingMessage, response: ServerResponse) => void;
beforeAll(async () => {
  market = await createMarket();
  opened = await openGate(market, (request, response) => serve(request, response), `routes:\n${routes}\n`);
});
afterAll(async () => {
  await opened.close();
  await market.close();
});

const pick = <T>(from: readonly T[]): T => from[randomInt(from.length)] as T;
const some = <T>(most: number, make: () => T): T[] => Array.from({ length: randomInt(most + 1) }, make);
const name = () => `${pick(['X-', 'x-', 'Accept-', ''])}k${randomBytes(3).toString('hex')}`;
const value = () =>
  pick([randomBytes(randomInt(1, 30)).toString('base64'), 'a, b;q=0.5', '"q"', 'é'.normalize(), '']);
const headers = () => some(8, () => [name(), value()]).flat();
const segment = () =>
  pick(['a', 'A', '%20', 'a%2Bb', "x'(y)", 'a;b=1', '%E2%82%AC', '...', '~', ':', '@', 'a,b', '100%25']);
const query = () =>
  pick([
    '',
    '?',
    '?a=1&a=2',
    '?q=%2F..%2F',
    '?x=%00',
    '?a[]=1',
    '?/../',
    `?${randomBytes(20).toString('hex')}`,
  ]);

interface Plan {
  status: number;
  message: string;
  headers: string[];
  body: Buffer;
  trailers: [string, string][];
}

/** What the server answers to the request whose header `plan` names it. */
const plans = new Map<string, Plan>();
const planned = (method: string): Plan => {
  const status = pick([200, 200, 201, 204, 206, 301, 304, 400, 404, 418, 500, 503]);
  const text = randomBytes(randomInt(3_000));
  const [coding, body] = pick([
    [[], text] as const,
    [['Content-Encoding', 'gzip'], gzipSync(text)] as const,
    [['content-encoding', 'br'], brotliCompressSync(text)] as const,
  ]);
  const isEmpty = status === 204 || status === 304;
  const sized = !isEmpty && pick([true, false]) ? ['Content-Length', String(body.length)] : [];
  const trailers =
    sized.length === 0 && !isEmpty && method !== 'HEAD'
      ? some(2, () => ['X-Sum', value()] as [string, string])
      : [];
  const set = [
    'Date',
    'Sat, 28 Nov 2026 00:00:00 GMT',
    'Set-Cookie',
    'a=1',
    'Set-Cookie',
    'b=2',
    ...coding,
    ...sized,
  ];
  return {
    status,
    message: pick(['OK', 'Fine enough', '']),
    headers: [...set, ...headers()],
    body,
    trailers,
  };
};

/** Without what belongs to one connection. */
const lasting = (raw: readonly string[], ...without: string[]): string[] => {
  const dropped = new Set(['connection', 'keep-alive', 'transfer-encoding', ...without]);
  return raw.filter((_, at) => !dropped.has((raw[at - (at % 2)] ?? '').toLowerCase()));
};

describe('what is passed on', () => {
  it(`is as it came, in ${count} random requests and answers`, async () => {
    const came: unknown[] = [];
    serve = async (request, response) => {
      const body = await buffer(request);
      const { method, url, rawHeaders } = request;
      came.push({ method, url, headers: lasting(rawHeaders, 'host', 'x-secret'), body: digest(body) });
      const plan = plans.get(String(request.headers['plan']));
      if (plan === undefined) return void response.destroy();
      response.writeHead(plan.status, plan.message, plan.headers);
      response.write(plan.body.subarray(0, 100));
      response.addTrailers(plan.trailers);
      response.end(plan.body.subarray(100));
    };
    for (let at = 0; at < count; at += 1) {
      const method = pick(methods);
      plans.set(String(at), planned(method));
      const target = `/r/${segment()}${pick(['', `/${segment()}`])}${query()}`;
      const body = pick([undefined, undefined, randomBytes(randomInt(5_000)), Buffer.alloc(0)]);
      const asking = {
        method,
        headers: ['plan', String(at), ...headers()],
        ...(body === undefined ? {} : { body }),
      };
      const seen = ({ status, message, raw, body: given, trailers }: Answered) => ({
        status,
        message,
        headers: lasting(raw),
        body: digest(given),
        trailers,
      });
      const [direct, through] = [
        await send(opened.behind, target, asking),
        await send(opened.origin, target, asking),
      ];
      expect(seen(through), `${method} ${target}`).toEqual(seen(direct));
      const [first, second] = came.splice(0);
      expect(second, `${method} ${target}`).toEqual(first);
    }
  }, 120_000);
});

const open = (method: string) => {
  const { hostname, port } = new URL(opened.origin);
  return requestHttp({ hostname, port, path: '/r/stream', method, agent: false });
};

describe('a stream', () => {
  it('flows both ways at once', async () => {
    serve = (request, response) => void request.pipe(response);
    const asking = open('POST');
    asking.write('0');
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    for (let n = 0; n < 5; n += 1) {
      const [chunk] = (await once(answer, 'data')) as [Buffer];
      expect(chunk.toString()).toBe(String(n));
      if (n < 4) asking.write(String(n + 1));
    }
    asking.end();
    answer.resume();
    await once(answer, 'end');
  });

  it('waits for a slow reader, and all of it arrives', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const chunks = 640;
    let written = 0;
    serve = async (_, response) => {
      for (; written < chunks; written += 1) if (!response.write(chunk)) await once(response, 'drain');
      response.end();
    };
    const asking = open('GET').end();
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    answer.pause();
    let before = -1;
    // Until the sender stands still.
    await expect.poll(() => before === (before = written), { interval: 200 }).toBe(true);
    expect(written).toBeLessThan(chunks / 2);
    expect((await buffer(answer)).length).toBe(chunks * chunk.length);
  });

  it('ends behind the gate when the client hangs up', async () => {
    const closed = new Promise((resolve) => {
      serve = (_, response) => {
        response.write('first');
        response.once('close', () => resolve(response.writableFinished));
      };
    });
    const asking = open('GET').end();
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    answer.once('error', () => {});
    answer.destroy();
    expect(await closed).toBe(false);
  });

  it('that breaks off behind the gate breaks off before it', async () => {
    serve = (_, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('first', () => response.destroy());
    };
    await expect(send(opened.origin, '/r/short')).rejects.toThrow();
    // A server without trailers, lengths or keep-alive.
    serve = (_, response) => {
      response.socket?.end('HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nto the end');
    };
    expect((await send(opened.origin, '/r/old')).body.toString()).toBe('to the end');
  });

  it('of two requests in one is not passed on', async () => {
    const came: string[] = [];
    serve = (request, response) => {
      came.push(String(request.url));
      response.end();
    };
    const { hostname, port } = new URL(opened.origin);
    const socket = connect(Number(port), hostname);
    socket.end(
      'POST /r/a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /r/b HTTP/1.1\r\nHost: x\r\n\r\n',
    );
    expect((await buffer(socket)).toString()).toMatch(/^HTTP\/1\.1 400/);
    expect(came).toEqual([]);
  });

  it('is the body of a request that names its length as one of its connection’s headers', async () => {
    const inner = 'GET /r/b HTTP/1.1\r\nHost: x\r\n\r\n';
    const came: string[] = [];
    serve = async (request, response) => {
      came.push(`${request.url} ${(await buffer(request)).toString()}`);
      response.end();
    };
    const { hostname, port } = new URL(opened.origin);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /r/a HTTP/1.1\r\nHost: x\r\nConnection: x, Content-Length, close\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
    );
    expect((await buffer(socket)).toString()).toMatch(/^HTTP\/1\.1 200/);
    expect(came).toEqual([`/r/a ${inner}`]);
  });
});

/** Which connection the server behind the gate is asked for. */
const connectionOf = async (asking: Asking) => (await send(opened.origin, '/r/a', asking)).body.toString();

it('a request with a body is alone on its connection: a server that leaves it unread takes it for the next request', async () => {
  serve = (request, response) => void response.end(request.headers.connection);
  expect(await connectionOf({})).toBe('keep-alive');
  expect(await connectionOf({ body: 'GET /r/b HTTP/1.1\r\n\r\n' })).toBe('close');
  expect(await connectionOf({ method: 'POST', headers: ['transfer-encoding', 'chunked'] })).toBe('close');
});

const asking = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
/** Reads nothing by itself. */
const clientOf = ({ hostname, port }: URL): Socket => {
  const socket = connect(Number(port), hostname).pause();
  socket.write(asking);
  return socket;
};

const hangsUp = (response: ServerResponse, client: Socket): Promise<unknown> => {
  client.destroy();
  return once(response, 'close');
};

/** What a relay that waits for two seconds says of an answer of 20 MB to the client, once it may begin. */
const passed = async (
  begins: (response: ServerResponse, client: Socket) => Promise<unknown>,
): Promise<Passed> => {
  serve = (_, response) => void response.end(Buffer.alloc(20_000_000));
  const upstream = { origin: new URL(opened.behind), headers: {}, ownCors: false, silentMs: 2_000 };
  const { promise, resolve, reject } = Promise.withResolvers<Passed>();
  const { url, server } = await listen((_, response) => {
    void begins(response, socket)
      .then(() => relay(response, upstream))
      .then(resolve, reject);
  });
  const socket = clientOf(new URL(url));
  const said = await promise;
  socket.destroy();
  await closeServer(server);
  return said;
};

describe('a client', () => {
  it('that reads no further is not a server that is silent', async () => {
    expect(await passed(() => Promise.resolve())).toBe('gone');
  });

  it('that is gone before its request is passed on is not served', async () => {
    expect(await passed(hangsUp)).toBe('gone');
  });
});
