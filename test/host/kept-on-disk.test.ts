// What the host keeps on its disk: the records, which nothing is paid without and which an idle treasury leaves alone; the
// sums beside them, which a start compares with the rows; and when agents and their keys were last heard of.
import fs, { readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDisk } from '../../server/host/disk.ts';
import { createLastSeen } from '../../server/host/last-seen.ts';
import { useFolders } from '../harness/folders.ts';
import { fillDisk } from '../harness/engine/full-disk.ts';
import type { Answer } from '../harness/http-client.ts';
import { deploy, openTreasury, rpcCall, until, type Treasury } from '../harness/treasury.ts';

const newFolder = useFolders();

it('an idle treasury writes nothing while nothing changes, and still enters a deposit', async () => {
  const { client, close, dataDir, host } = await openTreasury();
  const { funds, store } = host.engine.context;
  const held = (): bigint => store.wallets.get(host.owner)?.balance ?? 0n;
  const agent = await deploy(client, 'payer');
  await agent.pay('0.10');
  await until('all of it to be final', () => store.transfers.open().length === 0);
  // Balances that have changed are read once more.
  await funds.compare();
  const log = join(dataDir, 'sandbox', 'treasury.db-wal');
  const before = statSync(log);
  for (let look = 0; look < 5; look += 1) await funds.compare();
  const after = statSync(log);
  expect([after.size, after.mtimeMs]).toEqual([before.size, before.mtimeMs]);

  const had = held();
  await rpcCall(host.rpcUrl, 'sandbox_fundUsdc', [host.owner, '7000000']);
  await funds.compare();
  expect(held() - had).toBe(7_000_000n);
  expect(statSync(log).mtimeMs).toBeGreaterThan(after.mtimeMs);
  await close();
});

it('a treasury halts when its log is removed, still takes a stop, and knows every payment at the next start', async () => {
  const dataDir = newFolder();
  const first = await openTreasury({ dataDir });
  const payer = await deploy(first.client, 'payer');
  expect((await payer.pay('0.25')).status).toBe(200);
  unlinkSync(join(dataDir, 'sandbox', 'treasury.db-wal'));
  const refused = await payer.pay('0.25');
  expect([refused.status, refused.body['code']]).toEqual([503, 'halted']);
  expect(refused.text).toContain('treasury.db-wal');
  const { halted } = (await first.client.get('/v1/dashboard')).body;
  expect(halted).toContain('treasury.db-wal in its data folder was removed');
  expect((await first.client.post('/v1/freeze', {})).status).toBe(200);
  await first.close();

  const again = await openTreasury({ dataDir });
  const { freeze, agents } = (await again.client.get('/v1/dashboard')).body;
  expect([freeze.frozen, agents[0].spentToday]).toEqual([true, '0.25']);
  expect(freeze.reason).not.toContain('found on the chain');
  const { payments } = (await again.client.get('/v1/agents/payer/spend-history?limit=10')).body;
  expect(payments).toHaveLength(1);
  await again.close();
});

it('sums are corrected where they were edited, so that no limit is wider than their rows', async () => {
  const dataDir = newFolder();
  const options = { dataDir };
  const before = await openTreasury(options);
  const scout = await deploy(before.client, 'scout', { dailyBudget: '1.00' });
  const limits = { weeklyBudget: '3.00', monthlyBudget: '3.00', paymentsPerHour: 3, cooldownSeconds: 0 };
  await before.client.post('/v1/agents/scout/policy', limits);
  for (const amount of ['0.30', '0.30', '0.30']) expect((await scout.pay(amount)).status).toBe(200);
  await until('all to be final', () => before.host.engine.context.store.transfers.open().length === 0);
  await before.close();

  const db = new Database(join(dataDir, 'sandbox', 'treasury.db'));
  const edited = db.prepare('UPDATE spending SET final_amount = 0, last_reserved_at = 1').run().changes;
  const meters = db.prepare('UPDATE meter SET amount = 0').run().changes;
  expect([edited, meters]).toEqual([2, 3]);
  db.close();

  const after = await openTreasury(options);
  const { body } = await after.client.get('/v1/agents/scout/limits');
  expect(body).toMatchObject({
    budgets: [{ used: '0.90' }, { used: '0.90' }, { used: '0.90' }],
    rates: [{ used: 3, left: 0 }],
  });
  await after.client.post('/v1/agents/scout/policy', { paymentsPerHour: null });
  const pay = (amount: string) =>
    after.client
      .as(scout.key)
      .post('/v1/agents/scout/pay', { service: 'sandbox-weather', amount, currency: 'USDC' });
  const refused = await pay('0.11');
  expect([refused.status, refused.body['code']]).toEqual([402, 'daily_budget']);
  await after.client.post('/v1/agents/scout/policy', { cooldownSeconds: 3_600 });
  expect((await pay('0.05')).body['code']).toBe('cooldown');
  await after.close();
});

