// Agents whose ids differ in case alone are two, and neither's API key opens anything of the other's.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../harness/treasury.ts';

let treasury: Treasury;
let agents: TestAgent[] = [];
beforeAll(async () => {
  treasury = await openTreasury();
  agents = [await deploy(treasury.client, 'Scout'), await deploy(treasury.client, 'scout')];
});
afterAll(() => treasury.close());

it('a key is good for that agent alone, to the letter', async () => {
  const pay = { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' };
  for (const { agentId, client } of agents)
    for (const named of ['Scout', 'scout', 'SCOUT', 'scout%20']) {
      const answers = [
        await client.get(`/v1/agents/${named}/balance`),
        await client.get(`/v1/agents/${named}/policy`),
        await client.get(`/v1/agents/${named}/spend-history`),
        await client.post(`/v1/agents/${named}/pay`, pay),
        await client.post(`/v1/agents/${named}/rename`, { displayName: agentId }),
      ];
      const expected = named === agentId ? 200 : 401;
      expect([agentId, named, answers.map(({ status }) => status)]).toEqual([
        agentId,
        named,
        Array(5).fill(expected),
      ]);
    }
});
