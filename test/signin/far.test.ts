// A person on another machine signs in for a link through a real tunnel, and never sees a local address.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTreasury, type Treasury } from '../harness/treasury.ts';
import { askThrough, hasTunnel, openTunnel, withTunnel, type Tunnel } from '../harness/tunnel.ts';
import { clientSecret, openProvider, type TestProvider } from './identity-provider.ts';
import { addressIn, codeIn, openMailServer, secretIn, type TestMailServer } from './mail-server.ts';
import { createTestWallet } from './test-wallet.ts';

const anna = 'anna@example.com';
const wallet = createTestWallet();
let treasury: Treasury;
let tunnel: Tunnel;
let mail: TestMailServer;
let provider: TestProvider;

/** As the other machine asks, without a credential unless one is named. */
const ask = async (method: string, path: string, body?: object, token?: string) => {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const { status, text } = await askThrough(tunnel, {
    method,
    path,
    ...sent,
    ...(token === undefined ? {} : { token }),
  });
  expect(status, text).toBe(200);
  expect(text).not.toContain('127.0.0.1:' + new URL(treasury.host.url).port);
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  return JSON.parse(text) as any;
};
const openLink = () => ask('POST', '/v1/link-sessions', { machine: 'laptop' });
const at = (token: string, path: string, body: object = {}) =>
  ask('POST', `/v1/link-sessions/${token}/${path}`, body);

/** Each resolves to the answer that holds the token of the sign-in. */
const ways = {
  wallet: async (token: string) => at(token, 'wallet/proof', wallet.signIn(await at(token, 'wallet'))),
  async 'a code by e-mail'(token: string) {
    await at(token, 'email', { email: anna });
    return at(token, 'email/proof', { code: codeIn(await mail.mailTo(anna)) });
  },
  async 'the link in an e-mail'(token: string) {
    await at(token, 'email', { email: anna });
    const email = await mail.mailTo(anna, 2);
    const address = addressIn(email);
    expect(`${address.origin}${address.pathname}${address.search}`).toBe(`${tunnel.url}/link?token=${token}`);
    return at(token, 'email/proof', { secret: secretIn(email) });
  },
  async 'an OpenID Connect provider'(token: string) {
    const { url, state } = await at(token, 'provider');
    expect(new URL(url).searchParams.get('redirect_uri')).toBe(`${tunnel.url}/link`);
    return at(token, 'provider/proof', { state, callback: await provider.signIn(url, 'anna-1') });
  },
};

describe.skipIf(!hasTunnel)(withTunnel('through a real tunnel, a person signs in'), () => {
  beforeAll(async () => {
    treasury = await openTreasury();
    const { client, host } = treasury;
    tunnel = await openTunnel(Number(new URL(host.url).port));
    mail = await openMailServer();
    provider = await openProvider([{ sub: 'anna-1' }], { treasury: tunnel.url });
    await client.post('/v1/public-address', { url: tunnel.url });
    const mailServer = { host: '127.0.0.1', port: mail.port, security: 'none', user: null, from: anna };
    const settings = { name: 'P', issuer: provider.issuer, clientId: 'treasury', clientSecret };
    for (const { status, text } of [
      await client.post('/v1/identities', { kind: 'wallet', subject: wallet.address }),
      await client.post('/v1/identities', { kind: 'email', subject: anna }),
      await client.post('/v1/identities', { kind: 'provider', subject: 'anna-1' }),
      await client.post('/v1/sign-in/mail-server', { mailServer }),
      await client.post('/v1/sign-in/provider', { provider: settings }),
    ])
      expect(status, text).toBe(200);
  });
  afterAll(async () => {
    await tunnel.close();
    await treasury.close();
    await Promise.all([mail.close(), provider.close()]);
  });

  it.each(Object.entries(ways))('by %s, and the agent of the new key pays', async (_, signIn) => {
    const { token, pollSecret } = await openLink();
    const { token: signedIn } = await signIn(token);
    const agentId = `far-${token
      .slice(-8)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, 'x')}`;
    await ask('POST', `/v1/link-sessions/${token}/complete`, { agentId }, signedIn);
    const { apiKey } = await ask('GET', `/v1/link-sessions/${token}`, undefined, pollSecret);
    await treasury.client.post(`/v1/agents/${agentId}/allocate`, { amount: '1' });
    const bill = { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' };
    const paid = await ask('POST', `/v1/agents/${agentId}/pay?owner=${treasury.owner}`, bill, apiKey);
    expect(paid.status).toBe('confirmed');
  });
});
