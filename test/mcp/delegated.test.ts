// A sub-agent's day: the agent delegates a budget through its bridge, and the sub-agent pays through a bridge of its own.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { envOf, openBridge } from './bridge.ts';

let treasury: Treasury;
let agent: TestAgent;
beforeAll(async () => {
  treasury = await openTreasury();
  agent = await deploy(treasury.client, 'lead');
});
afterAll(() => treasury.close());

it('delegate_budget asks for the owner’s word first, and then gives a key that pays within its limits', async () => {
  const bridge = await openBridge(envOf(agent, treasury), 'modern');
  const wanted = { label: 'weather of one day', hours: 2, totalBudget: '0.03' };
  const refused = await bridge.call('delegate_budget', wanted);
  expect(refused.text).toContain('Tell your user: the owner has to let this agent delegate keys.');
  await treasury.client.post('/v1/agents/lead/delegation', { allowed: true });
  const { content } = await bridge.call('delegate_budget', wanted);
  expect(content).toMatchObject({ apiKey: expect.stringMatching(/^atk_/), spendable: '0.03' });
  await bridge.close();

  const key = String(content['apiKey']);
  const sub = await openBridge(envOf({ agentId: 'lead', key }, treasury), 'modern');
  const url = `${treasury.host.url}/sandbox/weather?city=Oslo`;
  expect((await sub.call('check_balance')).content['balance']).toBe('0.03');
  expect((await sub.call('paid_fetch', { url })).content).toMatchObject({ status: 200 });
  const left = Number((await sub.call('check_balance')).content['balance']);
  expect(left).toBeLessThan(0.03);
  const dear = await sub.call('pay', { service: 'sandbox-weather', amount: '0.04' });
  expect([dear.isError, dear.content['code']]).toEqual([true, 'total_budget']);
  const own = await sub.call('set_policy', { dailyBudget: '1' });
  expect([own.isError, own.content['code']]).toEqual([true, 'forbidden']);
  await treasury.client.post('/v1/agents/lead/kill');
  const ended = await sub.call('pay', { service: 'sandbox-weather', amount: '0.01' });
  expect([ended.isError, ended.content['code']]).toEqual([true, 'unauthorized']);
  expect(sub.stderr()).toBe('');
  await sub.close();
});
