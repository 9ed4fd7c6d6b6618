// The public door behind a real tunnel: Caddy with a certificate of an authority of its own, over HTTP/1.1 and HTTP/2.
import { once } from 'node:events';
import { connect } from 'node:http2';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';
import {
  askThrough,
  hasTunnel,
  openTunnel,
  tunnelName,
  withTunnel,
  type SentThrough,
  type Tunnel,
} from '../harness/tunnel.ts';

let treasury: Treasury;
let agent: TestAgent;
let tunnel: Tunnel;
/** One that the owner did not set up. */
let other: Tunnel;
const ready = hasTunnel ? describe : describe.skip;

const ask = ({ by = tunnel, ...sent }: SentThrough & { by?: Tunnel }) => askThrough(by, sent);

const balance = (): string => `/v1/agents/payer/balance?owner=${treasury.owner}`;

ready(withTunnel('a real tunnel'), () => {
  beforeAll(async () => {
    treasury = await openTreasury();
    agent = await deploy(treasury.client, 'payer');
    const port = Number(new URL(treasury.host.url).port);
    tunnel = await openTunnel(port);
    other = await openTunnel(port, { names: ['other.test'] });
    await treasury.client.post('/v1/public-address', { url: tunnel.url });
  });
  afterAll(async () => {
    await tunnel.close();
    await other.close();
    await treasury.close();
  });

  it('carries a payment', async () => {
    const body = JSON.stringify({ service: 'sandbox-weather', amount: '0.01', currency: 'USDC' });
    const path = `/v1/agents/payer/pay?owner=${treasury.owner}`;
    const { status, text } = await ask({ method: 'POST', path, token: agent.key, body });
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
      expect((await ask({ path: balance(), headers })).status).toBe(401);
      expect((await ask({ path: balance(), token: agent.key, headers })).status).toBe(200);
      expect(
        (await ask({ path: `/v1/dashboard?owner=${treasury.owner}`, token: agent.key, headers })).status,
      ).toBe(403);
    }
  });

  it('is the one that the owner named: another gets nothing, nor does a page of another origin', async () => {
    expect((await ask({ by: other, path: balance(), token: agent.key })).status).toBe(403);
    for (const origin of [other.url, 'https://evil.com', 'null', treasury.host.url])
      expect((await ask({ path: balance(), token: agent.key, headers: { origin } })).status).toBe(403);
    expect((await ask({ path: balance(), token: agent.key, headers: { origin: tunnel.url } })).status).toBe(
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
    expect((await ask({ path: balance(), token: agent.key })).status).toBe(200);
    expect((await agent.pay('0.01')).status).toBe(200);
    for (const sent of slow) sent.destroy();
  });

  it('leads nowhere once the owner has removed it', async () => {
    await treasury.client.post('/v1/public-address', { url: null });
    expect((await ask({ path: balance(), token: agent.key })).status).toBe(403);
    await treasury.client.post('/v1/public-address', { url: tunnel.url });
    expect((await ask({ path: balance(), token: agent.key })).status).toBe(200);
  });
});
