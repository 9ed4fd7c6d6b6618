// After an older copy of the records was put back, what was used of language models since has to come from the owner.
import { expect, it } from 'vitest';
import {
  nothingFound,
  setReconciliationMark,
  setRecordsWhole,
} from '../../server/engine/domain/reconciliation-mark.ts';
import { endCredentials } from '../../server/engine/records/rollback.ts';
import { verifyJournal } from '../../server/engine/records/audit.ts';
import { deploy, openTreasury } from '../harness/treasury.ts';
import { asOwner, client, treasury } from '../http/api-treasury.ts';
import { agent, ask, hello, requests, spent, supplier, supplierId, units, useGateway } from './rig.ts';
import { chat, json, usageOf } from './supplier.ts';

useGateway();

const change = (body: object) => client.post(`/v1/model-suppliers/${supplierId}`, body);

const shown = async (id: unknown) => {
  const { body } = await client.get('/v1/model-suppliers');
  const suppliers = body['suppliers'] as {
    supplierId: string;
    lacksUseOf: string[];
    lacksUseSince: string;
  }[];
  return suppliers.find((one) => one.supplierId === id);
};
const lacks = async (id: unknown) => (await shown(id))?.lacksUseOf;
const answerAll = async () => {
  // First those since the older of two copies, then those since the newer one.
  for (let n = 0; n < 2; n += 1) {
    const zeros = ((await lacks(supplierId)) ?? []).map((one) => [one, '0'] as const);
    expect((await change({ usedSince: Object.fromEntries(zeros) })).status).toBe(200);
  }
  expect((await change({ enabled: true })).status).toBe(200);
};

it('keeps an own key off until it is entered for each agent, and counts it from then', async () => {
  // By the copy it may use none; its owner may have allowed it since.
  const other = await deploy(client, 'painter', { dailyBudget: '1' });
  const { context } = treasury.host.engine;
  const { store } = context;
  expect((await change({ usedSince: { [agent.agentId]: '0.10' } })).status).toBe(400);
  store.atomically(() => endCredentials(context, null));

  const refused = await change({ enabled: true });
  expect([refused.status, refused.body['code'], refused.body['details']]).toMatchObject([
    409,
    'conflict',
    { agentIds: ['payer', agent.agentId, other.agentId] },
  ]);
  expect(store.modelSuppliers.list()[0]?.enabled).toBe(false);
  // All of a call or nothing of it.
  const partly = await change({ usedSince: { [other.agentId]: '0.20', nobody: '0' }, enabled: true });
  expect([partly.status, store.modelRequests.list({ limit: 9 })]).toEqual([400, []]);

  expect((await change({ usedSince: { payer: '0', [other.agentId]: '0' } })).body['lacksUseOf']).toEqual([
    agent.agentId,
  ]);
  const entered = await change({ usedSince: { [agent.agentId]: '0.995' } });
  expect(entered.body).toMatchObject({ enabled: false, lacksUseOf: [] });
  expect([spent(), requests().length, verifyJournal(store)]).toEqual([units('0.995'), 1, null]);
  expect((await change({ enabled: true })).body).toMatchObject({ enabled: true });

  supplier.answer = (_, response) => json(response, 200, chat('Hi', usageOf(10, 1)));
  const { body } = await client.post(`/v1/agents/${agent.agentId}/keys`, {});
  const headers = { authorization: `Bearer ${String(body['apiKey'])}`, 'content-type': 'application/json' };
  expect((await ask(hello, { headers })).status).toBe(402);
  expect((await ask({ ...hello, max_tokens: 100 }, { headers })).status).toBe(200);
});

it('is corrected by a further row, up and down, and has to be an agent of these records', async () => {
  const { context } = treasury.host.engine;
  context.store.atomically(() => endCredentials(context, null));
  for (const amount of ['0.50', '0.05', '0.30']) {
    const { body } = await change({ usedSince: { [agent.agentId]: amount } });
    expect(body['lacksUseOf']).not.toContain(agent.agentId);
    expect(spent()).toBe(units(amount));
  }
  expect([requests().length, verifyJournal(context.store)]).toEqual([3, null]);
  expect((await change({ usedSince: { nobody: '1' } })).status).toBe(400);
});

