// After an older copy of the records was put back, what was used of language models since has to come from the owner.
import { expect, it } from 'vitest';
import { nothingFound, setReconciliationMark } from '../../server/engine/domain/reconciliation-mark.ts';
import { endCredentials } from '../../server/engine/records/rollback.ts';
import { verifyJournal } from '../../server/engine/records/audit.ts';
import { deploy } from '../harness/treasury.ts';
import { asOwner, client, treasury } from '../http/api-treasury.ts';
import { agent, ask, hello, requests, spent, supplier, supplierId, units, useGateway } from './rig.ts';
import { chat, json, usageOf } from './supplier.ts';

useGateway();

const change = (body: object) => client.post(`/v1/model-suppliers/${supplierId}`, body);

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
  expect((await change({ usedSince: { [agent.agentId]: '0.995' } })).status).toBe(400);
  expect([spent(), requests().length, verifyJournal(store)]).toEqual([units('0.995'), 1, null]);
  expect((await change({ enabled: true })).body).toMatchObject({ enabled: true });

  supplier.answer = (_, response) => json(response, 200, chat('Hi', usageOf(10, 1)));
  const { body } = await client.post(`/v1/agents/${agent.agentId}/keys`, {});
  const headers = { authorization: `Bearer ${String(body['apiKey'])}`, 'content-type': 'application/json' };
  expect((await ask(hello, { headers })).status).toBe(402);
  expect((await ask({ ...hello, max_tokens: 100 }, { headers })).status).toBe(200);
});

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

it('asks for nothing of a supplier that came since, and again after a further copy', async () => {
  const { store } = treasury.host.engine.context;
  const since = await asOwner('model-suppliers', { kind: 'openai', name: 'Since' });
  expect(await lacks(since['supplierId'])).toEqual([]);
  store.atomically(() => endCredentials(treasury.host.engine.context, null));
  expect(await lacks(supplierId)).toContain(agent.agentId);
  // The newest row of the copy is older than this supplier in it.
  expect(await lacks(since['supplierId'])).toContain(agent.agentId);
});

it('asks since the newest row of the copy, not since what was found on the chain and entered', async () => {
  const { context } = treasury.host.engine;
  const { store, time, newId } = context;
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
