// Link sessions: the callers that may complete one, the holder that gets the API key, and how little others learn.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { usdc } from '../../../server/money.ts';
import type { EngineEvent } from '../../../server/engine/ports.ts';
import type { Answer } from '../../harness/http-client.ts';
import { newWallet, signIn } from '../../harness/chain/sign-in.ts';
import { openTreasury, removeFolder, temporaryFolder } from '../../harness/treasury.ts';
import { client, pass, standingClock, treasury, useTreasury, wall } from '../api-treasury.ts';
import { localDoor } from '../../harness/local-door.ts';

const minute = 60_000;

useTreasury(() => ({ clock: standingClock }));
// The limit is ten a minute.
beforeEach(() => pass(minute));

interface Opened {
  token: string;
  pollSecret: string;
  linkUrl: string;
  code: string;
  expiresAt: string;
}
const nobody = { token: null, owner: null };
const open = async (body: unknown = { machine: 'a laptop' }): Promise<Opened> => {
  const answer = await client.post('/v1/link-sessions', body, nobody);
  expect(answer.status).toBe(200);
  return answer.body as unknown as Opened;
};
const poll = (token: string, bearer: string | null = null): Promise<Answer> => {
  pass(2_000);
  return client.get(`/v1/link-sessions/${token}`, { token: bearer, owner: null });
};
const complete = (token: string, body: unknown, bearer?: string | null): Promise<Answer> =>
  client.post(`/v1/link-sessions/${token}/complete`, body, {
    owner: null,
    ...(bearer === undefined ? {} : { token: bearer }),
  });
const agents = async (): Promise<string[]> =>
  (await client.get('/v1/agents')).body['agents'].map(({ agentId }: { agentId: string }) => agentId);

const keysOfKnown = async () => (await client.get('/v1/agents/known/keys')).body['keys'];
const statusOf = async ({ token }: { token: string }): Promise<unknown> =>
  (await client.get(`/v1/link-sessions/${token}`, nobody)).body['status'];