it('a disk reports the free space of unprivileged programs, read once a second at most', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const asked: string[] = [];
  let bavail = 16_384;
  const { statfsSync } = fs;
  onTestFinished(() => {
    vi.useRealTimers();
    fs.statfsSync = statfsSync;
    syncBuiltinESMExports();
  });
  // Some blocks are reserved for the administrator.
  const answer = (folder: string) => {
    asked.push(folder);
    return { bsize: 4_096, blocks: 100_000, bfree: bavail + 5_000, bavail };
  };
  fs.statfsSync = answer as unknown as typeof statfsSync;
  syncBuiltinESMExports();
  const disk = createDisk('/records');
  expect(disk.freeBytes()).toBe(64 * 1024 * 1024);
  bavail = 16_383;
  vi.advanceTimersByTime(999);
  expect(disk.freeBytes()).toBe(64 * 1024 * 1024);
  vi.advanceTimersByTime(1);
  expect(disk.freeBytes()).toBe(64 * 1024 * 1024 - 4_096);
  expect(asked).toEqual(['/records', '/records']);
});

it('a disk that cannot be read takes neither the page from the owner nor the freeze', async () => {
  let isRead = true;
  const freeBytes = (): number => {
    if (isRead) return Infinity;
    throw new Error('EIO');
  };
  const { client, close } = await openTreasury({ disk: { freeBytes } });
  isRead = false;
  const { status, body } = await client.get('/v1/dashboard');
  expect([status, body['frozen']]).toEqual([200, false]);
  expect((await client.post('/v1/freeze')).status).toBe(200);
  expect((await client.get('/v1/dashboard')).body['frozen']).toBe(true);
  await close();
});

// None of the owner's acts that tighten is reported as done, and the state shown, then and after a restart, is the one on disk.
describe('on a disk that takes no more writes', () => {
  const dataDir = newFolder();
  let treasury: Treasury;
  let free: () => void;
  const acts: Record<string, () => Promise<Answer>> = {};
  let before: unknown;

  const post = (path: string, body?: unknown) => () => treasury.client.post(path, body);
  const remove = (path: string) => () => treasury.client.call('DELETE', path);

  /** Everything that those acts would change. */
  const shown = async (): Promise<unknown> => {
    const bodies = [];
    for (const path of [
      '/v1/agents',
      '/v1/agents/scout/keys',
      '/v1/agents/scout/policy',
      '/v1/approvals',
      '/v1/grants',
      '/v1/treasury/policy',
      '/v1/sign-in/settings',
      '/v1/services/search?q=',
      '/v1/link-sessions',
    ])
      bodies.push((await treasury.client.get(path)).body);
    // The port, and with it the demo seller's place, changes with a restart.
    return JSON.parse(JSON.stringify(bodies).replaceAll(/127\.0\.0\.1:\d+/g, 'host'));
  };

  beforeAll(async () => {
    treasury = await openTreasury({ dataDir });
    const { client } = treasury;
    const scout = await deploy(client, 'scout', { policy: { approveAbove: '0.1' } });
    const granted = await scout.pay('0.2');
    const first = (await client.get(`/v1/approvals/${granted.body['approvalId']}`)).body;
    const standing = { upTo: '0.30', until: new Date(Date.now() + 86_400_000).toISOString() };
    await client.post(`/v1/approvals/${granted.body['approvalId']}/grant`, { hash: first['hash'], standing });
    const held = (await scout.pay('0.9')).body['approvalId'];
    const [key] = (await client.get('/v1/agents/scout/keys')).body['keys'];
    const [grant] = (await client.get('/v1/grants')).body['grants'];
    const identity = await client.post('/v1/identities', { kind: 'email', subject: 'owner@example.com' });
    await client.post('/v1/link-sessions', { machine: 'laptop' });
    const [link] = (await client.get('/v1/link-sessions')).body['links'];
    const { store } = treasury.host.engine.context;
    const weather = store.services.get('sandbox-weather');
    if (weather === undefined) throw new Error('the demo seller is listed');
    const added = { ...weather, id: 'added', origin: 'https://api.example' };
    store.atomically(() => store.services.upsert(added, { addedByOwner: true }));
    Object.assign(acts, {
      'deny an approval': post(`/v1/approvals/${held}/deny`),
      'revoke a key': remove(`/v1/agents/scout/keys/${key.keyId}`),
      'end a key by rotating it': post(`/v1/agents/scout/keys/${key.keyId}/rotate`, { now: true }),
      'revoke a standing approval': remove(`/v1/grants/${grant.grantId}`),
      'tighten a policy': post('/v1/agents/scout/policy', { dailyBudget: '0.5', newPayees: 'approve' }),
      'lower the ceiling': post('/v1/treasury/policy', { dailyBudget: '1' }),
      'remove an identity': remove(`/v1/identities/${identity.body['identityId']}`),
      'take a service out of the catalog': remove('/v1/services/added'),
      'deny a link': post(`/v1/link-sessions/${link.linkId}/deny`),
    });
    before = await shown();
    free = fillDisk();
  });
  afterAll(async () => {
    free();
    await treasury.close();
  });

  it.each([
    'deny an approval',
    'revoke a key',
    'end a key by rotating it',
    'revoke a standing approval',
    'tighten a policy',
    'lower the ceiling',
    'remove an identity',
    'take a service out of the catalog',
    'deny a link',
  ])('to %s is 503 and claims nothing', async (name) => {
    const answer = await acts[name]?.();
    expect([answer?.status, answer?.body['code']], answer?.text).toEqual([503, 'halted']);
    expect(Object.keys(answer?.body ?? {}).toSorted()).toEqual(['code', 'details', 'error']);
    expect(await shown()).toEqual(before);
  });

  it('the records are the same after a restart', async () => {
    free();
    await treasury.close();
    treasury = await openTreasury({ dataDir });
    expect(await shown()).toEqual(before);
  });
});

