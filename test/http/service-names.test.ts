// The names of services in allow-lists and limits: whatever holds limits brings them to the form that is compared, refuses
// what no service can be called, and tells what no service is called yet.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../harness/http-client.ts';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { allowDelegation } from './slices.ts';

let treasury: Treasury;
let agent: TestAgent;
let groupId: string;
beforeAll(async () => {
  treasury = await openTreasury();
  agent = await deploy(treasury.client, 'namer');
  await allowDelegation(treasury.client, 'namer');
  groupId = String((await treasury.client.post('/v1/groups', { name: 'Namers' })).body['groupId']);
});
afterAll(() => treasury.close());

const nodes = ['agent', 'group', 'treasury', 'key'] as const;
/** Sets limits of a node, and reads them. A key keeps those that it was minted with. */
const setAt = async (node: (typeof nodes)[number], limits: object): Promise<Answer> => {
  const { client } = treasury;
  if (node === 'agent') return client.post('/v1/agents/namer/policy', limits);
  if (node === 'group') return client.post(`/v1/groups/${groupId}/limits`, limits);
  if (node === 'treasury') return client.post('/v1/treasury/limits', limits);
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const wanted = { label: 'a task', expiresAt, dailyBudget: '1', ...limits };
  const minted = await agent.client.post('/v1/agents/namer/delegated-keys', wanted);
  if (minted.status !== 200) return minted;
  const { keys } = (await client.get('/v1/agents/namer/delegated-keys')).body;
  const body = keys.find(({ keyId }: { keyId: string }) => keyId === minted.body['keyId']);
  expect(minted.body['unknownServices']).toEqual(body.unknownServices);
  return { ...minted, body };
};
const limitsIn = ({ body }: Answer) => body['limits'] ?? body['policy'];

describe.each(nodes)('names of services in the limits of the %s', (node) => {
  it('are brought to the form that is compared', async () => {
    const typed = [
      'https://api.example.com/',
      'HTTPS://API.example.com',
      ' https://b.example:8443 ',
      'sandbox-weather',
    ];
    const set = await setAt(node, {
      allowedServices: typed,
      serviceLimits: { 'HTTP://C.example/ ': { dailyBudget: '1' } },
    });
    expect(limitsIn(set)).toMatchObject({
      allowedServices: ['https://api.example.com', 'https://b.example:8443', 'sandbox-weather'],
      serviceLimits: { 'http://c.example': { dailyBudget: '1.00' } },
    });
    expect(set.body['unknownServices']).toEqual([]);
  });

  it.each([
    'api.example.com',
    'localhost:4921',
    '999.0.0.1',
    'https://api.example.com/paid',
    'https://',
    ' ',
  ])('are refused where no service can match: %j', async (name) => {
    for (const limits of [{ allowedServices: [name] }, { serviceLimits: { [name]: { dailyBudget: '1' } } }]) {
      const { status, body } = await setAt(node, limits);
      expect([status, Object.keys(body['details'].fields)]).toEqual([400, Object.keys(limits)]);
    }
  });

  it('are kept and told where no service has them yet', async () => {
    const limits = {
      allowedServices: ['no-such'],
      serviceLimits: { 'SANDBOX-WEATHER': { dailyBudget: '1' } },
    };
    const { body } = await setAt(node, limits);
    expect(body['unknownServices']).toEqual(expect.arrayContaining(['no-such', 'SANDBOX-WEATHER']));
  });
});

describe('names that were stored in another form', () => {
  it('keep their meaning, are told, and can be kept and taken away', async () => {
    const { store, time } = treasury.host.engine.context;
    const old = 'https://api.example.com/';
    const policy = { ...store.policies.get('namer'), allowedServices: [old], serviceLimits: null };
    store.atomically(() => store.policies.set('namer', policy, time.now()));
    expect((await treasury.client.get('/v1/agents/namer/policy')).body['unknownServices']).toEqual([old]);
    const kept = await setAt('agent', { allowedServices: [old, 'sandbox-weather'] });
    expect(limitsIn(kept).allowedServices).toEqual([old, 'sandbox-weather']);
    const mended = await setAt('agent', { allowedServices: ['https://API.example.com/', 'sandbox-weather'] });
    expect(limitsIn(mended).allowedServices).toEqual(['https://api.example.com', 'sandbox-weather']);
  });

  it('name one service once', async () => {
    const twice = { 'https://d.example': { dailyBudget: '1' }, 'HTTPS://D.example': { dailyBudget: '2' } };
    const { status, body } = await setAt('group', { serviceLimits: twice });
    expect([status, body['error']]).toEqual([
      400,
      'serviceLimits: must name the service https://d.example once.',
    ]);
  });
});
