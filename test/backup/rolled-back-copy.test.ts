// A rolled-back copy of the records: the chain knows of payments and draws that they do not, and the standing approvals in
// it may have been revoked since.
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopeOfGroup } from '../../server/engine/domain/limits.ts';
import { restoreBackup } from '../../server/host/host.ts';
import { createLog } from '../../server/log.ts';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { expectStatus } from '../harness/expect-status.ts';
import { createClient } from '../harness/http-client.ts';
import { createColdWallet } from '../harness/chain/cold-wallet.ts';
import { liveFromCold } from '../harness/chain/living-cold.ts';
import { trustedPhone } from '../harness/chain/trusted-phone.ts';
import { createRpcProxy, type Fault, type Proxy } from '../harness/chain/rpc-proxy.ts';
import { useFolders } from '../harness/folders.ts';
import { allowDelegation, delegate } from '../http/limits/slices.ts';
import {
  deploy,
  openTreasury,
  removeFolder,
  openSandbox,
  until,
  type TestSandbox,
  type Treasury,
} from '../harness/treasury.ts';

const folder = useFolders();
let sandbox: TestSandbox;
let proxy: Proxy;
let args: string[] = [];
beforeAll(async () => {
  sandbox = await openSandbox();
  proxy = await createRpcProxy(sandbox.rpcUrl);
  args = ['--rpc', proxy.url, '--ws', `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`];
});
afterAll(async () => {
  await proxy.close();
  await sandbox.close();
});

const payWith = ({ host, owner }: Treasury, key: string, amount = '0.01') => {
  const client = createClient(host.url, owner, key);
  return client
    .post('/v1/agents/saver/pay', { service: 'sandbox-weather', amount, currency: 'USDC' })
    .finally(client.close);
};
const stateOf = ({ host }: Treasury) => {
  const { store, time } = host.engine.context;
  return {
    reason: store.freeze.get()?.reason ?? null,
    spent: store.spend.at('saver', time.now()),
    inGroups: store.groups.list().map(({ id }) => store.spend.at(scopeOfGroup(id), time.now()).final),
    payments: [...store.transfers.iterate({ kinds: ['payment'] })].length,
  };
};
const compared = (treasury: Treasury): Promise<string> =>
  until('the rescan', () => {
    const { reason } = stateOf(treasury);
    return reason?.includes('were found on the chain') === true && reason;
  });
/** Cuts every request for a wallet's finalized history. */
const hidesHistories: Fault = (request, forward) =>
  request.method === 'getSignaturesForAddress' && request.params[1].commitment === 'finalized'
    ? null
    : forward();

interface Lived {
  dataDir: string;
  key: string;
  /** That the agent delegated before the copy. */
  delegated: string;
}

const delegatedBy = async ({ client }: Treasury): Promise<string> => {
  await allowDelegation(client, 'saver');
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  return (await delegate(client, 'saver', { label: 'a task', expiresAt, dailyBudget: '1' })).key;
};

/** A picture for 0.02. */
const draw = async ({ client, host }: Treasury): Promise<void> => {
  const { models } = (await client.get('/v1/models')).body as { models: { id: string; pricing: object }[] };
  const model = models.find(({ pricing }) => Object.values(pricing)[0] === '0.02');
  const picture = { prompt: 'a fox', modelId: model?.id, resolution: '1k' };
  expectStatus(await client.post('/v1/agents/saver/generate', picture), 200);
  const { store } = host.engine.context;
  await until('the picture', () => store.tasks.unsettled().length === 0);
  await until('its charge to be final', () => store.transfers.open().length === 0);
};

/** Puts the copy of `sandbox/`, or only its database, where the records are. */
const putCopyBack = (dataDir: string, copy: string, what: 'all' | 'database'): void => {
  const records = join(dataDir, 'sandbox');
  if (what === 'all') {
    removeFolder(records);
    return cpSync(copy, records, { recursive: true });
  }
  for (const end of ['', '-wal', '-shm']) rmSync(join(records, `treasury.db${end}`), { force: true });
  cpSync(join(copy, 'treasury.db'), join(records, 'treasury.db'));
};

/**
 * A treasury whose records in `sandbox/`, or only its database, were copied before ten payments, a picture, an allocation, a
 * recall, a deposit, and the deployment of an agent.
 */
