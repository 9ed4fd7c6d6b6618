// The public door, with requests as the owner's tunnel sends them on: which ones pass, and what a header may not change. Then
// behind a real tunnel: Caddy with a certificate of an authority of its own, over HTTP/1.1 and HTTP/2.
import { once } from 'node:events';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../../harness/treasury.ts';
import {
  askThrough,
  hasTunnel,
  openTunnel,
  type SentThrough,
  type Tunnel,
  tunnelName,
  withTunnel,
} from '../../harness/programs/tunnel.ts';
import { badHosts, badOrigins, cors, goodHosts, goodOrigins } from './guarded.ts';
import { type RawAnswer, type RawRequest, requestText, sendRaw } from '../contract/raw.ts';

const host = 'treasury.example.ts.net';
const publicUrl = `https://${host}`;
let treasury: Treasury;
let agent: TestAgent;
let port: number;
beforeAll(async () => {
  treasury = await openTreasury();
  await treasury.client.post('/v1/public-address', { url: publicUrl });
  port = Number(new URL(treasury.host.url).port);
  agent = await deploy(treasury.client, 'payer');
});
afterAll(() => treasury.close());

/** With the agent's key, which is good at both doors. */
const ask = ({
  headers,
  method = 'GET',
  target = '/v1/agents/payer/balance',
}: RawRequest): Promise<RawAnswer> => {
  const all = [...headers, `Authorization: Bearer ${agent.key}`, 'Connection: close'];
  const whole = target.includes('?') ? target : `${target}?owner=${treasury.owner}`;
  return sendRaw(port, Buffer.from(requestText({ method, target: whole, headers: all }), 'latin1'));
};

/** A line of the local door's tables, turned to this door. */
const turned = (line: string): string =>
  line
    .replaceAll(/\bhttp:\/\/127\.0\.0\.1:P\b/g, publicUrl)
    .replaceAll(/\b127\.0\.0\.1:P\b/g, host)
    .replaceAll(/\bP\b/g, String(port))
    .replaceAll('P1', String(port + 1));

const isOfLocalhost = (lines: string[]): boolean => lines.some((line) => line.includes('localhost'));

/** Names that contain it, are contained in it, or lead to the same host. */
const likeIt = [
  `evil.${host}`,
  `x${host}`,
  `${host}.evil.com`,
  `${host}.`,
  `${host}:443`,
  `${host}:80`,
  `${host}:`,
  `${host}@evil.com`,
  `owner@${host}`,
  host.slice(1),
  host.slice(0, -1),
  host.replace('.', '。'),
  'ts.net',
  `*.${host.slice(9)}`,
  `${host}, evil.com`,
  `evil.com, ${host}`,
  `${host}/`,
  `${host}#`,
  `https://${host}`,
  `[${host}]`,
  `${host}%00`,
];

const methods = { GET: 200, PUT: 404, OPTIONS: 404 } as const;

