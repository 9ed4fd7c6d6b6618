// The owner at the public door: nobody while the switch is off, and with it on those alone who signed in there.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { get, request, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fingerprintOf, hashOfKey, healthProof } from '../../../server/contract/host/health-proof.ts';
import { routes, type Route, type RouteName } from '../../../server/contract/routes.ts';
import { createLogins } from '../../../server/http/logins.ts';
import { createOwnerTokens } from '../../../server/http/owner-token.ts';
import { createPageTickets } from '../../../server/http/page-tickets.ts';
import { mostOfStrangers } from '../../../server/http/public-limit.ts';
import type { Answer, Sent } from '../../harness/http-client.ts';
import { reservedPayment } from '../../harness/engine/payment-row.ts';
import {
  deploy,
  instantly,
  openTreasury,
  removeFolder,
  temporaryFolder,
  type TestAgent,
  type Treasury,
  until,
} from '../../harness/treasury.ts';
import { admit, isOpen, loginOf, navigation, signInBy, ticketIn, writePages } from './session-pages.ts';

const host = 'treasury.example.ts.net';
const publicUrl = `https://${host}`;
/** Strangers have a limit in ten seconds: between the tests it is over. */
let ahead = 0;
const clock = { wall: () => Date.now(), monotonic: () => performance.now() + ahead };
let folder: string;
let treasury: Treasury;
let agent: TestAgent;
beforeAll(async () => {
  folder = temporaryFolder();
  treasury = await openTreasury({ clock, dashboard: writePages(folder) });
  agent = await deploy(treasury.client, 'payer');
});
afterAll(async () => {
  await treasury.close();
  removeFolder(folder);
});
beforeEach(() => void (ahead += 10_000));

const set = async (body: object): Promise<Answer> => treasury.client.post('/v1/public-address', body);
const turn = async (ownerSessions: boolean): Promise<void> => {
  expect((await set({ url: publicUrl, ownerSessions })).status).toBe(200);
};
/** As the tunnel sends it on. */
const far = (method: string, path: string, sent: Sent = {}): Promise<Answer> =>
  treasury.client.call(method, path, { ...sent, headers: { ...sent.headers, host } });
const stranger = { token: null, owner: null };
const cookie = (): string => readFileSync(treasury.host.cookieFile ?? '', 'utf8');

const tried = (sent: Promise<Answer>): Promise<number> => sent.then(({ status }) => status);

/** A terminal that asked through the public address, and that the owner let in on this machine. */
const farTerminal = async (): Promise<string> => {
  const { body } = await far('POST', '/v1/logins', { ...stranger, body: { terminal: 'far' } });
  const granted = await treasury.client.post(`/v1/logins/${body['loginId']}/grant`);
  expect(granted.body['viaPublicAddress']).toBe(true);
  const claim = { ...stranger, body: { pollSecret: body['pollSecret'] } };
  const { body: claimed } = await far('POST', `/v1/logins/${body['loginId']}/claim`, claim);
  return String(claimed['token']);
};
const farSession = async (): Promise<string> => {
  const token = await farTerminal();
  const { body } = await far('POST', '/v1/session', { ...stranger, body: { token } });
  return String(body['session']);
};
const letsIn = async (token: string): Promise<boolean> =>
  (await far('GET', '/v1/about', { token })).status === 200;

const everyRoute = Object.entries(routes) as [RouteName, Route][];
const pathOf = ({ path }: Route): string => path.replaceAll(':agentId', 'payer').replaceAll(/:\w+/g, 'none');

