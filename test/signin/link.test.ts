// The whole way over HTTP, on the real host: a machine asks, a person signs in at its link page and completes the link. On this
// machine, and from another one through a real tunnel, where nobody ever sees a local address.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient as createHostClient } from '../../server/client/client.ts';
import { readEndpoint } from '../../server/client/endpoint.ts';
import { useFolders } from '../harness/folders.ts';
import { createClient, type Client } from '../harness/http-client.ts';
import { instantly, openTreasury, type Treasury } from '../harness/treasury.ts';
import { askThrough, hasTunnel, openTunnel, withTunnel, type Tunnel } from '../harness/programs/tunnel.ts';
import { clientSecret, openProvider, type TestProvider } from './identity-provider.ts';
import { addressIn, codeIn, openMailServer, secretIn, type TestMailServer } from './mail-server.ts';
import { createTestWallet } from './test-wallet.ts';

const anna = 'anna@example.com';
const nobody = 'nobody@example.com';
const password = 'correct horse battery staple';
const wallet = createTestWallet();
const newFolder = useFolders();
const logFile = join(newFolder(), 'log');
let treasury: Treasury;
let mail: TestMailServer;
let provider: TestProvider;
let anybody: Client;
let tunnel: Tunnel | null = null;
/** Secrets that must never be logged. */
const secrets = [password, clientSecret];

/** A way to the treasury, without a credential unless one is named. */
interface Door {
  url: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  ask(method: string, path: string, body?: object, token?: string): Promise<{ status: number; body: any }>;
}
const near = (): Door => ({
  url: treasury.host.url,
  ask: (method, path, body, token = '') =>
    anybody.call(method, path, { body, token: token === '' ? null : token, owner: null }),
});
const far = (): Door => {
  if (tunnel === null) throw new Error('there is no tunnel');
  const through = tunnel;
  return {
    url: through.url,
    async ask(method, path, body, token) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const asked = { method, path, ...sent, ...(token === undefined ? {} : { token }) };
      const { status, text } = await askThrough(through, asked);
      expect(text).not.toContain(new URL(treasury.host.url).host);
      return { status: status ?? 0, body: JSON.parse(text) };
    },
  };
};

beforeAll(async () => {
  const args = [...instantly, '--log-level', 'debug'];
  treasury = await openTreasury({ logFile, args });
  const { client, host } = treasury;
  anybody = createClient(host.url, treasury.owner, null);
  if (hasTunnel) tunnel = await openTunnel(Number(new URL(host.url).port));
  mail = await openMailServer({ password, allowInsecureAuth: true });
  const doors = [host.url, ...(tunnel === null ? [] : [tunnel.url])];
  provider = await openProvider([{ sub: 'anna-1' }], { treasury: doors });
  const mailServer = {
    host: '127.0.0.1',
    port: mail.port,
    security: 'none',
    user: 'u',
    password,
    from: anna,
  };
  const settings = { name: 'P', issuer: provider.issuer, clientId: 'treasury', clientSecret };
  for (const { status, text } of [
    await client.post('/v1/public-address', { url: tunnel?.url ?? null }),
    await client.post('/v1/identities', { kind: 'wallet', subject: wallet.address }),
    await client.post('/v1/identities', { kind: 'email', subject: anna }),
    await client.post('/v1/identities', { kind: 'provider', subject: 'anna-1' }),
    await client.post('/v1/sign-in/mail-server', { mailServer }),
    await client.post('/v1/sign-in/provider', { provider: settings }),
  ])
    expect(status, text).toBe(200);
});
afterAll(async () => {
  await tunnel?.close();
  anybody.close();
  await treasury.close();
  await Promise.all([mail.close(), provider.close()]);
});

