// A treasury of version 0.1 is started with this version: its contents are kept, and standing approvals without payees
// have ended, with the reason. A payment that it held for the owner names no API key: once granted, it is decided again like
// any other.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealsOf } from '../../server/host/vault.ts';
import { vaultOf } from '../../server/vault/of-network.ts';
import { createLog } from '../../server/log.ts';
import Database from 'better-sqlite3';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { useFolders } from '../harness/folders.ts';
import { makeOlder } from '../harness/engine/older-database.ts';
import {
  deploy,
  openTreasury,
  openSandbox,
  until,
  type TestSandbox,
  type Treasury,
} from '../harness/treasury.ts';
import { createX402Seller, type X402Seller } from '../harness/chain/x402-seller.ts';

/** The tables of version 0.1. */
const version = 9;
const newFolder = useFolders();
const dataDir = newFolder();
let sandbox: TestSandbox;
let seller: X402Seller;
let treasury: Treasury;
let args: string[] = [];
let key = '';
let heldApproval = '';
let heldPayment = '';
let before: unknown;
let endedBefore: unknown;
let bought: unknown;

const agentClient = () => treasury.client.as(key);
const pay = (amount: string, idempotencyKey?: string) =>
  agentClient().post(
    '/v1/agents/payer/pay',
    { service: 'sandbox-weather', amount, currency: 'USDC' },
    idempotencyKey === undefined ? {} : { key: idempotencyKey },
  );
const buy = () =>
  agentClient().post('/v1/agents/payer/fetch', { url: `${seller.url}/data` }, { key: 'bought' });
const settled = (): Promise<unknown> =>
  until('all to be final', () => {
    const { transfers, deposits } = treasury.host.engine.context.store;
    return transfers.open().length === 0 && deposits.unsettled().length === 0;
  });
/** Makes a payment that the owner grants with a standing approval. */
const allowFurther = async (amount: string, upTo: string): Promise<void> => {
  const { client } = treasury;
  const held = (await pay(amount)).body;
  const { hash } = (await client.get(`/v1/approvals/${held['approvalId']}`)).body;
  const standing = { upTo, until: new Date(Date.now() + 86_400_000).toISOString() };
  await client.post(`/v1/approvals/${held['approvalId']}/grant`, { hash, standing });
};

