// Signing in with a real OpenID Connect provider on this machine; the test acts as the browser and as an attacker.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../harness/programs/free-port.ts';
import { clientSecret, openProvider, type TestProvider } from './identity-provider.ts';
import {
  hour,
  minute,
  openSignIn,
  refusalOf,
  url,
  type SignInTreasury,
  type TestLink,
} from './sign-in-treasury.ts';

const accounts = [
  { sub: 'anna-1' },
  { sub: 'berta-2', email: 'Berta@Example.com', email_verified: true },
  { sub: 'mallory-3', email: 'berta@example.com', email_verified: false },
  { sub: 'mallory-4', email: 'berta@example.com' },
  { sub: 'stranger-5', email: 'stranger@example.com', email_verified: true },
];

let provider: TestProvider;
let treasury: SignInTreasury;
let identities: { anna: string; berta: string };
beforeAll(async () => {
  provider = await openProvider(accounts);
});
afterAll(() => provider.close());
beforeEach(async () => {
  treasury = openSignIn();
  treasury.hide(clientSecret);
  identities = {
    anna: await treasury.addIdentity('provider', 'anna-1'),
    berta: await treasury.addIdentity('provider', 'Berta@example.com'),
  };
  await set();
  return () => treasury.close();
});

const settings = (change: object = {}) => ({
  name: 'Our Provider',
  issuer: provider.issuer,
  clientId: 'treasury',
  clientSecret,
  ...change,
});
const set = (change?: object) => treasury.call('setProvider', { provider: settings(change) });
const ask = async (link: TestLink) => {
  const asked = await treasury.at(link, 'askProvider');
  treasury.hide(asked.state);
  return asked;
};
const prove = (link: TestLink, state: string, callback: string) => {
  const code = new URLSearchParams(callback).get('code');
  if (code !== null) treasury.hide(code);
  return treasury.at(link, 'proveProvider', { state, callback });
};
/** Goes through everything up to the browser's return. */
const comeBack = async (sub: string, link = treasury.newLink()) => {
  const { url: at, state } = await ask(link);
  return { link, state, callback: await provider.signIn(at, sub) };
};
const changed = (callback: string, change: Record<string, string | null>): string => {
  const query = new URLSearchParams(callback);
  for (const [name, value] of Object.entries(change))
    if (value === null) query.delete(name);
    else query.set(name, value);
  return `?${query}`;
};

describe('an account that the owner added', () => {
  it('signs in by its "sub"', async () => {
    const { link, state, callback } = await comeBack('anna-1');
    const { token, identity } = await prove(link, state, callback);
    expect(treasury.signIn.identityOf(token)).toEqual({ identityId: identities.anna, linkId: link.id });
    expect(identity).toEqual({ kind: 'provider', label: 'anna-1' });
    // The others are the browser's.
    const ours = provider.asked().filter((one) => /^\/(?:\.well-known|token|jwks)/.test(one));
    const paths = ['/.well-known/openid-configuration', '/jwks', '/token'];
    expect(ours.toSorted()).toEqual(paths.map((path) => `${path} close`));
  });

  it('signs in by its e-mail address, which the provider has verified', async () => {
    const { link, state, callback } = await comeBack('berta-2');
    const { token } = await prove(link, state, callback);
    expect(treasury.signIn.identityOf(token)?.identityId).toBe(identities.berta);
  });

  it.each([
    ['in the body', { clientId: 'in-the-body' }],
    ['without a secret', { clientId: 'public', clientSecret: undefined }],
  ])('signs in when the client authenticates %s', async (_, change) => {
    const methods = change.clientId === 'in-the-body' ? { methods: 'client_secret_post' as const } : {};
    const other = change.clientId === 'in-the-body' ? await openProvider(accounts, methods) : provider;
    await treasury.call('setProvider', { provider: null });
    identities.anna = await treasury.addIdentity('provider', 'anna-1');
    await set({ ...change, issuer: other.issuer });
    const link = treasury.newLink();
    const { url: at, state } = await ask(link);
    expect((await prove(link, state, await other.signIn(at, 'anna-1'))).token).toMatch(/^sin_/);
    if (other !== provider) await other.close();
  });

  it('is requested with PKCE, state and nonce, and with the link page as the way back', async () => {
    const link = treasury.newLink();
    const { url: at, state } = await ask(link);
    const asked = new URL(at);
    expect(asked.origin).toBe(provider.issuer);
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      client_id: 'treasury',
      response_type: 'code',
      redirect_uri: `${url}/link`,
      scope: 'openid email',
      state,
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(at).not.toContain(link.token);
  });
});

