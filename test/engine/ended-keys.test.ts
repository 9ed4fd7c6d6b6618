// The sums of delegated keys that have ended are dropped at a start.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { usualPolicy } from '../../server/contract/limits/policy-fields.ts';
import { noLimits, scopeOfKey } from '../../server/engine/domain/limits.ts';
import { createCalendar } from '../../server/engine/limits/calendar.ts';
import { keepMeters, recountSums } from '../../server/engine/limits/meters.ts';
import { usdc } from '../../server/money.ts';
import { useFolders } from '../harness/folders.ts';
import { openStore } from '../harness/store.ts';

const newFolder = useFolders();
const now = 1_800_000_000_000;

it('in one commit, and those of a live key stay', () => {
  const file = join(newFolder(), 't.db');
  const store = openStore(file);
  const sums = { store, calendar: createCalendar(() => 'UTC') };
  const limits = { ...noLimits, totalBudget: usdc(1n) };
  const ends = { live: now + 1, expired: now, revoked: now + 1 };
  store.atomically(() => {
    const agent = { agentId: 'scout', displayName: 'scout', status: 'active', statusReason: null } as const;
    store.agents.insert({ ...agent, createdAt: 0, archivedAt: null }, () => 'wallet');
    store.policies.set('scout', usualPolicy, 0);
    for (const [id, expiresAt] of Object.entries(ends)) {
      const delegated = { parentId: 'scout', level: 1 };
      const key = { id, agentId: 'scout', hash: id, label: id, createdAt: 0, expiresAt, delegated };
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
    ['key1:expired', 1],
    ['key1:live', 0],
    ['key1:revoked', 1],
    ['scout', 0],
  ]);
  store.close();
  const onDisk = new Database(file, { readonly: true });
  expect(onDisk.prepare('SELECT scope FROM meter').pluck().all()).toEqual(['key1:live']);
  onDisk.close();
});
