// The requests of a wait, counted at a host that streams what the test says.
import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAgentClient } from '../../server/client/agent-client.ts';
import { createNews, type Heard } from '../../server/client/agent-news.ts';
import { hashOfKey, healthProof } from '../../server/contract/host/health-proof.ts';
import { until } from '../harness/treasury.ts';

const apiKey = 'atk_of_a_test';
const event = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
const told = (approvalId: string, status: string): string =>
  event('approval', { approvalId, kind: 'policy', status, expiresAt: '', decidedAt: null });
const stop = { suspended: false, frozen: false, locked: false, halted: false };

let asked: string[];
let streams: ServerResponse[];
/** The approval's state at the host; null: it answers nothing in time. */
let status: string;
let onStream: (response: ServerResponse) => void;
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (url.pathname === '/v1/health') {
    const proof = healthProof(hashOfKey(apiKey), url.searchParams.get('nonce') ?? '', ownUrl());
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ ok: true, proof }));
    return;
  }
  asked.push(url.pathname.split('/').at(-1) ?? '');
  if (url.pathname.endsWith('/events')) onStream(response);
  else response.setHeader('content-type', 'application/json').end(JSON.stringify({ status }));
});
const ownUrl = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const connect = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': connected\n\n');
  streams.push(response);
};
const send = (text: string): void => void streams.at(-1)?.write(text);

let news: ReturnType<typeof createNews>;
/** Ends the waits of a test that has failed. */
let over: AbortController;
beforeEach(async () => {
  [asked, streams, status, onStream] = [[], [], 'pending', connect];
  over = new AbortController();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const env = { TREASURY_URL: ownUrl(), TREASURY_OWNER: 'me' };
  client = createAgentClient({ env, identify: () => ({ agentId: 'scout', apiKey }) });
  news = createNews(client);
});
afterEach(() => {
  vi.useRealTimers();
  over.abort();
  server.close();
  server.closeAllConnections();
});

let client: ReturnType<typeof createAgentClient>;
/** Than a test may take: the end of the time is no way out of a wait. */
const longer = 600_000;
type Looked = Heard<{ body: { status: string } }>;
const waitFor = (approvalId = 'a', signal = over.signal, waitMs = longer): Promise<Looked> =>
  news.until(
    () => client.ask('getApproval', { params: { approvalId } }),
    ({ body }) => body.status !== 'pending',
    { concerns: ({ type, data }) => type === 'approval' && data.approvalId === approvalId, waitMs, signal },
  );
/** Resolves once the wait has looked, connected, and looked again. */
const connected = (looks = 2): Promise<unknown> =>
  until('the stream', () => streams.length > 0 && asked.filter((path) => path === 'a').length === looks);

describe('a wait', () => {
  it('asks nothing while nothing happens, however long, and returns what was there last', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const waiting = waitFor('a', over.signal, 45_000);
    while (asked.length < 3) await nextTurn();
    await vi.advanceTimersByTimeAsync(44_999);
    send(': ping\n\n');
    expect(asked).toEqual(['a', 'events', 'a']);
    await vi.advanceTimersByTimeAsync(1);
    expect(await waiting).toMatchObject({ found: { body: { status: 'pending' } }, stop: null });
    expect(asked).toEqual(['a', 'events', 'a']);
  });

  it('is woken by what concerns it alone', async () => {
    const waiting = waitFor();
    await connected();
    send(told('b', 'granted') + event('policy', {}) + event('of_a_later_version', {}) + told('a', 'pending'));
    await connected(3);
    status = 'granted';
    // In two pieces, as a network may cut it.
    const text = told('a', 'granted');
    send(text.slice(0, 20));
    send(text.slice(20));
    expect((await waiting).found.body.status).toBe('granted');
    expect(asked).toEqual(['a', 'events', 'a', 'a', 'a']);
  });

  it('of no seconds, or of what is decided, opens no stream', async () => {
    expect((await waitFor('a', undefined, 0)).found.body.status).toBe('pending');
    status = 'denied';
    expect((await waitFor()).found.body.status).toBe('denied');
    expect(asked).toEqual(['a', 'a']);
  });

  it('shares its stream with others, and misses nothing that was told before it joined', async () => {
    const first = waitFor();
    await connected();
    const second = waitFor('b');
    await until('its look', () => asked.filter((path) => path === 'b').length === 2);
    status = 'granted';
    send(told('a', 'granted') + told('b', 'granted'));
    expect((await Promise.all([first, second])).map(({ found }) => found.body.status)).toEqual([
      'granted',
      'granted',
    ]);
    expect(streams).toHaveLength(1);
  });

  it.each([{ frozen: true }, { suspended: true }, { locked: true }, { halted: true }])(
    'ends at once when %j is told, and not when a stop is lifted',
    async (which) => {
      const waiting = waitFor();
      await connected();
      send(event('stop', stop));
      send(event('stop', { ...stop, ...which }));
      expect(await waiting).toMatchObject({ found: { body: { status: 'pending' } }, stop: which });
    },
  );

  it('ends at once when its caller leaves', async () => {
    const leaving = new AbortController();
    const waiting = waitFor('a', leaving.signal);
    await connected();
    leaving.abort();
    expect((await waiting).found.body.status).toBe('pending');
  });
});

describe('a stream that is cut', () => {
  it('is opened anew, and what happened meanwhile is found', async () => {
    const waiting = waitFor();
    await connected();
    onStream = (response) => {
      status = 'granted';
      connect(response);
    };
    streams[0]?.destroy();
    expect((await waiting).found.body.status).toBe('granted');
    expect(streams).toHaveLength(2);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['is refused', (response) => void response.writeHead(429).end('{"code":"too_many_requests","error":""}')],
    ['is unknown, and answered with no JSON', (response) => void response.writeHead(404).end('<html>')],
    ['carries nonsense', (response) => void response.writeHead(200).end('event: stop\ndata: {"x\n\n')],
  ])('or that %s, leaves the wait to its looks', async (_, refuse) => {
    onStream = refuse;
    const waiting = waitFor();
    await until('a second look', () => asked.filter((path) => path === 'a').length >= 2);
    status = 'granted';
    expect((await waiting).found.body.status).toBe('granted');
  });

  it('while the treasury is away is an error only at the end of the wait', async () => {
    const waiting = waitFor('a', undefined, 2_000);
    await connected();
    server.close();
    server.closeAllConnections();
    await expect(waiting).rejects.toMatchObject({ code: 'halted' });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
});