describe('a link session', () => {
  it('is opened without a credential, as the specification shows it', async () => {
    const { token, linkUrl, expiresAt, code, pollSecret } = await open();
    expect(token).toMatch(/^lnk_[\w-]{43}$/);
    expect(pollSecret).toMatch(/^[\w-]{43}$/);
    expect(linkUrl).toBe(`${treasury.host.url}/link?token=${token}`);
    expect(Date.parse(expiresAt) - wall).toBe(10 * minute);
    expect(code).toMatch(/^[2-9A-HJ-NP-TV-Z]{3}-[2-9A-HJ-NP-TV-Z]{3}$/);
    expect((await poll(token)).body).toEqual({
      status: 'pending',
      expiresAt,
      code,
      machine: 'a laptop',
      wantedAgentId: null,
    });
  });

  it('needs no body at all', async () => {
    expect((await client.post('/v1/link-sessions', undefined, nobody)).status).toBe(200);
  });

  it('creates the agent, and gives its API key only to the holder of the poll secret', async () => {
    const { token, pollSecret, expiresAt } = await open({ machine: 'a laptop', agentId: 'wished' });
    expect((await poll(token)).body['wantedAgentId']).toBe('wished');
    const done = await complete(token, { agentId: 'linked' });
    expect(done).toMatchObject({ status: 200, body: { status: 'complete', agentId: 'linked' } });

    const { body: owned } = await poll(token, pollSecret);
    expect(owned).toMatchObject({ status: 'complete', expiresAt, agentId: 'linked', network: 'sandbox' });
    const balance = await client.as(owned['apiKey']).get('/v1/agents/linked/balance');
    expect(balance.body['walletAddress']).toBe(owned['walletAddress']);
    const { body } = await client.get('/v1/agents/linked/policy');
    expect(body['policy']).toMatchObject({ dailyBudget: '5.00', maxPerPayment: '1.00' });

    const ownerToken = readFileSync(treasury.host.cookieFile ?? '', 'utf8');
    for (const bearer of [null, ownerToken, owned['apiKey'], token, 'A'.repeat(43)])
      expect((await poll(token, bearer)).body).toEqual({ status: 'complete', expiresAt });
  });

  it('takes budgets as any deploy does', async () => {
    const { token } = await open();
    await complete(token, { agentId: 'rich', dailyBudget: '50', maxPerPayment: '7.5' });
    expect((await client.get('/v1/agents/rich/policy')).body['policy']).toMatchObject({
      dailyBudget: '50.00',
      maxPerPayment: '7.50',
    });
  });

  it('gives an existing agent a further API key only on request', async () => {
    const first = await open();
    await complete(first.token, { agentId: 'known' });
    const { body: one } = await poll(first.token, first.pollSecret);
    const { token, pollSecret } = await open();
    expect(await complete(token, { agentId: 'known' })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
    expect((await poll(token)).body['status']).toBe('pending');
    const more = { agentId: 'known', dailyBudget: '500', furtherKey: true };
    expect((await complete(token, more)).status).toBe(200);
    const { body: two } = await poll(token, pollSecret);
    expect(two['walletAddress']).toBe(one['walletAddress']);
    expect(two['apiKey']).not.toBe(one['apiKey']);
    expect((await client.get('/v1/agents/known/policy')).body['policy'].dailyBudget).toBe('5.00');
    for (const key of [one['apiKey'], two['apiKey']])
      expect((await client.as(key).get('/v1/agents/known/balance')).status).toBe(200);
    const third = await open();
    expect((await complete(third.token, { agentId: 'nobody', furtherKey: true })).status).toBe(404);
  });

  it('is completed once by 100 attempts at once', async () => {
    const { token, pollSecret } = await open();
    const before = await agents();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => complete(token, { agentId: `racer-${index}` })),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409 || status === 404)).toHaveLength(99);
    expect((await agents()).filter((id) => !before.includes(id))).toEqual([won[0]?.body['agentId']]);
    expect((await poll(token, pollSecret)).body['agentId']).toBe(won[0]?.body['agentId']);
  });

  it('survives a restart of the treasury, which stores neither token, secret nor API key', async () => {
    const dataDir = temporaryFolder();
    const first = await openTreasury({ dataDir, clock: standingClock });
    const opened = await first.client.post('/v1/link-sessions', {}, nobody);
    const done = await first.client.post('/v1/link-sessions', {}, nobody);
    const { token, pollSecret } = done.body;
    await first.client.post(`/v1/link-sessions/${token}/complete`, { agentId: 'lasting' }, { owner: null });
    await first.close();
    const second = await openTreasury({ dataDir, clock: standingClock });
    pass(2_000);
    const { body } = await second.client.get(`/v1/link-sessions/${token}`, { token: pollSecret });
    expect(body['agentId']).toBe('lasting');
    expect((await second.client.get(`/v1/link-sessions/${opened.body['token']}`)).body['status']).toBe(
      'pending',
    );
    await second.close();
    for (const name of ['treasury.db', 'treasury.db-wal']) {
      const bytes = readFileOrNothing(join(dataDir, 'sandbox', name));
      for (const secret of [token, pollSecret, body['apiKey']]) {
        expect(bytes.includes(secret)).toBe(false);
        expect(bytes.includes(Buffer.from(secret.replace(/^\w{3}_/, ''), 'base64url'))).toBe(false);
      }
    }
    removeFolder(dataDir);
  });
});

const readFileOrNothing = (path: string): Buffer => {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
};

