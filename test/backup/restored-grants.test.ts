// Restoring a backup does not bring its standing approvals back: they may have been revoked since.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { restoreBackup } from '../../server/host/host.ts';
import { createLog } from '../../server/log.ts';
import { expectStatus } from '../harness/expect-status.ts';
import { useFolders } from '../harness/folders.ts';
import { deploy, openTreasury, until } from '../harness/treasury.ts';

const newFolder = useFolders();

it('a rolled-back copy ends the standing approvals in it: they are listed as ended, and the next payment is held', async () => {
  const dataDir = newFolder();
  const first = await openTreasury({ dataDir });
  const agent = await deploy(first.client, 'payer', { policy: { approveAbove: '0' } });
  const held = (await agent.pay('0.1')).body['approvalId'];
  const { hash } = (await first.client.get(`/v1/approvals/${held}`)).body;
  const standing = { upTo: '1.00', until: new Date(Date.now() + 86_400_000).toISOString() };
  await first.client.post(`/v1/approvals/${held}/grant`, { hash, standing });
  expectStatus(await agent.pay('0.1'), 200);
  const made = await first.client.post('/v1/backup', {});
  expectStatus(made, 200);
  // The backup does not hold the revocation.
  const [grant] = (await first.client.get('/v1/grants')).body['grants'];
  await first.client.call('DELETE', `/v1/grants/${grant.grantId}`);
  await first.close();

  const folder = join(dataDir, 'backups');
  const [file = ''] = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.db'));
  await restoreBackup({ dataDir, network: 'sandbox' }, join(folder, file), createLog('silent'));
  const second = await openTreasury({ dataDir });
  const { store } = second.host.engine.context;
  await until('the rescan', () => store.freeze.get()?.reason.includes('were found on the chain'));
  const [after] = (await second.client.get('/v1/grants')).body['grants'];
  expect(after).toMatchObject({ grantId: grant.grantId, endedBecause: 'The records were an older copy.' });
  expect(after.revokedAt).not.toBeNull();
  expectStatus(await second.client.post('/v1/unfreeze'), 200);
  const key = (await second.client.post('/v1/agents/payer/keys', {})).body['mcpConfig'].env.TREASURY_API_KEY;
  const body = { service: 'sandbox-weather', amount: '0.1', currency: 'USDC' };
  const next = await second.client.as(key).post('/v1/agents/payer/pay', body);
  expect([next.status, next.body['status']]).toEqual([202, 'awaiting_approval']);
  await second.close();
});