describe('a sign-in is refused for', () => {
  it.each(['mallory-3', 'mallory-4', 'stranger-5'])('%s, whom the owner did not add', async (sub) => {
    const { link, state, callback } = await comeBack(sub);
    expect((await refusalOf(prove(link, state, callback))).code).toBe('forbidden');
  });

  it('a used answer, even when a hundred send it at once', async () => {
    const { link, state, callback } = await comeBack('anna-1');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, () => prove(link, state, callback)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await refusalOf(prove(link, state, callback))).code).toBe('unauthorized');
  });

  it('another state, in the request and in the answer', async () => {
    const { link, state, callback } = await comeBack('anna-1');
    const other = (await ask(link)).state;
    for (const [given, query] of [
      ['x'.repeat(43), changed(callback, { state: 'x'.repeat(43) })],
      ['x'.repeat(43), callback],
      [other, callback],
      [state, changed(callback, { state: null })],
    ] as const)
      expect((await refusalOf(prove(link, given, query))).code).toBe('unauthorized');
    const second = await comeBack('anna-1');
    const forged = changed(second.callback, { state: 'x'.repeat(43) });
    expect((await refusalOf(prove(second.link, second.state, forged))).code).toBe('unauthorized');
  });

  it('the answer to another link session’s request', async () => {
    const mine = await comeBack('anna-1');
    const other = treasury.newLink();
    expect((await refusalOf(prove(other, mine.state, mine.callback))).code).toBe('unauthorized');
    expect((await prove(mine.link, mine.state, mine.callback)).token).toMatch(/^sin_/);
  });

  it('another person’s code in one’s own sign-in (PKCE)', async () => {
    const [victim, attacker] = [await comeBack('anna-1'), await comeBack('stranger-5')];
    const code = new URLSearchParams(victim.callback).get('code');
    const injected = changed(attacker.callback, { code });
    expect((await refusalOf(prove(attacker.link, attacker.state, injected))).code).toBe('unauthorized');
  });

  it('an ID token for another nonce', async () => {
    const link = treasury.newLink();
    const { url: at, state } = await ask(link);
    const asked = new URL(at);
    asked.searchParams.set('nonce', 'another');
    const callback = await provider.signIn(asked.href, 'anna-1');
    expect((await refusalOf(prove(link, state, callback))).code).toBe('unauthorized');
  });

  it('an answer of another issuer, or of none (RFC 9207)', async () => {
    for (const iss of ['https://evil.example', null]) {
      const { link, state, callback } = await comeBack('anna-1');
      expect(new URLSearchParams(callback).get('iss')).toBe(provider.issuer);
      expect((await refusalOf(prove(link, state, changed(callback, { iss })))).code).toBe('unauthorized');
    }
  });

  it('a person who refused at the provider, with that reason', async () => {
    const link = treasury.newLink();
    const { url: at, state } = await ask(link);
    const refusal = await refusalOf(prove(link, state, await provider.refuse(at)));
    expect([refusal.code, refusal.message]).toEqual([
      'unauthorized',
      'Our Provider did not sign you in (access_denied).',
    ]);
  });

  it('an old answer, an ended link, and a removed identity', async () => {
    const late = await comeBack('anna-1');
    Object.assign(late.link, { expiresAt: late.link.expiresAt + hour });
    treasury.clock.now += 10 * minute;
    expect((await refusalOf(prove(late.link, late.state, late.callback))).code).toBe('unauthorized');
    const ended = await comeBack('anna-1');
    const underWay = prove(ended.link, ended.state, ended.callback);
    treasury.end(ended.link);
    expect((await refusalOf(underWay)).code).toBe('not_found');
    const removed = await comeBack('anna-1');
    await treasury.call('removeIdentity', {}, { identityId: identities.anna });
    expect((await refusalOf(prove(removed.link, removed.state, removed.callback))).code).toBe('forbidden');
  });

  it('the oldest of six open sign-ins of one link session', async () => {
    const first = await comeBack('anna-1');
    for (let count = 0; count < 5; count += 1) await ask(first.link);
    expect((await refusalOf(prove(first.link, first.state, first.callback))).code).toBe('unauthorized');
  });
});

describe('the provider’s metadata', () => {
  it('is read once an hour, and again after a failure', async () => {
    const before = provider.discoveries();
    for (let count = 0; count < 3; count += 1) await ask(treasury.newLink());
    await Promise.all([ask(treasury.newLink()), ask(treasury.newLink())]);
    expect(provider.discoveries()).toBe(before + 1);
    treasury.clock.now += hour;
    await ask(treasury.newLink());
    expect(provider.discoveries()).toBe(before + 2);
  });

  it('cannot be read while it is down: that is reported, and the next request succeeds', async () => {
    const short = await openProvider(accounts, { port: await freePort() });
    await set({ issuer: short.issuer });
    const link = treasury.newLink();
    const { state, url: at } = await ask(link);
    const callback = await short.signIn(at, 'anna-1');
    await short.close();
    expect((await refusalOf(prove(link, state, callback))).message).toContain('cannot be reached');
    const refusal = await refusalOf(ask(link));
    expect([refusal.code, refusal.message]).toEqual([
      'not_available',
      'Our Provider cannot be reached. Try again.',
    ]);
    const again = await openProvider(accounts, { port: Number(new URL(short.issuer).port) });
    expect((await ask(link)).url).toContain(again.issuer);
    await again.close();
  });
});