describe('a request at the public door', () => {
  it('passes with exactly its Host and no Origin but its own, where the same lines pass at the local one', async () => {
    const wrong: string[] = [];
    let asked = 0;
    const jobs: (() => Promise<void>)[] = [];
    const look = (lines: string[], isGood: boolean, isByAll = true): void => {
      for (const [method, passes] of Object.entries(methods).slice(0, isByAll ? undefined : 1))
        jobs.push(async () => {
          const { status, head } = await ask({ method, headers: lines });
          asked += 1;
          const isRight = isGood ? status === passes : status === 403 || status === 400;
          if (!isRight || cors.test(head)) wrong.push(`${method} ${lines.join(' | ')}: ${status}`);
        });
    };
    const own = [`Host: ${host}`];
    for (const hosts of [...goodHosts, ...badHosts])
      for (const origins of [...goodOrigins, ...badOrigins]) {
        // The local door has two names, this one has one.
        const isGood = [hosts, origins].every((lines) => !isOfLocalhost(lines)) && goodHosts.includes(hosts);
        if (isOfLocalhost(hosts) && goodHosts.includes(hosts)) continue;
        // A wrong scheme there is the right one here.
        if (origins.includes('Origin: https://127.0.0.1:P')) continue;
        // By every method where one of the two is as it should be.
        const isByAll = hosts === goodHosts[0] || origins === goodOrigins[0];
        look([...hosts, ...origins].map(turned), isGood && goodOrigins.includes(origins), isByAll);
      }
    for (const name of likeIt) look([`Host: ${name}`], false);
    for (const name of likeIt) look([...own, `Origin: https://${name}`], false);
    look([`Host: ${host.toUpperCase()}`], true);
    look(['Host: Treasury.Example.ts.net', `Origin: ${publicUrl}`], true);
    // Neither door takes the other's pages.
    look([...own, `Origin: http://127.0.0.1:${port}`], false);
    look([...own, `Origin: http://localhost:${port}`], false);
    look([`Host: 127.0.0.1:${port}`, `Origin: ${publicUrl}`], false);
    look([`Host: localhost:${port}`, `Origin: ${publicUrl}`], false);
    look([...own, `Host: 127.0.0.1:${port}`], false);
    look([`Host: 127.0.0.1:${port}`, ...own], false);
    const work = async (): Promise<void> => {
      for (let job = jobs.pop(); job !== undefined; job = jobs.pop()) await job();
    };
    await Promise.all(Array.from({ length: 64 }, work));
    expect(asked).toBeGreaterThan(1_500);
    expect(wrong).toEqual([]);
  });

  it.each([`${publicUrl}/v1/agents/payer/balance`, `http://127.0.0.1:1/v1/health`, '*', host])(
    'is refused for the target %s',
    async (target) => {
      expect((await ask({ target, headers: [`Host: ${host}`] })).status).toBe(400);
    },
  );

  it('is the same with any word of a proxy about itself or its client, forged or doubled', async () => {
    const said = [
      `X-Forwarded-Host: 127.0.0.1:${port}`,
      'X-Forwarded-Host: evil.com',
      'X-Forwarded-Proto: http',
      'X-Forwarded-For: 127.0.0.1',
      'X-Forwarded-For: 127.0.0.1, ::1',
      'X-Forwarded-Port: 1',
      'X-Forwarded-Server: localhost',
      'X-Original-Host: localhost',
      'X-Real-IP: 127.0.0.1',
      `Forwarded: for=127.0.0.1;host="127.0.0.1:${port}";proto=http`,
      'Forwarded: for="[::1]"',
      'Via: 1.1 localhost',
      'CF-Connecting-IP: 127.0.0.1',
      'CF-Visitor: {"scheme":"http"}',
      'Cf-Access-Authenticated-User-Email: owner@example.com',
      'Tailscale-User-Login: owner@example.com',
    ];
    const plain = await ask({ headers: [`Host: ${host}`] });
    expect(plain.status).toBe(200);
    for (const header of said) {
      for (const more of [[header], [header, header], [header, ...said]]) {
        const { status, body } = await ask({ headers: [`Host: ${host}`, ...more] });
        expect({ header, status, body }).toEqual({ header, status: plain.status, body: plain.body });
      }
      expect((await ask({ target: '/v1/dashboard', headers: [`Host: ${host}`, header] })).status).toBe(403);
      // A tunnel that passes on any host leads to no local door.
      const local = await ask({ headers: [`Host: 127.0.0.1:${port}`, header.toUpperCase()] });
      expect({ header, status: local.status }).toEqual({ header, status: 403 });
    }
    // Nor do they open a door that the Host did not.
    for (const header of [`X-Forwarded-Host: ${host}`, `Forwarded: host=${host}`])
      expect((await ask({ headers: ['Host: evil.com', header] })).status).toBe(403);
  });

  it('reaches no demo seller, which sells on this machine alone', async () => {
    const target = '/sandbox/weather?city=Lisbon';
    expect((await ask({ target, headers: [`Host: 127.0.0.1:${port}`] })).status).toBe(402);
    expect((await ask({ target, headers: [`Host: ${host}`] })).status).toBeGreaterThanOrEqual(400);
    expect((await ask({ target, headers: [`Host: ${host}`] })).status).not.toBe(402);
  });
});