const putBack = async (what: 'all' | 'database'): Promise<Lived> => {
  const [dataDir, copy] = [folder(), folder()];
  const first = await openTreasury({ dataDir, args });
  await first.client.post('/v1/sandbox/faucet', { amount: '100' });
  const { key } = await deploy(first.client, 'saver', { dailyBudget: '1', allocate: '5' });
  expectStatus(await payWith(first, key), 200);
  const delegated = await delegatedBy(first);
  const group = await first.client.post('/v1/groups', { name: 'Savers', limits: { dailyBudget: '1' } });
  await first.client.post('/v1/agents/saver/group', { groupId: group.body['groupId'] });
  const { id } = await trustedPhone(first, '5', '5');
  await first.client.post('/v1/model-suppliers', { kind: 'openai', name: 'OpenAI' });
  await first.close();
  cpSync(join(dataDir, 'sandbox'), copy, { recursive: true });

  const second = await openTreasury({ dataDir, args });
  await second.client.call('DELETE', `/v1/phone-wallets/${id}`);
  await second.client.post('/v1/sandbox/faucet', { amount: '7' });
  await second.client.post('/v1/agents/saver/allocate', { amount: '2' });
  for (let n = 0; n < 10; n += 1) expectStatus(await payWith(second, key), 200);
  await second.client.post('/v1/agents/saver/recall', { amount: '1.5' });
  await draw(second);
  await deploy(second.client, 'later', { allocate: '3' });
  await second.close();
  putCopyBack(dataDir, copy, what);
  return { dataDir, key, delegated };
};

const expectGate = async (old: Treasury): Promise<void> => {
  const refused = await old.client.post('/v1/unfreeze');
  expect([refused.status, refused.body['code']]).toEqual([409, 'conflict']);
  expect(refused.body['error']).toContain('compared its records with the chain');
  const sent = await old.client.post(
    '/v1/treasury/withdraw',
    { asset: 'USDC', to: old.owner, amount: '1' },
    { key: 'early' },
  );
  expect(sent.status, sent.text).toBeGreaterThanOrEqual(400);
};

/** Ten payments of 0.01 and a picture for 0.02 that the copy does not know, all in the agent's group, and a payment that it knows. */
const expectEntered = async (old: Treasury): Promise<void> => {
  expect(stateOf(old)).toMatchObject({
    payments: 11,
    spent: { open: 0n, final: 130_000n },
    inGroups: [120_000n],
  });
  await old.host.engine.context.funds.scanDeposits();
  expect(clean(await audit(old.host))).toEqual(allWell);
  const { agents } = (await old.client.get('/v1/agents')).body as {
    agents: { agentId: string; balance: string; status: string }[];
  };
  expect(agents.map(({ agentId, balance }) => [agentId, balance])).toEqual([
    ['saver', '5.37'],
    ['restored-2', '3.00'],
  ]);
  const { deposits } = (await old.client.get('/v1/treasury/deposits')).body as {
    deposits: { amount: string; currency: string }[];
  };
  const ofUsdc = deposits.filter(({ currency }) => currency === 'USDC');
  expect(ofUsdc.map(({ amount }) => amount)).toEqual(['7.00', '100.00']);
};

const newKeyOf = async ({ client }: Treasury): Promise<string> => {
  const made = await client.post('/v1/agents/saver/keys', {});
  return String(made.body['mcpConfig'].env.TREASURY_API_KEY);
};

describe('a database that is ten payments old', () => {
  it('is frozen until the chain was read; API keys end, missing payments are charged to agent and group, and the owner can go on', async () => {
    const { dataDir, key, delegated } = await putBack('database');
    proxy.fault = hidesHistories;
    const old = await openTreasury({ dataDir, args });
    expect(stateOf(old).reason).toContain('an older copy');
    expectStatus(await payWith(old, key), 401);
    expect((await payWith(old, delegated)).body['code']).toBe('key_ended');
    await expectGate(old);
    proxy.fault = null;
    const reason = await compared(old);
    expect(reason).toContain('10 payments of 0.10 USDC in all and 1 deposit');
    await expectEntered(old);
    expectStatus(await payWith(old, key), 401);
    // The phone was lost after the copy.
    expect((await old.client.get('/v1/phone-wallets')).body['wallets']).toEqual([]);
    expect(reason).toContain('register your phones again');
    // Also of an agent that the copy does not know, and that the chain shows.
    expect(reason).toContain(
      'your providers of language models are off until you enter what each agent used',
    );
    expect((await old.client.get('/v1/model-suppliers')).body['suppliers']).toMatchObject([
      { enabled: false, lacksUseOf: ['saver', 'restored-2'] },
    ]);

    expectStatus(await old.client.post('/v1/unfreeze'), 200);
    expect((await payWith(old, delegated)).body['code']).toBe('key_ended');
    const next = await newKeyOf(old);
    const over = await payWith(old, next, '0.870001');
    expect([over.status, over.body['code'], over.body['details'].spent]).toEqual([
      402,
      'daily_budget',
      '0.13',
    ]);
    expectStatus(await payWith(old, next, '0.87'), 200);
    await old.close();

    // The seal now fits this copy.
    const again = await openTreasury({ dataDir, args });
    expect(stateOf(again)).toMatchObject({ reason: null, spent: { final: 1_000_000n } });
    expect((await payWith(again, next, '0.000001')).body['code']).toBe('daily_budget');
    await again.close();
  });

  it('stays frozen over restarts for as long as the chain is silent', async () => {
    const { dataDir } = await putBack('database');
    proxy.fault = hidesHistories;
    for (let n = 0; n < 2; n += 1) {
      const old = await openTreasury({ dataDir, args });
      await expectGate(old);
      await old.close();
    }
    proxy.fault = null;
    const old = await openTreasury({ dataDir, args });
    expect(await compared(old)).toContain('10 payments of 0.10 USDC');
    await expectEntered(old);
    await old.close();
  });

  it('whose reconciliation was cut off goes on with it, and enters nothing twice', async () => {
    const { dataDir } = await putBack('database');
    for (const most of [3, 9, 14]) {
      let read = 0;
      proxy.fault = (request, forward) => {
        if (request.method === 'getTransaction') read += 1;
        return read > most ? null : forward();
      };
      const old = await openTreasury({ dataDir, args });
      await until('some of it', () => read > most);
      await old.close();
    }
    proxy.fault = null;
    const old = await openTreasury({ dataDir, args });
    expect(await compared(old)).toContain('10 payments of 0.10 USDC');
    await expectEntered(old);
    await old.close();
  });
});

