// A database of an older version is brought up to date, with what it holds.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { deploy, openTreasury, removeFolder, temporaryFolder, until } from '../harness/treasury.ts';

it('sums by day the payments that were there before the sums were', async () => {
  const dataDir = temporaryFolder();
  const first = await openTreasury({ dataDir });
  const agent = await deploy(first.client, 'payer');
  for (const amount of ['0.1', '0.2', '0.3']) await agent.pay(amount);
  const { store } = first.host.engine.context;
  await until('all to be final', () => store.transfers.open().length === 0);
  const sums = store.spend.byDay(2, Date.now());
  expect(sums.reduce((sum, { amount }) => sum + amount, 0n)).toBe(600_000n);
  await first.close();

  const db = new Database(join(dataDir, 'sandbox', 'treasury.db'));
  const later = [
    'spending_day',
    'link_session',
    'identity',
    'sign_in',
    'task',
    'model',
    'seller_answer',
    'purchase',
  ];
  const catalog = [
    'catalog_listing',
    'catalog_source',
    'service_call',
    'service_facts',
    'service_search',
    'service_word',
  ];
  for (const table of [...later, ...catalog]) db.exec(`DROP TABLE ${table}`);
  for (const index of ['refund', 'unusual', 'movement', 'service']) db.exec(`DROP INDEX transfer_${index}`);
  db.pragma('user_version = 1');
  db.close();

  const second = await openTreasury({ dataDir });
  expect(second.host.engine.context.store.spend.byDay(2, Date.now())).toEqual(sums);
  expect(second.host.engine.context.store.freeze.get()).toBeNull();
  await second.close();
  removeFolder(dataDir);
});
