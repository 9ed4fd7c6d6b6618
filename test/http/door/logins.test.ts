// The ways to become the owner: one-time logins, sessions, and a terminal that the owner lets in.
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../../server/engine/ports.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { AppError } from '../../../server/errors.ts';
import { createLogins } from '../../../server/http/logins.ts';
import { createOwnerTokens } from '../../../server/http/owner-token.ts';
import { createPageTickets } from '../../../server/http/page-tickets.ts';
import { useFolders } from '../../harness/folders.ts';
import type { Answer } from '../../harness/http-client.ts';
import { until } from '../../harness/treasury.ts';
import { client, treasury, useTreasury } from '../api-treasury.ts';
import { localDoor } from '../../harness/local-door.ts';
import { loginOf, writePages } from './session-pages.ts';

const minute = 60_000;
const hour = 60 * minute;

const newFolder = useFolders();
useTreasury(() => ({ dashboard: writePages(newFolder()) }));

const newLogin = (): string => loginOf(treasury.host);
const openSession = (token: string): Promise<Answer> =>
  client.post('/v1/session', { token }, { token: null, owner: null });
const status = async (token: string): Promise<number> => (await client.as(token).get('/v1/about')).status;

describe('a one-time login', () => {
  it('opens one session, with the owner’s rights, and no second', async () => {
    const login = newLogin();
    const first = await openSession(login);
    expect(first.status).toBe(200);
    expect(first.body['owner']).toBe(treasury.owner);
    expect(await status(first.body['session'])).toBe(200);
    expect((await openSession(login)).status).toBe(401);
  });

  it('opens exactly one session for 100 requests at once', async () => {
    const login = newLogin();
    const answers = await Promise.all(Array.from({ length: 100 }, () => openSession(login)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  });

  it('is not an owner token itself', async () => {
    expect(await status(newLogin())).toBe(401);
  });

  it('is not needed with the owner’s token; an agent’s API key opens no session', async () => {
    const { body } = await client.post('/v1/agents/deploy', {
      agentId: 'asker',
      dailyBudget: '1',
      maxPerPayment: '1',
    });
    expect((await openSession(String(body['mcpConfig'].env.TREASURY_API_KEY))).status).toBe(401);
    const session = await openSession(newLogin());
    expect((await openSession(session.body['session'])).status).toBe(200);
  });

  it('expires after ten minutes, a session after twelve hours', () => {
    let now = 1_000_000;
    const tokens = createOwnerTokens({ now: () => now });
    const [early, late] = [tokens.issueLogin(), tokens.issueLogin()];
    now += 10 * minute - 1;
    expect(tokens.takeLogin(early, 'local')).toBe(true);
    now += 1;
    expect(tokens.takeLogin(late, 'local')).toBe(false);
    const { token, expiresAt } = tokens.issue(12 * hour, 'local');
    now = expiresAt - 1;
    expect(tokens.isOwner(token, 'local')).toBe(true);
    now = expiresAt;
    expect(tokens.isOwner(token, 'local')).toBe(false);
  });
});

describe('a session', () => {
  it('ends on request, and no other with it', async () => {
    const [one, other] = [await openSession(newLogin()), await openSession(newLogin())];
    const mine = client.as(one.body['session']);
    expect((await mine.call('DELETE', '/v1/session')).body).toEqual({ ended: true });
    expect([await status(one.body['session']), await status(other.body['session'])]).toEqual([401, 200]);
  });

  it('ends with a lock, like every other; the headless host’s own token stays', async () => {
    const session = (await openSession(newLogin())).body['session'];
    expect((await client.post('/v1/lock')).status).toBe(200);
    expect([await status(session), (await client.get('/v1/about')).status]).toEqual([401, 200]);
    expect((await client.post('/v1/unlock')).status).toBe(200);
    expect(await status(session)).toBe(401);
  });

  it('receives no more events once it has ended', async () => {
    const session = (await openSession(newLogin())).body['session'];
    const response = await fetch(`${treasury.host.url}/v1/events?owner=${treasury.owner}`, {
      headers: { authorization: `Bearer ${session}` },
    });
    let heard = '';
    const ended = (async () => {
      for await (const chunk of response.body ?? []) heard += Buffer.from(chunk).toString();
    })().catch(() => undefined);
    await client.post('/v1/agents/asker/rename', { displayName: 'before' });
    await until('the event before', () => heard.includes('event: agent'));
    const soFar = heard;
    await client.as(session).call('DELETE', '/v1/session');
    await client.post('/v1/agents/asker/rename', { displayName: 'after' });
    await ended;
    expect(heard).toBe(soFar);
  });
});

const askToLogIn = (terminal = 'laptop, zsh') =>
  client.post('/v1/logins', { terminal }, { token: null, owner: null });
const claimToken = (loginId: string, pollSecret: string) =>
  client.post(`/v1/logins/${loginId}/claim`, { pollSecret }, { token: null, owner: null });

describe('a terminal', () => {
  it('is let in by the owner who sees its name and code, and gets its token once', async () => {
    const { body: asked } = await askToLogIn();
    expect(asked['code']).toMatch(/^[2-9A-HJKMNP-TV-Z]{3}-[2-9A-HJKMNP-TV-Z]{3}$/);
    const { body: listed } = await client.get('/v1/logins');
    expect(listed['logins']).toEqual([
      expect.objectContaining({ terminal: 'laptop, zsh', code: asked['code'], status: 'pending' }),
    ]);
    expect(JSON.stringify(listed)).not.toContain(asked['pollSecret']);
    expect((await client.get('/v1/dashboard')).body['pendingLogins']).toBe(1);
    expect((await claimToken(asked['loginId'], asked['pollSecret'])).body).toMatchObject({
      status: 'pending',
      token: null,
    });
    expect((await client.post(`/v1/logins/${asked['loginId']}/grant`)).body['status']).toBe('granted');
    const [first, second] = [
      await claimToken(asked['loginId'], asked['pollSecret']),
      await claimToken(asked['loginId'], asked['pollSecret']),
    ];
    expect(await status(first.body['token'])).toBe(200);
    const lasts = Date.parse(first.body['tokenExpiresAt']) - Date.now();
    expect(lasts).toBeLessThanOrEqual(15 * minute);
    expect(lasts).toBeGreaterThan(14 * minute);
    expect(second.body).toMatchObject({ status: 'granted', token: null });
    expect((await client.post(`/v1/logins/${asked['loginId']}/deny`)).status).toBe(409);
  });

  it('gets no token when the owner refuses, or with another login’s secret', async () => {
    const { body: asked } = await askToLogIn();
    const { body: other } = await askToLogIn();
    await client.post(`/v1/logins/${asked['loginId']}/deny`);
    await client.post(`/v1/logins/${other['loginId']}/grant`);
    expect((await claimToken(asked['loginId'], asked['pollSecret'])).body).toMatchObject({
      status: 'denied',
      token: null,
    });
    expect((await claimToken(other['loginId'], asked['pollSecret'])).status).toBe(401);
    expect((await claimToken(other['loginId'], other['pollSecret'])).body['token']).toMatch(/^own_/);
  });

  it('gets its token in one of a hundred concurrent claims', async () => {
    const { loginId, pollSecret } = (await askToLogIn('1')).body;
    await client.post(`/v1/logins/${String(loginId)}/grant`);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => claimToken(String(loginId), String(pollSecret))),
    );
    expect(answers.filter((one) => one.body['token'] !== null)).toHaveLength(1);
  });

  it('cannot log in by a passphrase where the vault has none', async () => {
    const { status: refused, text } = await client.post(
      '/v1/session',
      { passphrase: 'no passphrase here' },
      { token: null, owner: null },
    );
    expect(refused).toBe(400);
    expect(text).toContain('no passphrase');
  });
});

