// Strangers cannot use up the tries of the owner's own terminals and browsers.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTo } from '../../../server/lib/files/owner-only.ts';
import { createKnownCallers } from '../../../server/http/known-callers.ts';
import { createClient, type Answer, type Client } from '../../harness/http-client.ts';
import { openTreasury, removeFolder, temporaryFolder, type Treasury } from '../../harness/treasury.ts';

let folder: string;
let treasury: Treasury;
let anybody: Client;
beforeAll(async () => {
  folder = temporaryFolder();
  treasury = await openTreasury();
  anybody = createClient(treasury.host.url, treasury.owner, null);
});
afterAll(async () => {
  anybody.close();
  await treasury.close();
  removeFolder(folder);
});

const endpoint = (): { known: string } =>
  JSON.parse(readFileSync(join(treasury.dataDir, 'runtime', 'endpoint.json'), 'utf8')) as { known: string };
/** The sandbox has no passphrase: a counted try is 400, one too many is 429. */
const tries = async (bearer: string | null, path: '/v1/session' | '/v1/logins'): Promise<number> => {
  const body = path === '/v1/session' ? { passphrase: 'a' } : { passphrase: 'a', terminal: 't' };
  return (await anybody.post(path, body, { token: bearer, owner: null })).status;
};

describe('the tries of strangers', () => {
  it('are counted apart from a terminal that can read the data folder', async () => {
    for (let count = 0; count < 5; count += 1) expect(await tries(null, '/v1/logins')).toBe(400);
    for (const bearer of [null, `knw_${'A'.repeat(43)}`, 'atk_x']) {
      expect(await tries(bearer, '/v1/logins')).toBe(429);
      expect(await tries(bearer, '/v1/session')).toBe(429);
    }
    const { known } = endpoint();
    expect(await tries(known, '/v1/logins')).toBe(400);
    for (let count = 1; count < 5; count += 1) expect(await tries(known, '/v1/session')).toBe(400);
    expect(await tries(known, '/v1/session')).toBe(429);
  });

  it('are counted apart from a browser in which the owner signed in', async () => {
    const session = await treasury.client.post(
      '/v1/session',
      { token: readFileSync(treasury.host.cookieFile ?? '', 'utf8') },
      { owner: null },
    );
    const browser = String(session.body['known']);
    for (let count = 0; count < 5; count += 1) expect(await tries(browser, '/v1/session')).toBe(400);
    // The terminals' tries are used up too; neither uses the other's.
    expect([await tries(browser, '/v1/session'), await tries(endpoint().known, '/v1/session')]).toEqual([
      429, 429,
    ]);
  });
});

const bearer = (token: string | null) => ({ token, owner: null });
const askLogin = (token: string | null) => anybody.post('/v1/logins', { terminal: 't' }, bearer(token));
const claim = ({ body: { loginId, pollSecret } }: Answer) =>
  anybody.post(`/v1/logins/${String(loginId)}/claim`, { pollSecret }, { owner: null });
const askLink = (token: string | null) => anybody.post('/v1/link-sessions', { machine: 'm' }, bearer(token));
const look = ({ body: { token, pollSecret } }: Answer) =>
  anybody.get(`/v1/link-sessions/${String(token)}`, bearer(String(pollSecret)));
const flood = async (one: () => Promise<unknown>): Promise<void> => {
  for (let count = 0; count < 25; count += 1) await one();
};

describe('strangers that make endless requests and poll them', () => {
  it('do not push out a login of a terminal that can read the data folder', async () => {
    const strange = async () => claim(await askLogin(null));
    await flood(strange);
    // From here on the logins that the owner was shown keep their places.
    await treasury.client.get('/v1/logins');
    const own = await askLogin(endpoint().known);
    await flood(strange);
    expect((await claim(own)).body['status']).toBe('pending');
    const { logins } = (await treasury.client.get('/v1/logins')).body;
    expect(logins).toContainEqual(expect.objectContaining({ loginId: own.body['loginId'] }));
  });

  it('do not push out a link that such a terminal opened', async () => {
    const strange = async () => look(await askLink(null));
    await flood(strange);
    await treasury.client.get('/v1/link-sessions');
    const own = await askLink(endpoint().known);
    await flood(strange);
    expect((await look(own)).body['status']).toBe('pending');
  });
});

describe('the token of known callers', () => {
  it('allows nothing', async () => {
    const known = createClient(treasury.host.url, treasury.owner, endpoint().known);
    for (const path of ['/v1/about', '/v1/agents', '/v1/logins', '/v1/dashboard'])
      expect((await known.get(path)).status, path).toBe(401);
    expect((await known.post('/v1/session', { token: endpoint().known }, { owner: null })).status).toBe(401);
    known.close();
  });

  it('is the same after a restart for browsers, in a file that only this user reads, and new for terminals', () => {
    const file = join(folder, 'runtime', 'known-caller');
    const first = createKnownCallers(file);
    expect(openTo(file)).toBeNull();
    const second = createKnownCallers(file);
    expect([second.find(first.browser), second.find(first.terminal)]).toEqual(['browser', null]);
    expect([second.find(second.terminal), second.find(undefined), second.find('')]).toEqual([
      'terminal',
      null,
      null,
    ]);
    expect(readFileSync(file, 'utf8')).not.toContain(second.terminal);
  });

  it('is made anew when the file is damaged', () => {
    const file = join(folder, 'runtime', 'known-caller');
    for (const broken of ['', 'knw_', 'x'.repeat(47)]) {
      writeFileSync(file, broken);
      expect(createKnownCallers(file).browser).toMatch(/^knw_[\w-]{43}$/);
    }
  });
});