describe('an ended link session', () => {
  const statusOnly = { status: 'expired', expiresAt: null };

  it('looks like one that never existed, whether it was pending or complete', async () => {
    const unused = await open();
    const used = await open();
    await complete(used.token, { agentId: 'brief' });
    pass(10 * minute);
    const unknown = `lnk_${'A'.repeat(43)}`;
    for (const token of [unused.token, used.token, unknown, 'lnk_', 'x', '%00'])
      expect((await poll(token)).body).toEqual(statusOnly);
    expect((await poll(used.token, used.pollSecret)).body).toEqual(statusOnly);
    // Not even the limit on polling tells them apart.
    const fast = () => client.get(`/v1/link-sessions/${unused.token}`, nobody);
    expect([(await fast()).status, (await fast()).status]).toEqual([200, 200]);

    const posts = ['complete', 'wallet', 'email', 'provider'];
    const refusals = new Set<string>();
    for (const token of [unused.token, used.token, unknown])
      for (const what of posts) {
        const body =
          what === 'complete' ? { agentId: 'late' } : what === 'email' ? { email: 'a@b.example' } : {};
        const answer = await client.post(`/v1/link-sessions/${token}/${what}`, body, { owner: null });
        expect(answer.status).toBe(404);
        refusals.add(answer.text);
      }
    expect(refusals.size).toBe(1);
    expect(await agents()).not.toContain('late');
  });

  it('is not granted by its id either: no API key is made that nobody could fetch', async () => {
    await open({ machine: 'slow', agentId: 'slow' });
    const [link] = (await client.get('/v1/link-sessions')).body['links'];
    await client.post('/v1/agents/deploy', { agentId: 'known', dailyBudget: '1', maxPerPayment: '1' });
    const before = await keysOfKnown();
    pass(10 * minute);
    for (const body of [{ agentId: 'slow' }, { agentId: 'known', furtherKey: true }]) {
      const answer = await client.post(`/v1/link-sessions/${link.linkId}/grant`, body);
      expect(answer.status, answer.text).toBe(404);
    }
    expect(await keysOfKnown()).toEqual(before);
    expect(await agents()).not.toContain('slow');
  });

  it('is deleted when the next one is opened', async () => {
    const { token } = await open();
    pass(10 * minute + 1);
    await open();
    const { store } = treasury.host.engine.context;
    expect(store.links.list().every(({ expiresAt }) => expiresAt > wall)).toBe(true);
    expect((await poll(token)).body).toEqual(statusOnly);
  });

  it('is not found by guessing', async () => {
    await open();
    const guesses = Array.from({ length: 2_000 }, (_, index) => `lnk_${String(index).padStart(43, 'A')}`);
    const answers = await Promise.all(
      guesses.map((token) => client.get(`/v1/link-sessions/${token}`, nobody)),
    );
    expect(answers.filter(({ body }) => body['status'] !== 'expired')).toEqual([]);
  });
});

describe('a flood of link sessions', () => {
  it('refuses nobody, keeps twenty, and the newest can be completed', async () => {
    for (let index = 0; index < 60; index += 1) await open();
    const own = await open();
    expect((await client.get('/v1/link-sessions')).body['links']).toHaveLength(20);
    expect((await client.get(`/v1/link-sessions/${own.token}`, nobody)).body['status']).toBe('pending');
  });

  it('removes none that the owner was shown, nor one that its machine polls', async () => {
    pass(10 * minute);
    const [shown, asked] = [await open(), await open()];
    expect((await client.get('/v1/link-sessions')).body['links']).toHaveLength(2);
    const polling = await open();
    await client.get(`/v1/link-sessions/${polling.token}`, { token: polling.pollSecret, owner: null });
    const idle = await open();
    for (let index = 0; index < 60; index += 1) {
      pass(1);
      await open();
    }
    expect(await Promise.all([shown, asked, polling, idle].map(statusOf))).toEqual([
      'pending',
      'pending',
      'pending',
      'expired',
    ]);
    pass(10 * minute);
  });

  it('can be polled every two seconds each, the page apart from the terminal', async () => {
    const { token, pollSecret } = await open();
    const asked = (bearer: string | null): Promise<Answer> =>
      client.get(`/v1/link-sessions/${token}`, { token: bearer, owner: null });
    expect((await asked(pollSecret)).status).toBe(200);
    expect((await asked(null)).status).toBe(200);
    pass(1_800);
    for (const bearer of [pollSecret, null, 'wrong'])
      expect(await asked(bearer)).toMatchObject({ status: 429, body: { details: { retryAfterSeconds: 2 } } });
    pass(200);
    expect((await asked(pollSecret)).status).toBe(200);
    expect((await asked(null)).status).toBe(200);
  });
});

describe('completing a link session', () => {
  it('is for the owner, and for no agent, stranger, or holder of the token or of its poll secret', async () => {
    const { token, pollSecret } = await open();
    const made = await client.post('/v1/agents/deploy', {
      agentId: 'climber',
      dailyBudget: '1',
      maxPerPayment: '1',
    });
    const key = String(made.body['mcpConfig'].env.TREASURY_API_KEY);
    for (const [bearer, status] of [
      [key, 403],
      [null, 401],
      [token, 401],
      [pollSecret, 401],
      [`sin_${'A'.repeat(43)}`, 401],
    ] as const)
      expect((await complete(token, { agentId: 'stolen' }, bearer)).status).toBe(status);
    expect(await agents()).not.toContain('stolen');
    expect((await poll(token)).body['status']).toBe('pending');
  });

  it('is refused while the treasury is locked, and the session waits', async () => {
    const { token } = await open();
    await client.post('/v1/lock', {});
    expect(await complete(token, { agentId: 'patient' })).toMatchObject({
      status: 503,
      body: { code: 'locked' },
    });
    await client.post('/v1/unlock', {});
    expect((await complete(token, { agentId: 'patient' })).status).toBe(200);
  });
});