describe('while the owner may not sign in there', () => {
  it('no route takes a credential of the owner, of any kind, for more than none at all', async () => {
    await turn(true);
    const before = await farSession();
    await turn(false);
    const local = await signInBy(treasury.client, { token: loginOf(treasury.host) });
    const credentials = {
      'a wrong key': `atk_${'A'.repeat(43)}`,
      'the cookie file': cookie(),
      'a local session': local,
      'a one-time login': loginOf(treasury.host),
      'a session from before': before,
    };
    const wrong: string[] = [];
    for (const [name, route] of everyRoute) {
      ahead += 10_000;
      const sent = route.method === 'GET' ? {} : { body: { nonsense: 1 } };
      const ask = (token: string | null): Promise<Answer> =>
        far(route.method, pathOf(route), { ...sent, token });
      const { status } = await ask(null);
      const isPublic = route.access === 'public';
      if (!isPublic && status !== 401) wrong.push(`${name} without a key: ${status}`);
      if (isPublic && route.method !== 'GET' && status < 400) wrong.push(`${name}: ${status}`);
      for (const [whose, token] of Object.entries(credentials)) {
        // Asking again at once is one poll too many.
        if (name === 'getLink') continue;
        const answer = await ask(token);
        if (answer.status !== status) wrong.push(`${name} with ${whose}: ${answer.status}, not ${status}`);
      }
      if (route.access === 'owner') {
        const { status: ofAgent } = await ask(agent.key);
        if (ofAgent !== 403) wrong.push(`${name} as an agent: ${ofAgent}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(await isOpen(treasury.client, local)).toBe(true);
  });

  it.each([
    ['POST', '/v1/session', () => ({ passphrase: 'any' })],
    ['POST', '/v1/session', () => ({ token: loginOf(treasury.host) })],
    ['POST', '/v1/session', () => ({ token: cookie() })],
    ['POST', '/v1/session', () => ({ page: 'A'.repeat(43) })],
    ['POST', '/v1/logins', () => ({ terminal: 'far' })],
    ['POST', '/v1/logins', () => ({ terminal: 'far', passphrase: 'any' })],
  ])('%s %s is refused, and says where the owner signs in', async (method, path, body) => {
    await turn(false);
    const answer = await far(method, path, { ...stranger, body: body() });
    expect(answer.status).toBe(403);
    expect(answer.body['error']).toContain('on the treasury’s own machine');
  });

  it('serves the page of a link there, and no dashboard', async () => {
    await turn(false);
    const typed = { ...stranger, headers: { accept: 'text/html', ...navigation } };
    const page = await far('GET', '/', typed);
    expect([page.status, page.text.includes('public address')]).toEqual([404, true]);
    expect(page.text).not.toContain('csp-nonce');
    expect((await far('GET', '/link?token=x', typed)).text).toContain('csp-nonce');
    expect((await treasury.client.get('/', typed)).text).toContain('csp-nonce');
  });

  it('answers agents: a payment, its history, its events', async () => {
    await turn(false);
    const body = { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' };
    const paid = await far('POST', '/v1/agents/payer/pay', { token: agent.key, body });
    expect([paid.status, paid.body['status']]).toEqual([200, 'confirmed']);
    expect(
      (await far('GET', '/v1/agents/payer/spend-history', { token: agent.key })).body['payments'],
    ).toHaveLength(1);
  });
});

describe('while the owner may sign in there', () => {
  it('a terminal that the owner let in has a token for that door alone, and so has its session', async () => {
    await turn(true);
    const token = await farTerminal();
    const session = await farSession();
    for (const one of [token, session]) {
      expect(await letsIn(one)).toBe(true);
      expect((await treasury.client.as(one).get('/v1/about')).status).toBe(401);
    }
    for (const one of [cookie(), await signInBy(treasury.client, { token: loginOf(treasury.host) })])
      expect(await letsIn(one)).toBe(false);
  });

  it('a login by file or by one-time address works on this machine alone, and is not used up', async () => {
    await turn(true);
    const login = loginOf(treasury.host);
    for (const token of [login, cookie()]) {
      const { status, body } = await far('POST', '/v1/session', { ...stranger, body: { token } });
      expect(status).toBe(401);
      expect(body['error']).toContain('own machine');
    }
    expect(await signInBy(treasury.client, { token: login })).toMatch(/^own_/);
  });

  it('a page cannot cross from one door to the other', async () => {
    await turn(true);
    const local = await signInBy(treasury.client, { token: loginOf(treasury.host) });
    const session = await farSession();
    const near = await ticketIn(treasury.client);
    const { text } = await far('GET', '/', { ...stranger, headers: navigation });
    const distant = /name="ticket" content="([^"]*)"/.exec(text)?.[1] ?? '';
    const farAdmit = (ticket: string) =>
      far('POST', '/v1/session/pages', { token: session, body: { pageId: ticket.split('.')[0] } });
    expect(await admit(treasury.client, local, distant)).toBe(true);
    expect((await far('POST', '/v1/session', { ...stranger, body: { page: distant } })).status).toBe(401);
    expect((await farAdmit(near)).body['admitted']).toBe(true);
    expect((await treasury.client.post('/v1/session', { page: near }, stranger)).status).toBe(401);
    expect((await farAdmit(distant)).body['admitted']).toBe(true);
    expect((await treasury.client.post('/v1/session', { page: distant }, stranger)).status).toBe(401);
    expect((await far('POST', '/v1/session', { ...stranger, body: { page: distant } })).status).toBe(200);
  });

  it('a login is claimed at the door where it was asked for', async () => {
    await turn(true);
    const { body } = await treasury.client.post('/v1/logins', { terminal: 'near' }, stranger);
    await treasury.client.post(`/v1/logins/${body['loginId']}/grant`);
    const claim = { ...stranger, body: { pollSecret: body['pollSecret'] } };
    expect((await far('POST', `/v1/logins/${body['loginId']}/claim`, claim)).status).toBe(404);
    const near = await treasury.client.post(`/v1/logins/${body['loginId']}/claim`, claim.body, stranger);
    expect(near.body['token']).toMatch(/^own_/);
  });

  it('the address is changed on this machine alone', async () => {
    await turn(true);
    const token = await farSession();
    expect((await far('GET', '/v1/public-address', { token })).body).toMatchObject({
      url: publicUrl,
      mayChange: false,
    });
    for (const body of [{ url: null }, { ownerSessions: false }, { url: 'https://evil.example.com' }])
      expect((await far('POST', '/v1/public-address', { token, body })).status).toBe(403);
    expect((await treasury.client.get('/v1/diagnostics')).body['publicUrl']).toBe(publicUrl);
  });
});

const listenFar = (token: string) =>
  new Promise<{ isOver(): boolean }>((resolve) => {
    const { port } = new URL(treasury.host.url);
    const path = `/v1/events?owner=${treasury.owner}`;
    get(
      { host: '127.0.0.1', port, path, agent: false, headers: { host, authorization: `Bearer ${token}` } },
      (response) => {
        // A stream that is cut off ends with an error.
        response.on('error', () => {});
        response.once('data', () => resolve({ isOver: () => response.closed })).resume();
      },
    );
  });

describe('all that came in through the public door is over at once', () => {
  it.each([
    ['the switch is turned off', { ownerSessions: false }],
    ['the address is removed', { url: null }],
    ['the address is another', { url: 'https://other.example.com', ownerSessions: true }],
  ])('when %s, and stays over', async (_, change) => {
    await turn(true);
    const [token, session] = [await farTerminal(), await farSession()];
    const local = await signInBy(treasury.client, { token: loginOf(treasury.host) });
    const { body: waiting } = await far('POST', '/v1/logins', { ...stranger, body: { terminal: 'far' } });
    const stream = await listenFar(session);
    expect((await set(change)).status).toBe(200);
    await until('the stream to end', stream.isOver);
    expect((await treasury.client.post(`/v1/logins/${waiting['loginId']}/grant`)).status).toBe(409);
    await turn(true);
    for (const one of [token, session]) expect(await letsIn(one)).toBe(false);
    expect(await isOpen(treasury.client, local)).toBe(true);
  });

  it('and a request whose body was still to arrive is refused', async () => {
    await turn(true);
    const token = await farSession();
    const { port } = new URL(treasury.host.url);
    const body = '{"reason":"late"}';
    const sent = request({
      host: '127.0.0.1',
      port,
      path: `/v1/freeze?owner=${treasury.owner}`,
      method: 'POST',
      agent: false,
      headers: {
        host,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': body.length,
        // The host says so once it has read the headers.
        expect: '100-continue',
      },
    });
    const answered = once(sent, 'response');
    sent.flushHeaders();
    await once(sent, 'continue');
    await turn(false);
    sent.end(body);
    const [response] = (await answered) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(401);
    expect(treasury.host.engine.context.store.freeze.get()).toBeNull();
  });

  it('and a document on its way breaks off', async () => {
    const { store } = treasury.host.engine.context;
    const { agentId, wallet } = agent;
    const refusal = { code: 'daily_budget', message: 'x', details: {} } as const;
    const denied = { state: 'denied', description: 'x'.repeat(1_000), refusal } as const;
    // More than the sockets between the two hold.
    store.atomically(() => {
      for (let n = 0; n < 10_000; n += 1) {
        const own = { id: `denied-${n}`, agentId, walletIndex: 1, wallet, createdAt: Date.now() };
        store.transfers.insert(reservedPayment({ ...own, ...denied, amount: 1n }));
      }
    });
    await turn(true);
    const headers = { host, authorization: `Bearer ${await farSession()}` };
    const { port } = new URL(treasury.host.url);
    const path = `/v1/statement?format=json&owner=${treasury.owner}`;
    const sent = get({ host: '127.0.0.1', port, path, agent: false, headers });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    await turn(false);
    const error = await new Promise((resolve) => response.on('error', resolve).on('end', resolve).resume());
    expect(error).toMatchObject({ code: 'ECONNRESET' });
  });

  it('and a login that was granted before, and claimed after, is worth nothing', async () => {
    await turn(true);
    const { body } = await far('POST', '/v1/logins', { ...stranger, body: { terminal: 'far' } });
    await treasury.client.post(`/v1/logins/${body['loginId']}/grant`);
    await turn(false);
    await turn(true);
    const claim = { ...stranger, body: { pollSecret: body['pollSecret'] } };
    const { body: claimed } = await far('POST', `/v1/logins/${body['loginId']}/claim`, claim);
    expect(await letsIn(String(claimed['token']))).toBe(false);
  });
});

describe('a passphrase that is proven while the door closes', () => {
  it('opens neither a session nor a terminal', async () => {
    let isOn = true;
    const tokens = createOwnerTokens();
    const { operations } = createLogins({
      owner: 'owner',
      tokens,
      tickets: createPageTickets(),
      known: { browser: 'known' },
      admitsOwner: ({ name }) => name === 'local' || isOn,
      checkPassphrase: async () => void (isOn = false),
      publish: () => {},
    });
    const caller = { role: 'nobody', bearer: null, known: null } as const;
    const door = { name: 'public', url: publicUrl } as const;
    const call = { caller, door, params: {}, query: {}, key: null, waitMs: null };
    const session = operations.openSession({ ...call, body: { passphrase: 'right' } });
    await expect(session).rejects.toMatchObject({ code: 'forbidden' });
    isOn = true;
    const login = operations.openLogin({ ...call, body: { terminal: 't', passphrase: 'right' } });
    await expect(login).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('the setting', () => {
  it('begins without the switch at another address, and keeps it at the same', async () => {
    await turn(true);
    expect((await set({ url: `${publicUrl}/` })).body).toMatchObject({ url: publicUrl, ownerSessions: true });
    expect((await set({ url: 'https://other.example.com' })).body['ownerSessions']).toBe(false);
    expect((await set({ url: publicUrl })).body['ownerSessions']).toBe(false);
    expect((await set({ url: null })).body).toMatchObject({ url: null, ownerSessions: false });
    expect((await set({ ownerSessions: true })).status).toBe(400);
    expect((await far('GET', '/v1/health', stranger)).status).toBe(403);
  });

  it('gives way to the address of the start, which begins without the switch', async () => {
    const dataDir = temporaryFolder();
    const at = async (more: readonly string[], body?: object) => {
      const one = await openTreasury({ dataDir, args: [...instantly, ...more] });
      if (body !== undefined) await one.client.post('/v1/public-address', body);
      const answer = await one.client.get('/v1/public-address');
      const refused = await one.client.post('/v1/public-address', { url: 'https://third.example.com' });
      await one.close();
      return { ...answer.body, refused: refused.status };
    };
    const other = 'https://other.example.com';
    expect(await at(['--public-url', publicUrl], { ownerSessions: true })).toMatchObject({
      url: publicUrl,
      ownerSessions: true,
      givenAtStart: true,
      refused: 409,
    });
    expect(await at(['--public-url', other])).toMatchObject({ url: other, ownerSessions: false });
    expect(await at(['--public-url', publicUrl])).toMatchObject({ url: publicUrl, ownerSessions: true });
    // The start's address is not kept.
    expect(await at([])).toMatchObject({
      url: null,
      ownerSessions: false,
      givenAtStart: false,
      refused: 200,
    });
    removeFolder(dataDir);
  });

  it('is written into what agents are started with, and into links that were asked for there', async () => {
    await set({ url: null });
    const { body: before } = await treasury.client.post('/v1/agents/payer/keys', { label: 'before' });
    await turn(false);
    const { body: after } = await treasury.client.post('/v1/agents/payer/keys', { label: 'after' });
    expect([before['mcpConfig'].env.TREASURY_URL, after['mcpConfig'].env.TREASURY_URL]).toEqual([
      treasury.host.url,
      publicUrl,
    ]);
    const link = await far('POST', '/v1/link-sessions', { ...stranger, body: {} });
    expect(link.body['linkUrl']).toMatch(/^https:\/\/treasury\.example\.ts\.net\/link\?token=/);
    const near = await treasury.client.post('/v1/link-sessions', {}, stranger);
    expect(near.body['linkUrl']).toContain(`${treasury.host.url}/link`);
    const { body: wallet } = await far('POST', `/v1/link-sessions/${link.body['token']}/wallet`, stranger);
    expect(wallet).toMatchObject({ domain: host, uri: `${publicUrl}/link` });
    const { body: settings } = await treasury.client.get('/v1/sign-in/settings');
    expect([settings['redirectUri'], settings['publicRedirectUri']]).toEqual([
      `${treasury.host.url}/link`,
      `${publicUrl}/link`,
    ]);
  });

  it('makes it a place that this treasury asks nothing of, and signs in at never', async () => {
    await turn(false);
    for (const url of [`${publicUrl}/v1/health`, `${publicUrl}/sandbox/weather`]) {
      const { status, body } = await treasury.client.post('/v1/services/preview', { url });
      expect([status, body['error']]).toEqual([400, expect.stringContaining('the treasury itself')]);
    }
  });

  it('lets this host prove itself at each door, for the address of that door', async () => {
    await turn(true);
    const hash = hashOfKey(agent.key);
    const nonce = randomBytes(16).toString('hex');
    const path = `/v1/health?nonce=${nonce}&key=${fingerprintOf(hash)}`;
    expect((await far('GET', path, stranger)).body['proof']).toBe(healthProof(hash, nonce, publicUrl));
    expect((await treasury.client.get(path, stranger)).body['proof']).toBe(
      healthProof(hash, nonce, treasury.host.url),
    );
    // Not that of a session of the other door.
    const ofLocal = hashOfKey(await signInBy(treasury.client, { token: loginOf(treasury.host) }));
    const asked = `/v1/health?nonce=${nonce}&key=${fingerprintOf(ofLocal)}`;
    expect((await far('GET', asked, stranger)).body['proof']).not.toBe(
      healthProof(ofLocal, nonce, publicUrl),
    );
  });
});

describe('strangers at the public door', () => {
  it('share one limit, which neither a valid key nor anybody on this machine draws on', async () => {
    await turn(true);
    const session = await farSession();
    ahead += 10_000;
    const wrong = (): Promise<Answer> =>
      far('GET', '/v1/agents/payer/balance', { token: `atk_${'B'.repeat(43)}` });
    const statuses = await Promise.all(Array.from({ length: mostOfStrangers + 40 }, wrong));
    expect(statuses.filter(({ status }) => status === 401)).toHaveLength(mostOfStrangers);
    const refused = statuses.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(40);
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
    for (const path of ['/', '/link', '/v1/health', '/v1/openapi.json', '/v1/nothing'])
      expect((await far('GET', path, stranger)).status, path).toBe(429);
    for (let count = 0; count < 200; count += 1)
      expect((await far('GET', '/v1/agents/payer/balance', { token: agent.key })).status).toBe(200);
    expect(await letsIn(session)).toBe(true);
    const proof = `/v1/health?nonce=${'0'.repeat(32)}&key=${fingerprintOf(hashOfKey(agent.key))}`;
    expect((await far('GET', proof, stranger)).status).toBe(200);
    expect((await treasury.client.get('/v1/health', stranger)).status).toBe(200);
    expect((await treasury.client.get('/v1/dashboard')).status).toBe(200);
    expect((await treasury.client.get('/v1/about', { token: 'own_wrong' })).status).toBe(401);
    ahead += 10_000;
    expect((await wrong()).status).toBe(401);
  });

  it('push no login and no link of this machine out of the list', async () => {
    await turn(true);
    const login = await treasury.client.post('/v1/logins', { terminal: 'near' }, stranger);
    const link = await treasury.client.post('/v1/link-sessions', { machine: 'near' }, stranger);
    for (let count = 0; count < 60; count += 1) {
      ahead += 1_000;
      await far('POST', '/v1/logins', { ...stranger, body: { terminal: 'far' } });
      await far('POST', '/v1/link-sessions', { ...stranger, body: { machine: 'far' } });
    }
    const { logins } = (await treasury.client.get('/v1/logins')).body;
    const { links } = (await treasury.client.get('/v1/link-sessions')).body;
    expect(logins.map((one: { loginId: string }) => one.loginId)).toContain(login.body['loginId']);
    expect(links.map((one: { code: string }) => one.code)).toContain(link.body['code']);
  });

  it('use up no passphrase tries of this machine', async () => {
    await turn(true);
    const body = { terminal: 't', passphrase: 'a' };
    for (let count = 0; count < 5; count += 1)
      expect(await tried(far('POST', '/v1/logins', { ...stranger, body }))).toBe(400);
    expect(await tried(far('POST', '/v1/logins', { ...stranger, body }))).toBe(429);
    expect(await tried(treasury.client.post('/v1/logins', body, stranger))).toBe(400);
  });
});