const openLink = async ({ ask }: Door): Promise<{ token: string; pollSecret: string }> => {
  const { body } = await ask('POST', '/v1/link-sessions', { machine: 'laptop' });
  secrets.push(body.token, body.pollSecret);
  return body;
};
const at = async ({ ask }: Door, token: string, path: string, body: object = {}) => {
  const answer = await ask('POST', `/v1/link-sessions/${token}/${path}`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};
/** The message that comes when a code is asked for. */
const mailFor = async (door: Door, token: string) => {
  const before = mail.received.filter(({ to }) => to.includes(anna)).length;
  await at(door, token, 'email', { email: anna });
  const email = await mail.mailTo(anna, before + 1);
  secrets.push(codeIn(email), secretIn(email));
  return email;
};

/** Each resolves to the answer that holds the token of the sign-in. */
const ways = {
  'a wallet': async (door: Door, token: string) =>
    at(door, token, 'wallet/proof', wallet.signIn(await at(door, token, 'wallet'))),
  'a code by e-mail': async (door: Door, token: string) =>
    at(door, token, 'email/proof', { code: codeIn(await mailFor(door, token)) }),
  async 'the link in an e-mail'(door: Door, token: string) {
    const email = await mailFor(door, token);
    const address = addressIn(email);
    expect(`${address.origin}${address.pathname}${address.search}`).toBe(`${door.url}/link?token=${token}`);
    return at(door, token, 'email/proof', { secret: secretIn(email) });
  },
  async 'an OpenID Connect provider'(door: Door, token: string) {
    const { url, state } = await at(door, token, 'provider');
    expect(new URL(url).searchParams.get('redirect_uri')).toBe(`${door.url}/link`);
    const callback = await provider.signIn(url, 'anna-1');
    secrets.push(state, new URLSearchParams(callback).get('code') ?? '');
    return at(door, token, 'provider/proof', { state, callback });
  },
};

let agents = 0;
describe.each([
  ['on this machine', true, near],
  [withTunnel('through a real tunnel'), hasTunnel, far],
] as const)('%s, a person who signs in', (_, isHere, doorOf) => {
  it.skipIf(!isHere).each(Object.entries(ways))(
    'by %s completes this link, once, and no other, and the agent of the new key pays',
    async (_way, signIn) => {
      const door = doorOf();
      const complete = (token: string, bearer: string, agentId: string) =>
        door.ask('POST', `/v1/link-sessions/${token}/complete`, { agentId }, bearer);
      const [{ token, pollSecret }, other] = [await openLink(door), await openLink(door)];
      const { token: bearer } = await signIn(door, token);
      secrets.push(bearer);
      const agentId = `linked-${(agents += 1)}`;
      expect((await complete(other.token, bearer, 'not-this')).status).toBe(401);
      expect((await complete(token, bearer, agentId)).body).toEqual({ status: 'complete', agentId });
      const { body: polled } = await door.ask('GET', `/v1/link-sessions/${token}`, undefined, pollSecret);
      expect(polled).toMatchObject({ status: 'complete', agentId });
      secrets.push(polled.apiKey);
      expect((await complete(token, bearer, 'another')).status).toBeGreaterThanOrEqual(400);
      expect((await door.ask('POST', `/v1/link-sessions/${token}/wallet`, {})).status).toBe(404);
      await treasury.client.post(`/v1/agents/${agentId}/allocate`, { amount: '1' });
      const bill = { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' };
      const path = `/v1/agents/${agentId}/pay?owner=${treasury.owner}`;
      expect((await door.ask('POST', path, bill, polled.apiKey)).body.status).toBe('confirmed');
    },
  );
});

describe('codes by e-mail', () => {
  it('are sent for a link that a terminal of this data folder opened, even after strangers used up theirs', async () => {
    const ask = async (token: string): Promise<number> =>
      (await near().ask('POST', `/v1/link-sessions/${token}/email`, { email: 'carl@example.com' })).status;
    for (let links = 0; links < 5; links += 1) expect(await ask((await openLink(near())).token)).toBe(200);
    expect(await ask((await openLink(near())).token)).toBe(429);
    const endpoint = readEndpoint(treasury.dataDir);
    const { token } = await createHostClient(endpoint, null).ask('openLink', { body: {} });
    expect(await ask(token)).toBe(200);
  });

  it('are promised alike, to the header, to who knows a known address and to who does not', async () => {
    const { token } = await openLink(near());
    const answers = [];
    for (const email of [anna, nobody]) {
      const path = `/v1/link-sessions/${token}/email`;
      const { status, text, headers } = await anybody.post(path, { email }, { owner: null });
      // The expiry is the session's, and so the same for both; only the clock may advance by a second.
      answers.push({ status, text, headers: { ...headers, date: '' } });
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]?.status).toBe(200);
  });
});

describe('settings and identities', () => {
  it('show no password, and missing identities are not found', async () => {
    expect((await treasury.client.call('DELETE', '/v1/identities/idn_none')).status).toBe(404);
    const { body, text } = await treasury.client.get('/v1/sign-in/settings');
    expect(body['redirectUri']).toBe(`${treasury.host.url}/link`);
    expect(text).not.toContain(password);
  });
});

describe('the log', () => {
  it('at its most verbose has no code, secret, password or token', () => {
    const log = readFileSync(logFile, 'utf8');
    expect(log).toContain('somebody signed in');
    expect(log).toContain('a sign-in code was handed to the mail server');
    expect(secrets.length).toBeGreaterThan(15);
    for (const secret of secrets)
      expect(new RegExp(`(?<![\\w-])${RegExp.escape(secret)}(?![\\w-])`).test(log)).toBe(false);
  });
});
