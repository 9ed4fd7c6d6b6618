// The spending under the activity's filter, and the statement of the same rows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { checked, type Checked } from './contract-client.ts';

let treasury: Treasury;
let client: Checked;
beforeAll(async () => {
  treasury = await openTreasury();
  client = checked(treasury.client);
  const { store } = treasury.host.engine.context;
  const weather = store.services.get('sandbox-weather');
  if (weather === undefined) throw new Error('the sandbox sells the weather');
  store.atomically(() => store.services.upsert({ ...weather, id: 'maps', name: 'Maps' }));
  const scout = await deploy(treasury.client, 'scout', { dailyBudget: '1', maxPerPayment: '0.5' });
  const planner = await deploy(treasury.client, 'planner');
  await pay(scout, 'sandbox-weather', '0.10');
  await pay(scout, 'maps', '0.25');
  await pay(planner, 'maps', '0.05');
  // Refused, and so not spent.
  await pay(scout, 'maps', '0.90');
  await until('the end of all', () => store.transfers.open().length === 0);
});
afterAll(() => treasury.close());

const pay = (agent: TestAgent, service: string, amount: string) =>
  agent.client.post(`/v1/agents/${agent.agentId}/pay`, { service, amount, currency: 'USDC' });
const totals = async (query = '') => (await client.get(`/v1/activity/totals?${query}`)).body;

describe('the totals', () => {
  it('sum what was paid by agent and by service, the largest first, without what was refused or moved', async () => {
    expect(await totals()).toEqual({
      amount: '0.40',
      payments: 3,
      settling: { amount: '0.00', payments: 0 },
      agents: [
        { agentId: 'scout', amount: '0.35', payments: 2 },
        { agentId: 'planner', amount: '0.05', payments: 1 },
      ],
      services: [
        { serviceId: 'maps', service: 'Maps', amount: '0.30', payments: 2 },
        { serviceId: 'sandbox-weather', service: 'Sandbox Weather', amount: '0.10', payments: 1 },
      ],
    });
  });

  it('follow the filter in force', async () => {
    expect(await totals('agentId=scout&serviceId=maps')).toMatchObject({ amount: '0.25', payments: 1 });
    expect(await totals('q=weather')).toMatchObject({ amount: '0.10' });
    expect(await totals('kind=allocation')).toMatchObject({ amount: '0.00', payments: 0, agents: [] });
    expect(await totals('to=2020-01-01')).toMatchObject({ amount: '0.00', services: [] });
  });

  it('agree with the statement of the same filter, row by row', async () => {
    const { text } = await client.get(
      '/v1/statement?format=json&agentId=scout&kind=payment&status=confirmed',
    );
    const { transfers } = JSON.parse(text) as { transfers: { amount: string; agentId: string }[] };
    expect(transfers.map(({ amount }) => amount).toSorted()).toEqual(['0.10', '0.25']);
    expect((await totals('agentId=scout&kind=payment&status=confirmed'))['amount']).toBe('0.35');
  });
});