const make = () => {
  const clock = { now: 1_000_000 };
  const events: EngineEvent[] = [];
  const tokens = createOwnerTokens({ now: () => clock.now });
  const logins = createLogins({
    owner: 'owner',
    tokens,
    tickets: createPageTickets(),
    known: { browser: 'known' },
    admitsOwner: () => true,
    checkPassphrase: (typed) =>
      typed === 'right' ? Promise.resolve() : Promise.reject(new AppError('forbidden', 'wrong')),
    publish: (event) => void events.push(event),
    now: () => clock.now,
  });
  const call = {
    caller: { role: 'nobody', bearer: null, known: null } as const,
    door: localDoor,
    params: {},
    query: {},
    key: null,
    waitMs: null,
  };
  const open = async (passphrase?: string) =>
    (await logins.operations.openLogin({ ...call, body: { terminal: 't', passphrase } }))
      .body as Reply<'openLogin'>;
  const claim = async (loginId: string, pollSecret: string) =>
    (await logins.operations.claimLogin({ ...call, params: { loginId }, body: { pollSecret } }))
      .body as Reply<'claimLogin'>;
  return { clock, events, tokens, logins, call, open, claim };
};

describe('logins', () => {
  it('are granted at once with the right passphrase, and the owner is told', async () => {
    const { events, tokens, open, claim } = make();
    const { loginId, pollSecret, status: state } = await open('right');
    expect(state).toBe('granted');
    expect(tokens.isOwner(String((await claim(loginId, pollSecret)).token), 'local')).toBe(true);
    expect(events).toEqual([{ type: 'login', login: expect.objectContaining({ status: 'granted' }) }]);
  });

  it('open no session with a session that lasts longer than it', async () => {
    const { clock, logins, call } = make();
    const open = async (body: { token: string } | { passphrase: string }) =>
      (await logins.operations.openSession({ ...call, body })).body as Reply<'openSession'>;
    const first = await open({ passphrase: 'right' });
    clock.now += 11 * hour;
    expect((await open({ token: first.session })).expiresAt).toBe(first.expiresAt);
    clock.now += hour;
    await expect(open({ token: first.session })).rejects.toThrow('too old');
  });

  it('allow five passphrase tries a minute, even when all come at once', async () => {
    const { clock, open } = make();
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => open('wrong')));
    const codes = outcomes.map((one) => (one.status === 'rejected' ? (one.reason as AppError).code : 'in'));
    expect(codes.filter((code) => code === 'forbidden')).toHaveLength(5);
    expect(codes.filter((code) => code === 'too_many_requests')).toHaveLength(3);
    await expect(open('right')).rejects.toThrow('Too many');
    clock.now += minute;
    expect((await open('right')).status).toBe('granted');
  });

  it('are never refused because of others: after any flood the newest can be granted', async () => {
    const { logins, call, open, claim } = make();
    for (let n = 0; n < 1_000; n += 1) await open();
    const own = await open();
    logins.operations.grantLogin({
      ...call,
      caller: { role: 'owner' },
      params: { loginId: own.loginId },
      body: {},
    });
    expect((await claim(own.loginId, own.pollSecret)).token).toMatch(/^own_/);
    expect(logins.pending()).toBeLessThanOrEqual(20);
  });

  it('that the owner was shown are displaced by no flood, even of others that were shown', async () => {
    const { logins, call, open, claim } = make();
    const list = () => logins.operations.listLogins({ ...call, caller: { role: 'owner' }, body: {} });
    const own = await open();
    list();
    for (let n = 0; n < 1_000; n += 1) {
      await open();
      if (n % 10 === 0) list();
    }
    expect((await claim(own.loginId, own.pollSecret)).status).toBe('pending');
    // There is still room for another terminal.
    const other = await open();
    expect((await claim(other.loginId, other.pollSecret)).status).toBe('pending');
  });

  it('whose terminal polls are displaced only after those that nobody polls', async () => {
    const { open, claim } = make();
    const own = await open();
    await claim(own.loginId, own.pollSecret);
    for (let n = 0; n < 1_000; n += 1) await open();
    expect((await claim(own.loginId, own.pollSecret)).status).toBe('pending');
  });

  it('end after ten minutes, and then nobody can grant them', async () => {
    const { clock, logins, call, open, claim } = make();
    const { loginId, pollSecret } = await open();
    clock.now += 10 * minute;
    expect(() => logins.operations.grantLogin({ ...call, params: { loginId }, body: {} })).toThrow('expired');
    expect(await claim(loginId, pollSecret)).toMatchObject({ status: 'expired', token: null });
    expect(logins.pending()).toBe(0);
  });
});
