// A database of an older version is migrated with its contents.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { verifyJournal } from '../../server/engine/records/audit.ts';
import type { Store } from '../../server/engine/ports.ts';
import { migrations } from '../../server/store/schema.ts';
import { makeOlder } from '../harness/older-database.ts';
import { openStore } from '../harness/store.ts';
import { deploy, openTreasury, removeFolder, temporaryFolder, until } from '../harness/treasury.ts';

const keys = ['first', 'second', 'third'];

/** The parts that must be the same afterwards. */
const pastOf = (store: Store) => ({
  sums: store.spend.byDay(2, Date.now()),
  remembered: keys.map((key) => store.idempotency.find('agent:payer', key)),
  payees: [...store.transfers.iterate({ kinds: ['payment'] })].map(({ payee }) =>
    store.payees.knownSince('payer', payee),
  ),
  services: store.services.search({ text: 'weather', limit: 5 }).total,
});

it('keeps its sums, keys and payees, and its journal is whole', async () => {
  const dataDir = temporaryFolder();
  const file = join(dataDir, 'sandbox', 'treasury.db');
  const treasury = await openTreasury({ dataDir });
  const agent = await deploy(treasury.client, 'payer');
  for (const [index, key] of keys.entries()) await agent.pay(`0.${index + 1}`, { key });
  const { store } = treasury.host.engine.context;
  await until('all to be final', () => store.transfers.open().length === 0);
  const past = pastOf(store);
  expect(past.sums.reduce((sum, { amount }) => sum + amount, 0n)).toBe(600_000n);
  expect(past.remembered.filter((one) => one?.transferId != null)).toHaveLength(3);
  expect(past.payees.filter((since) => since !== null)).toHaveLength(3);
  await treasury.close();

  // The table of search words is not copied: from the version that added it on, the catalog's search finds nothing.
  const searchable = 4;
  for (let version = migrations.length - 1; version > 0; version -= 1) {
    makeOlder(file, version);
    const updated = openStore(file);
    const expected = { ...past, services: version > searchable ? expect.any(Number) : past.services };
    expect([version, pastOf(updated)]).toEqual([version, expected]);
    expect([updated.journal.verifyRules(), verifyJournal(updated)]).toEqual([null, null]);
    updated.close();
  }
  removeFolder(dataDir);
});
