// API keys that have ended: one that the owner revokes pays nothing more, not even a payment that it had begun; and the
// sums of delegated keys that have ended are dropped at a start.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { usualPolicy } from '../../server/contract/limits/policy-fields.ts';
import { noLimits, scopeOfKey } from '../../server/engine/domain/limits.ts';
import { createCalendar } from '../../server/engine/limits/calendar.ts';
import { keepMeters, recountSums } from '../../server/engine/limits/meters.ts';
import { usdc } from '../../server/money.ts';
import { beforeSigning } from '../harness/engine/before-signing.ts';
import { useFolders } from '../harness/folders.ts';
import type { Answer } from '../harness/http-client.ts';
import { openRich, seller, useSeller } from '../harness/chain/seller-treasury.ts';
import { deploy, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { storeWithAgent } from '../store/store-with-agent.ts';

const newFolder = useFolders();

useSeller();
let slow: Server;
let slowUrl = '';
let beforeOffer: () => Promise<unknown>;
let treasury: Treasury;
let agent: TestAgent;
let n = 0;

beforeAll(async () => {
  // Answers with the same 402 as the other seller, but later.
  slow = createServer((_request, response) => {
    const offered = beforeOffer().then(() => fetch(`${seller.url}/data`));
    void offered.then(({ headers }) => {
      response.statusCode = 402;
      response.setHeader('payment-required', headers.get('payment-required') ?? '').end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(slow, 'listening');
  slowUrl = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
  treasury = await openRich({}, slowUrl);
});
afterAll(async () => {
  await treasury.close();
  slow.close();
});
beforeEach(async () => {
  n += 1;
  agent = await deploy(treasury.client, `buyer-${n}`, { allocate: '1.00' });
});

const rows = () => [
  ...treasury.host.engine.context.store.transfers.iterate({ agentId: agent.agentId, kinds: ['payment'] }),
];
const revoke = async (): Promise<void> => {
  const keys = `/v1/agents/${agent.agentId}/keys`;
  const [{ keyId }] = (await treasury.client.get(keys)).body['keys'] as [{ keyId: string }];
  expect((await treasury.client.call('DELETE', `${keys}/${keyId}`)).status).toBe(200);
};

describe('a key that is revoked', () => {
  it('while its seller has yet to name a price reserves nothing', async () => {
    beforeOffer = revoke;
    const answer = await agent.client.post(`/v1/agents/${agent.agentId}/fetch`, { url: `${slowUrl}/data` });
    expect([answer.status, answer.body['code']]).toEqual([401, 'unauthorized']);
    expect(rows()).toEqual([]);
  });

  it('between reservation and signature has nothing signed, and gives back what was reserved', async () => {
    const { store } = treasury.host.engine.context;
    const paid = Promise.withResolvers<Answer>();
    await beforeSigning(
      treasury,
      agent.agentId,
      () => agent.pay('0.1', { prefer: 'wait=20' }).then(paid.resolve),
      revoke,
    );
    const answer = await paid.promise;
    expect([answer.status, answer.body['code']]).toEqual([401, 'unauthorized']);
    expect(rows()).toMatchObject([{ state: 'cancelled', signed: null, refusal: { code: 'unauthorized' } }]);
    expect(store.spend.at(agent.agentId, Date.now()).open).toBe(0n);
  });
});

const now = 1_800_000_000_000;

it('the sums of keys that have ended are dropped in one commit, and those of a live key stay', () => {
  const file = join(newFolder(), 't.db');
  const store = storeWithAgent(file);
  const sums = { store, calendar: createCalendar(() => 'UTC') };
  const limits = { ...noLimits, totalBudget: usdc(1n) };
  const ends = { live: now + 1, expired: now, revoked: now + 1 };
  store.atomically(() => {
    store.policies.set('a', usualPolicy, 0);
    for (const [id, expiresAt] of Object.entries(ends)) {
      const delegated = { parentId: 'a', level: 1 };
      const key = { id, agentId: 'a', hash: id, label: id, createdAt: 0, expiresAt, delegated };
      store.keys.insert({ ...key, revokedAt: id === 'revoked' ? now : null });
      const scope = scopeOfKey(1, id);
      const { totalSince } = store.limits.set(scope, limits, 0);
      keepMeters(sums, { scope, limits, totalSince }, now);
    }
  });
  let open = 0;
  const atomically = <T>(work: () => T): T => {
    open += 1;
    try {
      return store.atomically(work);
    } finally {
      open -= 1;
    }
  };
  const { meterOnly } = store.spend;
  const dropped: [string, number][] = [];
  store.spend.meterOnly = (scope, kept) => {
    meterOnly(scope, kept);
    dropped.push([scope, open]);
  };
  recountSums({ ...sums, store: { ...store, atomically } }, now);
  expect(dropped.toSorted()).toEqual([
    ['a', 0],
    ['key1:expired', 1],
    ['key1:live', 0],
    ['key1:revoked', 1],
  ]);
  store.close();
  const onDisk = new Database(file, { readonly: true });
  expect(onDisk.prepare('SELECT scope FROM meter').pluck().all()).toEqual(['key1:live']);
  onDisk.close();
});
