// A file of the records is removed under the running host: nothing is paid on records that would not survive.
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useFolders } from '../harness/folders.ts';
import { deploy, openTreasury } from '../harness/treasury.ts';

const folder = useFolders();

it('halts when its log is removed, still takes a stop, and knows every payment at the next start', async () => {
  const dataDir = folder();
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