describe('the owner’s inbox', () => {
  const heard: EngineEvent[] = [];
  let stop: () => void;
  beforeEach(() => {
    heard.length = 0;
    stop = treasury.host.engine.onEvent((event) => void heard.push(event));
    pass(10 * minute);
  });
  afterEach(() => stop());

  it('shows waiting sessions, newest first, and completes one in one call', async () => {
    const first = await open({ machine: 'first' });
    pass(1_000);
    await open({ machine: 'second', agentId: 'wish' });
    const { links } = (await client.get('/v1/link-sessions')).body;
    expect(links).toMatchObject([
      { machine: 'second', agentId: 'wish', status: 'pending' },
      { machine: 'first', agentId: null, code: first.code },
    ]);
    expect((await client.get('/v1/dashboard')).body['pendingLinks']).toBe(2);
    expect(JSON.stringify(links)).not.toContain(first.token);
    const granted = await client.post(`/v1/link-sessions/${links[1].linkId}/grant`, { agentId: 'clicked' });
    expect(granted.body).toEqual({ status: 'complete', agentId: 'clicked' });
    expect((await poll(first.token, first.pollSecret)).body['agentId']).toBe('clicked');
    expect((await client.get('/v1/dashboard')).body['pendingLinks']).toBe(1);
    const types = heard.flatMap((event) => (event.type === 'link' ? [event.link.status] : []));
    expect(types).toEqual(['pending', 'pending', 'complete']);
  });

  it('denies one, and only the terminal that asked is told', async () => {
    const { token, pollSecret } = await open();
    const { links } = (await client.get('/v1/link-sessions')).body;
    const path = `/v1/link-sessions/${links[0].linkId}`;
    expect((await client.post(`${path}/deny`)).body['status']).toBe('denied');
    expect((await poll(token)).body).toEqual({ status: 'expired', expiresAt: null });
    expect((await poll(token, pollSecret)).body).toEqual({
      status: 'expired',
      expiresAt: null,
      denied: true,
    });
    for (const what of ['deny', 'grant'])
      expect((await client.post(`${path}/${what}`, what === 'deny' ? {} : { agentId: 'no' })).status).toBe(
        409,
      );
    expect(await agents()).not.toContain('no');
    expect((await client.post('/v1/link-sessions/link_none/deny')).status).toBe(404);
  });
});

describe('a caller who signed in as an identity of the owner', () => {
  const wallet = newWallet();

  it('completes the link that the sign-in was for, and no other', async () => {
    const identity = await client.post('/v1/identities', { kind: 'wallet', subject: wallet.address });
    const [first, other] = [await open(), await open()];
    const signedIn = await signIn(treasury.client, first.token, wallet);
    expect((await complete(other.token, { agentId: 'crossed' }, signedIn)).status).toBe(401);
    expect((await complete(first.token, { agentId: 'by-wallet' }, signedIn)).status).toBe(200);
    expect((await poll(first.token, first.pollSecret)).body['agentId']).toBe('by-wallet');
    expect((await complete(first.token, { agentId: 'twice' }, signedIn)).status).toBe(404);

    const third = await open();
    const late = await signIn(treasury.client, third.token, wallet);
    await client.call('DELETE', `/v1/identities/${identity.body['identityId']}`, { body: {} });
    expect((await complete(third.token, { agentId: 'removed' }, late)).status).toBe(401);
    // This also holds for a request that was under way when the owner removed the identity.
    const caller = {
      role: 'identity',
      identityId: String(identity.body['identityId']),
      linkId: treasury.host.engine.context.store.links.list()[0]?.id ?? '',
    } as const;
    const input = { agentId: 'removed', dailyBudget: usdc(1n), maxPerPayment: usdc(1n), furtherKey: false };
    const raced = {
      caller,
      door: localDoor,
      params: { token: third.token },
      query: {},
      body: input,
      key: null,
      waitMs: null,
    };
    await expect(treasury.host.engine.operations.completeLink(raced)).rejects.toMatchObject({
      code: 'unauthorized',
    });
    expect(await agents()).not.toContain('removed');
  });
});
