// The sessions of browsers: how long they live, what ends them, how a further tab gets one, and what their end does to a reply
// that is on its way.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { restoreBackup } from '../../../server/host/host.ts';
import { createOwnerTokens, type OwnerTokens } from '../../../server/http/owner-token.ts';
import { createPageTickets } from '../../../server/http/page-tickets.ts';
import { openTo } from '../../../server/lib/files/owner-only.ts';
import { createLog } from '../../../server/log.ts';
import { useFolders } from '../../harness/folders.ts';
import type { Answer, Sent } from '../../harness/http-client.ts';
import { deploy, openTreasury, removeFolder, temporaryFolder, until } from '../../harness/treasury.ts';
import { client, treasury, useTreasury } from '../api-treasury.ts';
import {
  admit,
  isOpen,
  loginOf,
  navigation,
  openSession,
  proofOf,
  signInBy,
  ticketIn,
  writePages,
} from './session-pages.ts';

const folder = useFolders();
const hour = 3_600_000;

let pages: string;
beforeAll(() => void (pages = writePages(folder())));
useTreasury(() => ({ dashboard: pages }));

const signIn = (): Promise<string> => signInBy(client, { token: loginOf(treasury.host) });
const proven = (session: string) => proofOf(client, treasury.host.url, session);

const backupsIn = (dataDir: string): string[] =>
  readdirSync(join(dataDir, 'backups'), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.db'))
    .map((name) => join(dataDir, 'backups', name));

describe('the pages of one browser', () => {
  it('share a sign-in: a page that was let in gets a session of its own, which ends with the first', async () => {
    const first = await signIn();
    const ticket = await ticketIn(client);
    expect(ticket).toMatch(/^[\w-]{22}\.[\w-]{43}$/);
    expect(await admit(client, first, ticket)).toBe(true);
    const second = await signInBy(client, { page: ticket });
    expect(second).not.toBe(first);
    expect(await isOpen(client, second)).toBe(true);
    expect((await client.as(second).call('DELETE', '/v1/session')).body).toEqual({ ended: true });
    expect([await isOpen(client, first), await isOpen(client, second)]).toEqual([false, false]);
    expect([await proven(first), await proven(second)]).toEqual(['signed_out', 'signed_out']);
  });

  it('share a sign-in also where a session asks for another one by itself', async () => {
    const first = await signIn();
    const second = await signInBy(client, { token: first });
    expect(await isOpen(client, second)).toBe(true);
    await client.as(first).call('DELETE', '/v1/session');
    expect([await isOpen(client, first), await isOpen(client, second)]).toEqual([false, false]);
  });

  it('are let in once each, by nobody but a session, and not after its end', async () => {
    const first = await signIn();
    const ticket = await ticketIn(client);
    expect((await openSession(client, { page: ticket })).status).toBe(401);
    expect(await admit(client, readFileSync(treasury.host.cookieFile ?? '', 'utf8'), ticket)).toBe(false);
    expect((await openSession(client, { page: ticket })).status).toBe(401);
    await admit(client, first, ticket);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => openSession(client, { page: ticket })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    await admit(client, first, ticket);
    await client.as(first).call('DELETE', '/v1/session');
    expect((await openSession(client, { page: ticket })).status).toBe(401);
  });

  it('are let in by the ticket alone: the id that tabs tell each other opens nothing', async () => {
    const session = await signIn();
    const ticket = await ticketIn(client);
    const other = await ticketIn(client);
    await admit(client, session, ticket);
    const [id = '', proof = ''] = ticket.split('.');
    const forged = [id, `${id}.`, `${id}.${'A'.repeat(43)}`, `${id}.${other.split('.')[1]}`, `.${proof}`];
    const older = createPageTickets().issue(
      { headers: navigation },
      { name: 'local', url: treasury.host.url },
    );
    for (const page of [...forged, older]) expect((await openSession(client, { page })).status).toBe(401);
    expect((await openSession(client, { page: ticket })).status).toBe(200);
  });

  it.each([
    ['a script’s request', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
    ['a script’s request to its own origin', { 'sec-fetch-mode': 'same-origin', 'sec-fetch-dest': 'empty' }],
    ['a frame', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
    ['an embedded object', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'object' }],
    ['a program', {}],
  ])('have a ticket when a browser itself opened them; %s gets none', async (_, headers) => {
    expect(await ticketIn(client, headers)).toBe('');
  });

  it('are admitted for a minute', () => {
    let now = 1_000_000;
    const { sessions } = createOwnerTokens({ now: () => now });
    const first = sessions.open(Infinity, 'local');
    sessions.admit(first.token, 'one', 'local');
    sessions.admit(first.token, 'two', 'local');
    now += 59_999;
    expect(sessions.join('one', 'local')).not.toBeNull();
    now += 1;
    expect(sessions.join('two', 'local')).toBeNull();
  });
});

describe('twelve hours after the sign-in', () => {
  it('it is over, also for a page that was let in a minute before', () => {
    let now = 1_000_000;
    const { sessions } = createOwnerTokens({ now: () => now });
    const first = sessions.open(Infinity, 'local');
    now += 12 * hour - 1_000;
    sessions.admit(first.token, 'late', 'local');
    const late = sessions.join('late', 'local');
    expect(late?.expiresAt).toBe(first.expiresAt);
    expect(sessions.endOf(first.token, 'local')).not.toBeNull();
    now += 1_000;
    expect([first, late].map((one) => sessions.endOf(one?.token ?? '', 'local'))).toEqual([null, null]);
  });

  it('is later than the end of a session that a terminal’s fifteen minutes opened', async () => {
    const { body: asked } = await client.post('/v1/logins', { terminal: 't' }, { token: null, owner: null });
    await client.post(`/v1/logins/${asked['loginId']}/grant`);
    const claim = { pollSecret: asked['pollSecret'] };
    const { body } = await client.post(`/v1/logins/${asked['loginId']}/claim`, claim, {
      token: null,
      owner: null,
    });
    const { body: opened } = await openSession(client, { token: body['token'] });
    expect(Date.parse(opened['expiresAt'])).toBeLessThanOrEqual(Date.parse(body['tokenExpiresAt']));
  });
});

describe('the proof of a host', () => {
  it('covers that a session is open, and why it is over; of an unknown one there is none', async () => {
    const session = await signIn();
    expect(await proven(session)).toBe('open');
    expect(await proofOf(client, 'http://127.0.0.1:1', session)).toBeNull();
    await client.post('/v1/lock');
    expect(await proven(session)).toBe('locked');
    await client.post('/v1/unlock');
    expect(await proven(session)).toBe('locked');
    expect(await isOpen(client, session)).toBe(false);
    expect(await proven(`own_${'A'.repeat(43)}`)).toBeNull();
  });
});

const reopened = async (dataDir: string, between: () => void | Promise<void> = () => {}) => {
  const first = await openTreasury({ dataDir, dashboard: pages });
  await deploy(first.client, 'scout', { allocate: null });
  const session = await signInBy(first.client, { token: loginOf(first.host) });
  const ended = await signInBy(first.client, { token: loginOf(first.host) });
  await first.client.as(ended).call('DELETE', '/v1/session');
  await first.client.post('/v1/backup');
  await first.close();
  await between();
  const second = await openTreasury({ dataDir, dashboard: pages });
  const open = [await isOpen(second.client, session), await isOpen(second.client, ended)];
  const said = await proofOf(second.client, second.host.url, session);
  await second.close();
  return { open, said };
};

describe('a restart on the sandbox', () => {
  it('ends no session, and revives none; the file of them holds hashes, for this user alone', async () => {
    const dataDir = folder();
    const { open, said } = await reopened(dataDir, () => {
      const file = join(dataDir, 'sandbox', 'sessions.json');
      expect(readFileSync(file, 'utf8')).not.toContain('own_');
      expect(openTo(file)).toBeNull();
    });
    expect(open).toEqual([true, false]);
    expect(said).toBe('open');
  });

  it('ends all of them when a backup is restored, which holds none', async () => {
    const dataDir = folder();
    const { open, said } = await reopened(dataDir, async () => {
      const [file = ''] = backupsIn(dataDir);
      expect(readFileSync(file).includes('sessions')).toBe(false);
      await restoreBackup({ dataDir, network: 'sandbox' }, file, createLog('silent'));
    });
    expect(open).toEqual([false, false]);
    expect(said).toBe('older_copy');
  });

  it('ends all of them when an older copy of the records was put in their place', async () => {
    const dataDir = folder();
    const before = await openTreasury({ dataDir, dashboard: pages });
    await before.client.post('/v1/backup');
    await before.close();
    const copy = `${folder()}/copy.db`;
    cpSync(join(dataDir, 'sandbox', 'treasury.db'), copy);
    const { open } = await reopened(dataDir, () => {
      for (const suffix of ['-wal', '-shm'])
        rmSync(join(dataDir, 'sandbox', `treasury.db${suffix}`), { force: true });
      cpSync(copy, join(dataDir, 'sandbox', 'treasury.db'));
    });
    expect(open).toEqual([false, false]);
  });

  it('ends all of them when their file is damaged, or would make them last longer', async () => {
    const dataDir = folder();
    const { open } = await reopened(dataDir, () =>
      writeFileSync(join(dataDir, 'sandbox', 'sessions.json'), '{'),
    );
    expect(open).toEqual([false, false]);
    const other = folder();
    const file = join(other, 'sandbox', 'sessions.json');
    const { open: longer } = await reopened(other, () => {
      const text = readFileSync(file, 'utf8').replaceAll(/"until":\d+/g, `"until":${Date.now() + 13 * hour}`);
      writeFileSync(file, text);
    });
    expect(longer).toEqual([false, false]);
  });

  it('ends all of them when it was locked before', async () => {
    const dataDir = folder();
    const first = await openTreasury({ dataDir, dashboard: pages });
    const session = await signInBy(first.client, { token: loginOf(first.host) });
    await first.client.post('/v1/lock');
    await first.close();
    const second = await openTreasury({ dataDir, dashboard: pages });
    expect(await isOpen(second.client, session)).toBe(false);
    await second.close();
  });
});

const host = 'treasury.example.ts.net';
const publicUrl = `https://${host}`;

const cookie = (): string => readFileSync(treasury.host.cookieFile ?? '', 'utf8');
const nearSession = (): Promise<string> => signInBy(client, { token: cookie() });
const stranger = { token: null, owner: null };
const far = (path: string, body: object, sent: Sent = {}): Promise<Answer> =>
  client.post(path, body, { ...sent, headers: { host } });

const farSession = async (): Promise<string> => {
  await client.post('/v1/public-address', { url: publicUrl, ownerSessions: true });
  const { body } = await far('/v1/logins', { terminal: 'far' }, stranger);
  await client.post(`/v1/logins/${body['loginId']}/grant`);
  const { pollSecret } = body;
  const { body: claimed } = await far(`/v1/logins/${body['loginId']}/claim`, { pollSecret }, stranger);
  return String((await far('/v1/session', { token: claimed['token'] }, stranger)).body['session']);
};

/** Transfers that are begun go no further until this is called. */
const holdTransfers = (): (() => void) => {
  const { machine } = treasury.host.engine.context;
  const { advance } = machine;
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = vi.spyOn(machine, 'advance').mockImplementation((id) => promise.then(() => advance(id)));
  onTestFinished(() => {
    held.mockRestore();
    resolve();
  });
  return resolve;
};

const newest = () =>
  treasury.host.engine.context.store.transfers.list({ kinds: ['allocation'], limit: 1 })[0];

describe('a transfer that its owner waits for', () => {
  const near = { session: nearSession, headers: {} };
  it.each([
    ['signs out', { ...near, end: (session: string) => client.as(session).call('DELETE', '/v1/session') }],
    [
      'is signed out with all others at the public address',
      {
        session: farSession,
        headers: { host },
        end: () => client.post('/v1/public-address', { ownerSessions: false }),
      },
    ],
    [
      'has signed in too often since',
      {
        ...near,
        async end() {
          for (let count = 1; count < 100; count += 1) await nearSession();
          return client.post('/v1/session', { token: cookie() }, stranger);
        },
      },
    ],
  ])('is answered no more once the owner %s, and is settled and recorded', async (name, at) => {
    const session = await at.session();
    const go = holdTransfers();
    const before = newest()?.id;
    const sent = { key: name, prefer: 'wait=60' };
    const allocate = (token: string, headers: Record<string, string>): Promise<Answer> =>
      client.post('/v1/agents/payer/allocate', { amount: '1' }, { ...sent, token, headers });
    const answer = allocate(session, at.headers).catch((error: unknown) => error);
    await until('the transfer', () => newest()?.id !== before);
    expect((await at.end(session)).status).toBe(200);
    expect(await answer).toMatchObject({ code: 'ECONNRESET' });
    expect(newest()?.state).toBe('reserved');
    go();
    await until('the transfer to settle', () => newest()?.state === 'final');
    const { status, body } = await allocate(cookie(), {});
    expect([status, body['transferId'], body['status']]).toEqual([200, newest()?.id, 'confirmed']);
  });

  it('is answered when another sign-in ends', async () => {
    const [session, other] = [await nearSession(), await nearSession()];
    const go = holdTransfers();
    const before = newest()?.id;
    const answer = client.as(session).post('/v1/agents/payer/allocate', { amount: '1' });
    await until('the transfer', () => newest()?.id !== before);
    await client.as(other).call('DELETE', '/v1/session');
    go();
    expect((await answer).status).toBe(200);
  });
});

it('a call that ends its own sign-in is answered', async () => {
  const session = await nearSession();
  const { status, body } = await client.as(session).post('/v1/lock');
  expect([status, body]).toEqual([200, { locked: true }]);
  await client.post('/v1/unlock');
  expect(await isOpen(client, session)).toBe(false);
});

it.each([
  ['session', (tokens: OwnerTokens) => tokens.sessions.open(Infinity, 'local')],
  ['terminal’s token', (tokens: OwnerTokens) => tokens.issue(3_600_000, 'local')],
])('a %s that gives way to a newer one tells so, and no other does', (_, open) => {
  const tokens = createOwnerTokens();
  const over: string[] = [];
  for (const name of ['oldest', 'next']) tokens.onEnd(open(tokens).token, 'local', () => over.push(name));
  for (let count = 2; count < 100; count += 1) open(tokens);
  expect(over).toEqual([]);
  open(tokens);
  expect(over).toEqual(['oldest']);
});

it('a token that expires tells so once, and not after its listener has left', async () => {
  const tokens = createOwnerTokens();
  const over: string[] = [];
  const { token } = tokens.issue(50, 'local');
  tokens.onEnd(token, 'local', () => over.push('left'))();
  tokens.onEnd(token, 'local', () => over.push('local'));
  tokens.onEnd(token, 'public', () => over.push('public'));
  expect(over).toEqual(['public']);
  await until('the end', () => over.length > 1);
  tokens.revokeIssued('locked');
  expect(over).toEqual(['public', 'local']);
});

it('sessions that end tell so even where that cannot be written down', async () => {
  const kept = { file: join(temporaryFolder(), 'sessions.json'), records: '' };
  const tokens = createOwnerTokens({ kept });
  const over: string[] = [];
  tokens.onEnd(tokens.sessions.open(Infinity, 'local').token, 'local', () => over.push('ended'));
  removeFolder(dirname(kept.file));
  writeFileSync(dirname(kept.file), '');
  expect(() => tokens.revokeIssued('locked')).toThrow('EEXIST');
  expect(over).toEqual(['ended']);
  removeFolder(dirname(kept.file));
});

it('a clock that is set back by weeks overflows no timer', () => {
  const warned = vi.spyOn(process, 'emitWarning');
  onTestFinished(() => warned.mockRestore());
  let now = Date.now();
  const tokens = createOwnerTokens({ now: () => now });
  const { token } = tokens.issue(3_600_000, 'local');
  now -= 40 * 86_400_000;
  tokens.onEnd(token, 'local', () => {})();
  expect(warned).not.toHaveBeenCalled();
});