describe('a whole folder that is ten payments old, seal and all', () => {
  it('pays nothing, and no key twice: it is frozen before it answers anybody, API keys end, and missing payments are entered', async () => {
    const { dataDir, key, delegated } = await putBack('all');
    proxy.fault = hidesHistories;
    const old = await openTreasury({ dataDir, args });
    const refused = await payWith(old, key);
    expect([refused.status, refused.body['code']]).toEqual([403, 'frozen']);
    expect(refused.body['error']).toContain('no payment explains it');
    expect(stateOf(old).payments).toBe(1);
    await expectGate(old);
    proxy.fault = null;
    // The ordinary scan entered the deposit before the first transfer that revealed the rollback.
    expect(await compared(old)).toContain('10 payments of 0.10 USDC in all');
    await expectEntered(old);
    expect((await old.client.get('/v1/phone-wallets')).body['wallets']).toEqual([]);
    expectStatus(await old.client.post('/v1/unfreeze'), 200);
    await old.client.post('/v1/agents/saver/resume');
    // Whoever repeated a request that these records lack would pay twice.
    expectStatus(await payWith(old, key), 401);
    const next = await newKeyOf(old);
    expect((await payWith(old, next, '0.870001')).body['code']).toBe('daily_budget');
    expectStatus(await payWith(old, next, '0.87'), 200);
    expect((await payWith(old, delegated)).body['code']).toBe('key_ended');
    await old.close();
  });
});

const one = 1_000_000n;