const balance = (): string => `/v1/agents/payer/balance?owner=${treasury.owner}`;

describe.skipIf(!hasTunnel)(withTunnel('a real tunnel'), () => {
  let tunnel: Tunnel;
  /** One that the owner did not set up. */
  let other: Tunnel;
  const send = ({ by = tunnel, ...sent }: SentThrough & { by?: Tunnel }) => askThrough(by, sent);
  beforeAll(async () => {
    tunnel = await openTunnel(port);
    other = await openTunnel(port, { names: ['other.test'] });
    await treasury.client.post('/v1/public-address', { url: tunnel.url });
  });
  afterAll(async () => {
    await tunnel.close();
    await other.close();
  });

  it('carries a payment', async () => {
    const body = JSON.stringify({ service: 'sandbox-weather', amount: '0.01', currency: 'USDC' });
    const path = `/v1/agents/payer/pay?owner=${treasury.owner}`;
    const { status, text } = await send({ method: 'POST', path, token: agent.key, body });
    expect(status, text).toBe(200);
  });

  it('carries HTTP/2', async () => {
    const session = connect(tunnel.url, { ca: tunnel.authority });
    const stream = session.request({ ':path': balance(), authorization: `Bearer ${agent.key}` });
    const [headers] = (await once(stream, 'response')) as [Record<string, number>];
    stream.resume();
    await once(stream, 'close');
    session.close();
    expect(headers[':status']).toBe(200);
  });

  it('lets nobody in as the owner, whatever is said of the client', async () => {
    const forged = {
      'x-forwarded-host': ['127.0.0.1', tunnelName],
      'x-forwarded-for': ['127.0.0.1', '::1'],
      forwarded: 'for=127.0.0.1;host=localhost',
      'tailscale-user-login': 'owner@example.com',
    };
    for (const headers of [{}, forged]) {
      expect((await send({ path: balance(), headers })).status).toBe(401);
      expect((await send({ path: balance(), token: agent.key, headers })).status).toBe(200);
      expect(
        (await send({ path: `/v1/dashboard?owner=${treasury.owner}`, token: agent.key, headers })).status,
      ).toBe(403);
    }
  });

  it('is the one that the owner named: another gets nothing, nor does a page of another origin', async () => {
    expect((await send({ by: other, path: balance(), token: agent.key })).status).toBe(403);
    for (const origin of [other.url, 'https://evil.com', 'null', treasury.host.url])
      expect((await send({ path: balance(), token: agent.key, headers: { origin } })).status).toBe(403);
    expect((await send({ path: balance(), token: agent.key, headers: { origin: tunnel.url } })).status).toBe(
      200,
    );
  });

  it('answers the owner and agents beside requests that never end', async () => {
    const slow = Array.from({ length: 200 }, () => {
      const sent = request(new URL(`/v1/agents/payer/pay?owner=${treasury.owner}`, tunnel.url), {
        method: 'POST',
        agent: false,
        ca: tunnel.authority,
        headers: { authorization: `Bearer ${agent.key}`, 'content-length': '100' },
      });
      sent.on('error', () => {});
      sent.write('{');
      return sent;
    });
    await Promise.all(slow.map((sent) => once(sent, 'socket')));
    expect((await treasury.client.get('/v1/dashboard')).status).toBe(200);
    expect((await send({ path: balance(), token: agent.key })).status).toBe(200);
    expect((await agent.pay('0.01')).status).toBe(200);
    for (const sent of slow) sent.destroy();
  });

  it('leads nowhere once the owner has removed it', async () => {
    await treasury.client.post('/v1/public-address', { url: null });
    expect((await send({ path: balance(), token: agent.key })).status).toBe(403);
    await treasury.client.post('/v1/public-address', { url: tunnel.url });
    expect((await send({ path: balance(), token: agent.key })).status).toBe(200);
  });
});