/** The past as the owner and the agent see it, without standing approvals, and without when the agent last called. */
const seen = async (): Promise<unknown> => {
  const { client } = treasury;
  const bodies = [];
  for (const path of [
    '/v1/agents',
    '/v1/agents/payer/keys',
    '/v1/agents/payer/policy',
    '/v1/agents/payer/spend-history',
    '/v1/agents/payer/balance',
    '/v1/approvals',
    '/v1/treasury/policy',
    '/v1/activity',
  ])
    bodies.push((await client.get(path)).text.replaceAll(/"lastSeenAt":"[^"]+"/g, ''));
  const { deposits } = (await client.get('/v1/treasury/deposits')).body;
  // That version recorded no SOL.
  const ofUsdc = deposits.filter(({ currency }: { currency: string }) => currency === 'USDC');
  const replay = await pay('0.1', 'first');
  return [...bodies, ofUsdc, replay.status, replay.text];
};

/** As version 0.1 left it: its tables, sealed in the vault where its journal ended, and no stop marker. */
const makeVersion01 = async (): Promise<void> => {
  const folder = join(dataDir, 'sandbox');
  const file = join(folder, 'treasury.db');
  const now = new Database(file);
  const kept = now.prepare('SELECT transfer_id, status, headers, at FROM kept_answer').all() as {
    transfer_id: string;
  }[];
  now.close();
  // That version kept the answers' bodies in its database.
  makeOlder(file, version, (db) => {
    const keep = db.prepare(
      'INSERT INTO seller_answer (transfer_id, status, headers, body, at) VALUES (?, ?, ?, ?, ?)',
    );
    for (const { transfer_id: id, ...rest } of kept) {
      const { status, headers, at } = rest as { status: number; headers: string; at: number };
      keep.run(id, status, headers, readFileSync(join(folder, 'answers', id)), at);
    }
  });
  rmSync(join(folder, 'answers'), { recursive: true });
  rmSync(join(folder, 'stop.marker'));
  const db = new Database(file);
  db.exec(`DELETE FROM meta WHERE name = 'stop-marker'`);
  const head = db.prepare('SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1').get();
  expect(db.pragma('user_version', { simple: true })).toBe(version);
  db.close();
  const vault = vaultOf({ dataDir, network: 'sandbox' }, createLog('silent'));
  await vault.unlock(undefined);
  sealsOf(vault).seal(head as { seq: number; hash: Buffer });
};

beforeAll(async () => {
  sandbox = await openSandbox();
  seller = await createX402Seller(sandbox.rpcUrl);
  const ws = `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`;
  args = ['--rpc', sandbox.rpcUrl, '--ws', ws, '--allow-origin', seller.url];
  treasury = await openTreasury({ dataDir, args });
  const { client } = treasury;
  await client.post('/v1/sandbox/faucet', { amount: '100' });
  key = (await deploy(client, 'payer', { allocate: '5' })).key;
  await deploy(client, 'gone', { allocate: '1' });
  expect((await client.post('/v1/agents/gone/archive', {})).status).toBe(200);
  expect((await pay('0.1', 'first')).status).toBe(200);
  bought = (await buy()).body;
  await client.post('/v1/agents/payer/policy', { approveAbove: '0.2' });
  await allowFurther('0.21', '0.50');
  const [ended] = (await client.get('/v1/grants')).body['grants'];
  await client.call('DELETE', `/v1/grants/${ended.grantId}`);
  [endedBefore] = (await client.get('/v1/grants')).body['grants'];
  await allowFurther('0.3', '2.00');
  expect((await pay('0.4')).status).toBe(200);
  // More than is left of the standing approval.
  await client.post('/v1/agents/payer/policy', { maxPerPayment: '3' });
  const waiting = (await pay('2.5')).body;
  [heldApproval, heldPayment] = [String(waiting['approvalId']), String(waiting['paymentId'])];
  await settled();
  // A balance that was read in the slot of a payment may miss that payment twice, until the next reading.
  const { store } = treasury.host.engine.context;
  await until('no balance to be in doubt', () => store.wallets.list().every(({ doubt }) => doubt === 0n));
  before = await seen();
  await treasury.close();
  await makeVersion01();
  treasury = await openTreasury({ dataDir, args });
});
afterAll(async () => {
  await treasury.close();
  await seller.close();
  await sandbox.close();
});

describe('a treasury of version 0.1, started with this one', () => {
  it('is not stopped, and shows agents, archived ones too, payments, approvals and limits as they were', async () => {
    expect((await treasury.client.get('/v1/dashboard')).body).toMatchObject({ frozen: false, halted: null });
    expect(await seen()).toEqual(before);
    const { agents } = (await treasury.client.get('/v1/agents')).body;
    expect(agents.find(({ agentId }: { agentId: string }) => agentId === 'gone')).toMatchObject({
      archived: true,
    });
  });

  it('repeats a bought answer under its key, and buys nothing', async () => {
    const shown = seller.shown.length;
    const again = (await buy()).body;
    expect([again['status'], again['body']]).toEqual([
      (bought as { status: number }).status,
      (bought as { body: string }).body,
    ]);
    expect(seller.shown).toHaveLength(shown);
  });

  it('has ended its standing approvals, says why, and holds the payments that they would have covered', async () => {
    const { grants } = (await treasury.client.get('/v1/grants')).body;
    expect(grants).toHaveLength(2);
    expect(grants[0]).toMatchObject({
      agentId: 'payer',
      used: '0.40',
      endedBecause: expect.stringContaining('It named no payee.'),
    });
    expect(grants[0].revokedAt).not.toBeNull();
    const held = await pay('0.3');
    expect([held.status, held.body['status']]).toEqual([202, 'awaiting_approval']);
  });

  it('keeps the end of a standing approval that had ended before, and adds no reason', async () => {
    const { grants } = (await treasury.client.get('/v1/grants')).body;
    const { payees: _, ...ended } = endedBefore as Record<string, unknown>;
    expect(ended).toMatchObject({ used: '0.00', endedBecause: null, revokedAt: expect.any(String) });
    expect(grants[1]).toMatchObject(ended);
  });

  it('pays a held payment once the owner approves it', async () => {
    const { body } = await treasury.client.get(`/v1/approvals/${heldApproval}`);
    expect(body['status']).toBe('pending');
    await treasury.client.post(`/v1/approvals/${heldApproval}/grant`, { hash: body['hash'] });
    await settled();
    expect((await agentClient().get(`/v1/agents/payer/payments/${heldPayment}`)).body['status']).toBe(
      'confirmed',
    );
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });
});

it.each(['of now', 'of version 0.1'])(
  'a held payment %s is not signed when its service changed its payee after the grant',
  async (whose) => {
    const { client, host } = treasury;
    const { store, chain } = host.engine.context;
    const agent = await deploy(client, whose === 'of now' ? 'now' : 'then', {
      policy: { approveAbove: '0' },
    });
    const held = (await agent.pay('0.1', { prefer: 'wait=0' })).body;
    const [{ get }, { lifetime }] = [store.transfers, chain];
    if (whose !== 'of now')
      store.transfers.get = (id) => {
        const row = get(id);
        return row?.kind === 'payment' ? { ...row, keyId: null } : row;
      };
    const payees = store.services.get('sandbox-weather')?.payees ?? [];
    const pin = (to: readonly string[]) =>
      store.atomically(() => store.services.pin('sandbox-weather', [...to]));
    chain.lifetime = () => {
      pin([agent.wallet]);
      return lifetime();
    };
    const { approvalId, hash } = (await client.get(`/v1/approvals/${String(held['approvalId'])}`)).body;
    expect((await client.post(`/v1/approvals/${String(approvalId)}/grant`, { hash })).status).toBe(200);
    const row = () => store.transfers.get(String(held['paymentId']));
    await until('its end', () => row()?.endedAt != null);
    expect(row()).toMatchObject({
      state: 'cancelled',
      signed: null,
      refusal: { code: 'approval_cancelled' },
    });
    [store.transfers.get, chain.lifetime] = [get, lifetime];
    pin(payees);
  },
);
