// A reply to the owner ends with the sign-in that asked for it. What was begun goes on, and is recorded.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createOwnerTokens, type OwnerTokens } from '../../server/http/owner-token.ts';
import type { Answer, Sent } from '../harness/http-client.ts';
import {
  deploy,
  openTreasury,
  removeFolder,
  temporaryFolder,
  until,
  type Treasury,
} from '../harness/treasury.ts';
import { isOpen, signInBy } from './session-pages.ts';

const host = 'treasury.example.ts.net';
const url = `https://${host}`;
let treasury: Treasury;
beforeAll(async () => {
  treasury = await openTreasury();
  await deploy(treasury.client, 'payer', { allocate: null });
});
afterAll(() => treasury.close());

const cookie = (): string => readFileSync(treasury.host.cookieFile ?? '', 'utf8');
const nearSession = (): Promise<string> => signInBy(treasury.client, { token: cookie() });
const stranger = { token: null, owner: null };
const far = (path: string, body: object, sent: Sent = {}): Promise<Answer> =>
  treasury.client.post(path, body, { ...sent, headers: { host } });

const farSession = async (): Promise<string> => {
  await treasury.client.post('/v1/public-address', { url, ownerSessions: true });
  const { body } = await far('/v1/logins', { terminal: 'far' }, stranger);
  await treasury.client.post(`/v1/logins/${body['loginId']}/grant`);
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
    [
      'signs out',
      { ...near, end: (session: string) => treasury.client.as(session).call('DELETE', '/v1/session') },
    ],
    [
      'is signed out with all others at the public address',
      {
        session: farSession,
        headers: { host },
        end: () => treasury.client.post('/v1/public-address', { ownerSessions: false }),
      },
    ],
    [
      'has signed in too often since',
      {
        ...near,
        async end() {
          for (let count = 1; count < 100; count += 1) await nearSession();
          return treasury.client.post('/v1/session', { token: cookie() }, stranger);
        },
      },
    ],
  ])('is answered no more once the owner %s, and is settled and recorded', async (name, at) => {
    const session = await at.session();
    const go = holdTransfers();
    const before = newest()?.id;
    const sent = { key: name, prefer: 'wait=60' };
    const allocate = (token: string, headers: Record<string, string>): Promise<Answer> =>
      treasury.client.post('/v1/agents/payer/allocate', { amount: '1' }, { ...sent, token, headers });
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
    const answer = treasury.client.as(session).post('/v1/agents/payer/allocate', { amount: '1' });
    await until('the transfer', () => newest()?.id !== before);
    await treasury.client.as(other).call('DELETE', '/v1/session');
    go();
    expect((await answer).status).toBe(200);
  });
});

it('a call that ends its own sign-in is answered', async () => {
  const session = await nearSession();
  const { status, body } = await treasury.client.as(session).post('/v1/lock');
  expect([status, body]).toEqual([200, { locked: true }]);
  await treasury.client.post('/v1/unlock');
  expect(await isOpen(treasury.client, session)).toBe(false);
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