it('keeps a supplier off that was removed and is added again, and one that the copy may not know', async () => {
  const { context } = treasury.host.engine;
  context.store.atomically(() => endCredentials(context, null));
  const local = { kind: 'openai-compatible', name: 'Constructor', baseUrl: supplier.url, allowPrivate: true };
  for (let n = 0; n < 2; n += 1) {
    const added = await asOwner('model-suppliers', local);
    expect([added['enabled'], (await shown(added['supplierId']))?.lacksUseOf]).toEqual([
      false,
      expect.arrayContaining([agent.agentId]),
    ]);
    const path = `/v1/model-suppliers/${String(added['supplierId'])}`;
    expect((await client.post(path, { enabled: true })).status).toBe(409);
    expect((await client.call('DELETE', path)).status).toBe(200);
  }
  const added = await asOwner('model-suppliers', local);
  const path = `/v1/model-suppliers/${String(added['supplierId'])}`;
  const nothing = Object.fromEntries(((await lacks(added['supplierId'])) ?? []).map((id) => [id, '0']));
  expect((await client.post(path, { usedSince: nothing, enabled: true })).body).toMatchObject({
    enabled: true,
  });
  // An agent that comes later used nothing before.
  await deploy(client, 'newcomer', { allocate: null });
  await client.post(path, { enabled: false });
  expect((await client.post(path, { enabled: true })).body).toMatchObject({ enabled: true, lacksUseOf: [] });
});

it('turns nothing on before the chain has shown which agents there are', async () => {
  const { store } = treasury.host.engine.context;
  store.atomically(() => setReconciliationMark(store, { ...nothingFound, kind: 'older' }));
  for (const body of [{ enabled: true }, { usedSince: { [agent.agentId]: '0' } }])
    expect((await change(body)).body['code']).toBe('conflict');
  const meanwhile = { kind: 'openai', name: 'Meanwhile' };
  const added = await client.post('/v1/model-suppliers', meanwhile);
  expect(added.body['code']).toBe('conflict');
  store.atomically(() => {
    setReconciliationMark(store, null);
    store.meta.set('records', 'partial');
  });
  for (const { body } of [
    await change({ enabled: true }),
    await client.post('/v1/model-suppliers', meanwhile),
  ])
    expect(JSON.stringify(body)).toContain('still being restored');
  store.atomically(() => setRecordsWhole(store));
});

it('asks since the earliest copy that was not answered for', async () => {
  const { context } = treasury.host.engine;
  const { store } = context;
  await answerAll();
  const find = () => store.atomically(() => endCredentials(context, null));
  const first = store.newestTime();
  find();
  const others = ((await lacks(supplierId)) ?? []).filter((id) => id !== agent.agentId);
  await change({ usedSince: Object.fromEntries(others.map((id) => [id, '0'])) });
  expect(store.newestTime()).toBeGreaterThan(first);
  find();
  // First those of whom the earlier copy lacks it as well: no amount is entered twice.
  expect(await shown(supplierId)).toMatchObject({
    lacksUseOf: [agent.agentId],
    lacksUseSince: new Date(first).toISOString(),
  });
  // What was entered for the earlier copy is not asked for again.
  const second = store.newestTime();
  await change({ usedSince: { [agent.agentId]: '0.01' } });
  expect(await shown(supplierId)).toMatchObject({ lacksUseSince: new Date(second).toISOString() });
});

it('asks since the newest row of the copy, not since what was found on the chain and entered', async () => {
  const { context } = treasury.host.engine;
  const { store, time, newId } = context;
  await answerAll();
  const [last] = store.modelRequests.list({ limit: 1 });
  if (last === undefined) throw new Error('There is no row to find again.');
  const newest = store.newestTime();
  store.atomically(() => {
    setReconciliationMark(store, { ...nothingFound, kind: 'older' });
    store.modelRequests.insert({ ...last, id: newId('mod'), idempotencyKey: null }, null, time.now());
    endCredentials(context, null);
    endCredentials(context, null);
    setReconciliationMark(store, null);
  });
  expect(await shown(supplierId)).toMatchObject({
    lacksUseOf: expect.arrayContaining([agent.agentId]),
    lacksUseSince: new Date(newest).toISOString(),
  });
});

it('asks for a copy that knows as much as the one before it', async () => {
  const { client: owner, host, close } = await openTreasury();
  const { context } = host.engine;
  const find = () => context.store.atomically(() => endCredentials(context, null));
  await owner.post('/v1/model-suppliers', { kind: 'openai', name: 'Mine' });
  find();
  expect((await owner.post('/v1/model-suppliers/mine', { enabled: true })).body).toMatchObject({
    enabled: true,
  });
  find();
  await deploy(owner, 'found', { allocate: null });
  const { suppliers } = (await owner.get('/v1/model-suppliers')).body;
  expect(suppliers).toMatchObject([{ enabled: false, lacksUseOf: ['found'] }]);
  await close();
});