const minute = 60_000;
const keysOf = async ({ client }: Treasury) => (await client.get('/v1/agents/scout/keys')).body['keys'];
const agentOf = async ({ client }: Treasury) => (await client.get('/v1/dashboard')).body['agents'][0];

describe('the last call', () => {
  it('is the first call of an agent or of a key, and one after a quiet minute', () => {
    const seen = createLastSeen(null);
    expect(seen.of('scout')).toBeNull();
    expect(seen.note(['scout', 'key_1'], 1_000)).toBe(true);
    expect(seen.note(['scout', 'key_1'], 1_000 + minute - 1)).toBe(false);
    expect(seen.note(['scout', 'key_2'], 1_000 + minute)).toBe(true);
    expect(seen.note(['scout', 'key_1'], 1_000 + 2 * minute - 1)).toBe(true);
    expect([seen.of('key_1'), seen.of('key_2')]).toEqual([1_000 + 2 * minute - 1, 1_000 + minute]);
  });
});

describe('the file of last calls', () => {
  it('is written at most once a minute, and at the end, for this user alone', () => {
    const file = join(newFolder(), 'last-seen.json');
    const seen = createLastSeen(file);
    seen.note(['scout'], minute);
    seen.note(['scout'], minute + 5);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ scout: minute });
    seen.close();
    expect(createLastSeen(file).of('scout')).toBe(minute + 5);
  });

  it.each(['', '{', '[1]', '{"scout":"x"}'])('of nonsense is an empty one: %j', (text) => {
    const file = join(newFolder(), 'last-seen.json');
    writeFileSync(file, text);
    const seen = createLastSeen(file);
    expect(seen.of('scout')).toBeNull();
    expect(seen.note(['scout'], minute)).toBe(true);
  });

  it('that cannot be written keeps nobody from calling', () => {
    const folder = newFolder();
    const blocked = join(folder, 'a-file');
    writeFileSync(blocked, '');
    const seen = createLastSeen(join(blocked, 'last-seen.json'));
    expect(seen.note(['scout'], minute)).toBe(true);
    expect(seen.of('scout')).toBe(minute);
    seen.close();
  });
});

describe('the owner', () => {
  it('sees of each agent and each key when it last called, also after a restart, and hears of it once', async () => {
    const dataDir = newFolder();
    let treasury = await openTreasury({ dataDir });
    const agent = await deploy(treasury.client, 'scout', { allocate: null });
    const { body: other } = await treasury.client.post('/v1/agents/scout/keys');
    expect((await agentOf(treasury)).lastSeenAt).toBeNull();
    const heard: string[] = [];
    treasury.host.engine.onEvent(({ type }) => heard.push(type));

    const before = Date.now();
    for (let call = 0; call < 5; call += 1) await agent.client.get('/v1/agents/scout/policy');
    expect((await treasury.client.as('atk_none').get('/v1/agents/scout/policy')).status).toBe(401);
    expect(heard).toEqual(['agent']);
    const { lastSeenAt } = await agentOf(treasury);
    expect(Date.parse(lastSeenAt)).toBeGreaterThanOrEqual(before);
    const byKey = Object.fromEntries(
      (await keysOf(treasury)).map((key: Record<string, unknown>) => [key['keyId'], key['lastSeenAt']]),
    );
    expect(byKey[other['keyId']]).toBeNull();
    expect(Object.values(byKey).filter((at) => at === lastSeenAt)).toHaveLength(1);

    await treasury.close();
    treasury = await openTreasury({ dataDir });
    expect((await agentOf(treasury)).lastSeenAt).toBe(lastSeenAt);
    await treasury.close();
  });
});