/** A server that answers every request with these metadata. */
const pretend = async (
  metadata: (origin: string) => object,
): Promise<{ origin: string; close(): Promise<void> }> => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(metadata(origin)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { origin, close };
};
const endpoints = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/auth`,
  token_endpoint: `${origin}/token`,
  jwks_uri: `${origin}/jwks`,
});

describe('the owner’s setting', () => {
  it('shows no secret, and keeps it while issuer and client stay', async () => {
    const shown = await set({ clientSecret: undefined, name: 'Another Name' });
    const { clientSecret: _secret, ...open } = settings();
    expect(shown.provider).toEqual({ ...open, name: 'Another Name', hasSecret: true });
    expect(JSON.stringify(shown)).not.toContain(clientSecret);
    expect(shown.redirectUri).toBe(`${url}/link`);
    for (const change of [{ clientId: 'public' }, { clientId: 'treasury' }])
      expect((await set({ clientSecret: undefined, ...change })).provider?.hasSecret).toBe(false);
    await set();
    expect((await treasury.call('setProvider', { provider: null })).provider).toBeNull();
    expect(treasury.secrets.get('sign-in-provider-secret')).toEqual(Buffer.alloc(0));
  });

  it('is reported as refused when the provider does not accept the client’s secret', async () => {
    await set({ clientSecret: 'wrong' });
    const { link, state, callback } = await comeBack('anna-1');
    const refusal = await refusalOf(prove(link, state, callback));
    expect([refusal.code, refusal.message]).toEqual([
      'not_available',
      expect.stringContaining('client id and secret'),
    ]);
  });

  it('of another issuer ends the identities of the former one, whose names mean other people there', async () => {
    await treasury.addIdentity('email', 'anna@example.com');
    const { link, state, callback } = await comeBack('anna-1');
    const { token } = await prove(link, state, callback);
    const begun = await comeBack('anna-1');
    await set({ name: 'Same issuer' });
    expect((await treasury.call('getSignIn')).identities).toHaveLength(3);
    expect((await refusalOf(prove(begun.link, begun.state, begun.callback))).code).toBe('unauthorized');
    const other = await openProvider([{ sub: 'anna-1' }]);
    const { identities: left } = await set({ issuer: other.issuer });
    expect(left.map(({ kind }) => kind)).toEqual(['email']);
    expect(treasury.signIn.identityOf(token)).toBeUndefined();
    await other.close();
  });

  it('does not affect a sign-in that is under way', async () => {
    const { link, state, callback } = await comeBack('anna-1');
    const underWay = refusalOf(prove(link, state, callback));
    await treasury.call('setProvider', { provider: null });
    expect((await underWay).code).toBe('unauthorized');
  });

  it('is refused for an issuer that is not https, unless it is on this computer', async () => {
    for (const issuer of ['http://example.com', 'http://10.0.0.1', 'http://127.0.0.1.example.com'])
      expect((await refusalOf(set({ issuer }))).message, issuer).toMatch(/^provider\.issuer: .*https/);
  });

  it('is refused for an address that is not an issuer’s', async () => {
    for (const issuer of [
      `${provider.issuer}/.well-known/openid-configuration`,
      `${provider.issuer}/?tenant=1`,
      `${provider.issuer}/#here`,
      provider.issuer.replace('//', '//me:secret@'),
    ])
      expect((await refusalOf(set({ issuer }))).message, issuer).toMatch(/^provider\.issuer: .*no query/);
  });

  it('is refused, with the reason, when nothing answers there', async () => {
    const gone = await openProvider([]);
    await gone.close();
    const { code, message } = await refusalOf(set({ issuer: gone.issuer }));
    expect(code).toBe('bad_request');
    expect(message).toMatch(/^provider\.issuer: cannot be used \(.*ECONNREFUSED.*\)\.$/);
    expect((await treasury.call('getSignIn')).provider?.issuer).toBe(provider.issuer);
  });

  it.each([
    ['metadata of another issuer', () => ({ issuer: 'https://example.com' })],
    [
      'an authorization endpoint elsewhere without https',
      () => ({ authorization_endpoint: 'http://example.com/' }),
    ],
    [
      'an authorization endpoint that is no web page',
      () => ({ authorization_endpoint: 'javascript:alert(1)' }),
    ],
    ['a token endpoint elsewhere without https', () => ({ token_endpoint: 'http://example.com/' })],
    ['keys elsewhere without https', () => ({ jwks_uri: 'http://example.com/' })],
    ['a UserInfo endpoint elsewhere without https', () => ({ userinfo_endpoint: 'http://example.com/' })],
    ['no token endpoint', () => ({ token_endpoint: undefined })],
  ])('is refused for %s', async (_, change) => {
    const server = await pretend((origin) => ({ ...endpoints(origin), ...change() }));
    expect((await refusalOf(set({ issuer: server.origin }))).message).toMatch(
      /^provider\.issuer: cannot be used/,
    );
    await server.close();
  });
});
