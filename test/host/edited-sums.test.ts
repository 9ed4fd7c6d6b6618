// The sums that budgets are held against are no part of the journal: a start compares them with the rows, which are.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, expect, it } from 'vitest';
import {
  deploy,
  instantly,
  openTreasury,
  removeFolder,
  temporaryFolder,
  until,
} from '../harness/treasury.ts';

const dataDir = temporaryFolder();
afterAll(() => removeFolder(dataDir));

it('are corrected where they were edited, so that no limit is wider than its rows', async () => {
  const options = { dataDir, args: [...instantly] };
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
  const refused = await after.client
    .as(scout.key)
    .post('/v1/agents/scout/pay', { service: 'sandbox-weather', amount: '0.11', currency: 'USDC' });
  expect([refused.status, refused.body['code']]).toEqual([402, 'daily_budget']);
  await after.client.post('/v1/agents/scout/policy', { cooldownSeconds: 3_600 });
  const early = await after.client
    .as(scout.key)
    .post('/v1/agents/scout/pay', { service: 'sandbox-weather', amount: '0.05', currency: 'USDC' });
  expect(early.body['code']).toBe('cooldown');
  await after.close();
});
