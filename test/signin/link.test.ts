// The whole way over HTTP, on the real host: a machine asks, a person signs in at its link page and completes the
// link.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient as createHostClient } from '../../server/client/client.ts';
import { readEndpoint } from '../../server/client/endpoint.ts';
import { createClient, type Answer, type Client } from '../harness/http-client.ts';
import {
  instantly,
  openTreasury,
  removeFolder,
  temporaryFolder,
  type Treasury,
} from '../harness/treasury.ts';
import { clientSecret, openProvider, type TestProvider } from './identity-provider.ts';
import { codeIn, openMailServer, secretIn, type TestMailServer } from './mail-server.ts';
import { createTestWallet } from './test-wallet.ts';

const anna = 'anna@example.com';
const nobody = 'nobody@example.com';
const password = 'correct horse battery staple';
const wallet = createTestWallet();

let folder: string;
let treasury: Treasury;
let mail: TestMailServer;
let provider: TestProvider;
let anybody: Client;
/** Secrets that must never be logged. */
const secrets = [password, clientSecret];
beforeAll(async () => {
  folder = temporaryFolder();
  const args = [...instantly, '--log-level', 'debug'];
  treasury = await openTreasury({ logFile: join(folder, 'log'), args });
  anybody = createClient(treasury.host.url, treasury.owner, null);
  mail = await openMailServer({ password, allowInsecureAuth: true });
  provider = await openProvider([{ sub: 'anna-1' }], { treasury: treasury.host.url });
});
afterAll(async () => {
  anybody.close();
  await treasury.close();
  await Promise.all([mail.close(), provider.close()]);
  removeFolder(folder);
});

const openLink = async (): Promise<{ token: string; pollSecret: string }> => {
  const { body, text } = await anybody.post('/v1/link-sessions', { machine: 'laptop' }, { owner: null });
  if (body['token'] === undefined) throw new Error(text);
  secrets.push(body['token'], body['pollSecret']);
  return body as { token: string; pollSecret: string };
};
const at = (token: string, path: string, body: object = {}): Promise<Answer> =>
  anybody.post(`/v1/link-sessions/${token}/${path}`, body, { owner: null });
const complete = (token: string, bearer: string, agentId: string): Promise<Answer> =>
  anybody.post(`/v1/link-sessions/${token}/complete`, { agentId }, { token: bearer, owner: null });

const setMailServer = (): Promise<Answer> =>
  treasury.client.post('/v1/sign-in/mail-server', {
    mailServer: { host: '127.0.0.1', port: mail.port, security: 'none', user: 'u', password, from: anna },
  });

/** Sets everything up as the owner would, and returns a function for each way to sign in. */
const ways = {
  async wallet(token: string) {
    await treasury.client.post('/v1/identities', { kind: 'wallet', subject: wallet.address });
    return at(token, 'wallet/proof', wallet.signIn((await at(token, 'wallet')).body));
  },
  async email(token: string) {
    await treasury.client.post('/v1/identities', { kind: 'email', subject: anna });
    await setMailServer();
    await at(token, 'email', { email: anna });
    const email = await mail.mailTo(anna);
    secrets.push(codeIn(email), secretIn(email));
    return at(token, 'email/proof', { code: codeIn(email) });
  },
  async provider(token: string) {
    await treasury.client.post('/v1/identities', { kind: 'provider', subject: 'anna-1' });
    await treasury.client.post('/v1/sign-in/provider', {
      provider: { name: 'P', issuer: provider.issuer, clientId: 'treasury', clientSecret },
    });
    const { body } = await at(token, 'provider');
    secrets.push(body['state']);
    const callback = await provider.signIn(body['url'], 'anna-1');
    secrets.push(new URLSearchParams(callback).get('code') ?? '');
    return at(token, 'provider/proof', { state: body['state'], callback });
  },
};

describe('codes by e-mail', () => {
  it('are sent for a link that a terminal of this data folder opened, even after strangers used up theirs', async () => {
    const carl = 'carl@example.com';
    await setMailServer();
    for (let links = 0; links < 5; links += 1) await at((await openLink()).token, 'email', { email: carl });
    expect((await at((await openLink()).token, 'email', { email: carl })).status).toBe(429);
    const endpoint = readEndpoint(treasury.dataDir);
    const { token } = await createHostClient(endpoint, null).ask('openLink', { body: {} });
    expect((await at(token, 'email', { email: carl })).status).toBe(200);
  });
});

describe('a person who signed in', () => {
  it.each(['wallet', 'email', 'provider'] as const)(
    'by %s completes this link, and no other',
    async (way) => {
      const [{ token, pollSecret }, other] = [await openLink(), await openLink()];
      const { status, body } = await ways[way](token);
      expect(status).toBe(200);
      const bearer = String(body['token']);
      secrets.push(bearer);
      expect((await complete(other.token, bearer, 'not-this')).status).toBe(401);
      expect((await complete(token, bearer, `by-${way}`)).body).toEqual({
        status: 'complete',
        agentId: `by-${way}`,
      });
      const polled = await anybody.get(`/v1/link-sessions/${token}`, { token: pollSecret, owner: null });
      expect(polled.body).toMatchObject({ status: 'complete', agentId: `by-${way}` });
      secrets.push(polled.body['apiKey']);
      // It works once.
      expect((await complete(token, bearer, 'another')).status).toBeGreaterThanOrEqual(400);
      expect((await at(token, 'wallet')).status).toBe(404);
    },
  );
});

describe('a person who does not know the known addresses', () => {
  it('gets the same status, headers and body', async () => {
    const { token } = await openLink();
    const answers = [];
    for (const email of [anna, nobody]) {
      const { status, text, headers } = await at(token, 'email', { email });
      // The expiry is the session's, and so the same for both; only the clock may advance by a second.
      answers.push({ status, text, headers: { ...headers, date: '' } });
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]?.status).toBe(200);
  });
});

describe('settings and identities', () => {
  it('are the owner’s, and missing identities are not found', async () => {
    expect((await anybody.get('/v1/sign-in/settings')).status).toBe(401);
    expect((await treasury.client.call('DELETE', '/v1/identities/idn_none')).status).toBe(404);
    const { body, text } = await treasury.client.get('/v1/sign-in/settings');
    expect(body['redirectUri']).toBe(`${treasury.host.url}/link`);
    expect(text).not.toContain(password);
  });
});

describe('the log', () => {
  it('at its most verbose has no code, secret, password or token', () => {
    const log = readFileSync(join(folder, 'log'), 'utf8');
    expect(log).toContain('somebody signed in');
    expect(log).toContain('a sign-in code was handed to the mail server');
    expect(secrets.length).toBeGreaterThan(15);
    for (const secret of secrets)
      expect(new RegExp(`(?<![\\w-])${RegExp.escape(secret)}(?![\\w-])`).test(log)).toBe(false);
  });
});