describe('a copy', () => {
  it('that lacks draws has them entered once, with their source, and goes on drawing', async () => {
    const [dataDir, copy] = [folder(), folder()];
    const first = await openTreasury({ dataDir, args });
    await first.client.post('/v1/sandbox/faucet', { amount: '10' });
    await deploy(first.client, 'saver', { allocate: null });
    const cold = await liveFromCold(first, 50n * one);
    expectStatus(await first.client.post('/v1/agents/saver/allocate', { amount: '1.00' }), 200);
    await until('all to end', () => first.host.engine.context.store.transfers.open().length === 0);
    await first.close();
    cpSync(join(dataDir, 'sandbox'), copy, { recursive: true });

    const second = await openTreasury({ dataDir, args });
    for (const amount of ['2.00', '3.00'])
      expectStatus(await second.client.post('/v1/agents/saver/allocate', { amount }), 200);
    await cold.send(second.owner, 250_000n);
    await until('all to end', () => second.host.engine.context.store.transfers.open().length === 0);
    await second.close();
    putCopyBack(dataDir, copy, 'database');

    const old = await openTreasury({ dataDir, args });
    const { store, funds } = old.host.engine.context;
    await compared(old);
    const draws = [...store.transfers.iterate({})].toReversed().filter(({ source }) => source !== null);
    expect(draws.map(({ source, amount, kind, state }) => [source, amount, kind, state])).toEqual(
      [1n, 2n, 3n].map((units) => [cold.address, units * one, 'allocation', 'final']),
    );
    expect(store.freeze.get()?.reason).toContain('0 payments');
    await funds.compare();
    expect(clean(await audit(old.host))).toEqual(allWell);
    expectStatus(await old.client.post('/v1/unfreeze'), 200);
    await old.client.post('/v1/agents/saver/resume');
    expectStatus(await old.client.post('/v1/agents/saver/allocate', { amount: '4.00' }), 200);
    await until('all to end', () => store.transfers.open().length === 0);
    await funds.compare();
    expect(await cold.account()).toMatchObject({ allowance: 40n * one });
    expect((await old.client.get('/v1/dashboard')).body).toMatchObject({ frozen: false });
    expect(clean(await audit(old.host))).toEqual(allWell);
    await old.close();
  });

  it('that lacks a refund finds it on the chain, and does not send the deposit back again', async () => {
    const [dataDir, copy] = [folder(), folder()];
    const first = await openTreasury({ dataDir, args });
    await first.client.post('/v1/sandbox/faucet', { amount: '10' });
    const buyer = await createColdWallet(sandbox.rpcUrl, one);
    await buyer.send(first.owner, one / 2n);
    const refundOf = await until('the deposit to be final', async () => {
      const all: Record<string, string>[] = (await first.client.get('/v1/treasury/deposits')).body[
        'deposits'
      ];
      return all.find(({ from, status }) => from === buyer.address && status === 'final')?.['txSignature'];
    });
    await first.close();
    cpSync(join(dataDir, 'sandbox'), copy, { recursive: true });

    const refund = { asset: 'USDC', to: buyer.address, amount: '0.5', refundOf };
    const refunded = ({ client }: Treasury, key: string) =>
      client.post('/v1/treasury/withdraw', refund, { key });
    const second = await openTreasury({ dataDir, args });
    expectStatus(await refunded(second, 'first'), 200);
    await until('all to end', () => second.host.engine.context.store.transfers.open().length === 0);
    await second.close();
    putCopyBack(dataDir, copy, 'database');

    const old = await openTreasury({ dataDir, args });
    await compared(old);
    expectStatus(await old.client.post('/v1/unfreeze'), 200);
    expect((await refunded(old, 'again')).body['error']).toContain('was sent back already');
    await old.close();
  });

  it('that lacks the cold wallet itself counts it all the same, and says to set it again', async () => {
    const [dataDir, copy] = [folder(), folder()];
    const first = await openTreasury({ dataDir, args });
    await first.client.post('/v1/sandbox/faucet', { amount: '10' });
    await first.close();
    cpSync(join(dataDir, 'sandbox'), copy, { recursive: true });

    const second = await openTreasury({ dataDir, args });
    await deploy(second.client, 'saver', { allocate: null });
    const cold = await liveFromCold(second, 50n * one);
    expectStatus(await second.client.post('/v1/agents/saver/allocate', { amount: '1.00' }), 200);
    await until('all to end', () => second.host.engine.context.store.transfers.open().length === 0);
    await second.close();
    putCopyBack(dataDir, copy, 'database');

    const old = await openTreasury({ dataDir, args });
    const { store } = old.host.engine.context;
    await compared(old);
    expect(store.freeze.get()?.reason).toContain(`the cold wallet ${cold.address} was chosen since`);
    const exposed = async () => (await old.client.get('/v1/dashboard')).body['exposure'].cold;
    await until('the allowance', async () => (await exposed()) === '49.00');
    await old.close();
  });

  it('that a backup restores ends the standing approvals in it: they are listed as ended, and the next payment is held', async () => {
    const dataDir = folder();
    const first = await openTreasury({ dataDir, args });
    await first.client.post('/v1/sandbox/faucet', { amount: '100' });
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

    const backups = join(dataDir, 'backups');
    const [file = ''] = readdirSync(backups, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.db'));
    await restoreBackup({ dataDir, network: 'sandbox' }, join(backups, file), createLog('silent'));
    const second = await openTreasury({ dataDir, args });
    await compared(second);
    const [after] = (await second.client.get('/v1/grants')).body['grants'];
    expect(after).toMatchObject({ grantId: grant.grantId, endedBecause: 'The records were an older copy.' });
    expect(after.revokedAt).not.toBeNull();
    expectStatus(await second.client.post('/v1/unfreeze'), 200);
    const key = (await second.client.post('/v1/agents/payer/keys', {})).body['mcpConfig'].env
      .TREASURY_API_KEY;
    const body = { service: 'sandbox-weather', amount: '0.1', currency: 'USDC' };
    const next = await second.client.as(key).post('/v1/agents/payer/pay', body);
    expect([next.status, next.body['status']]).toEqual([202, 'awaiting_approval']);
    await second.close();
  });
});
