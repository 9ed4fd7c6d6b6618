// The owner's acts that tighten, on a disk that takes no more writes: none is reported as done, and the state shown,
// then and after a restart, is the one on disk.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useFolders } from '../harness/folders.ts';
import { fillDisk } from '../harness/full-disk.ts';
import type { Answer } from '../harness/http-client.ts';
import { deploy, openTreasury, type Treasury } from '../harness/treasury.ts';

const newFolder = useFolders();
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

describe('on a disk that takes no more writes', () => {
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
