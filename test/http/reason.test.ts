// The reason of an agent's request, in its own words: covered by the hash that the owner approves, and kept with the
// result.
import { describe, expect, it } from 'vitest';
import type { Answer } from '../harness/http-client.ts';
import {
  approval,
  client,
  grant,
  newAgent,
  pathOf,
  settled,
  treasury,
  useTreasury,
} from './approval-treasury.ts';

useTreasury();

const reason = 'the report needs \u202eBern\u0007 too';
const cleaned = 'the report needs  Bern  too';
const weather = { service: 'sandbox-weather', currency: 'USDC' };
const shownOf = async ({ body }: Answer): Promise<unknown> => (await approval(body['approvalId']))['shown'];
const policyOf = async (agentId: string): Promise<unknown> =>
  (await client.get(`/v1/agents/${agentId}/policy`)).body['policy'];

describe('the reason of a payment', () => {
  it('is shown to the owner, and kept with the payment, in the detail and in the statement', async () => {
    const agent = await newAgent();
    const asked = await agent.client.post(pathOf(agent, 'pay'), { ...weather, amount: '0.6', reason });
    expect(asked.status).toBe(202);
    expect(await shownOf(asked)).toMatchObject({ reason: cleaned, description: '' });
    await grant(asked.body['approvalId']);
    const id = String(asked.body['paymentId']);
    await settled(id);
    expect((await agent.client.get(pathOf(agent, `payments/${id}`))).body['reason']).toBe(cleaned);
    expect((await client.get(`/v1/transfers/${id}`)).body['reason']).toBe(cleaned);
    const lines = JSON.parse((await client.get('/v1/statement?format=json')).text) as {
      transfers: { id: string; reason: string }[];
    };
    expect(lines.transfers.find((line) => line.id === id)?.reason).toBe(cleaned);
    const [head = '', ...rows] = (await client.get('/v1/statement')).text.split('\r\n');
    expect(head.split(',')).toContain('reason');
    expect(rows.find((row) => row.includes(id))).toContain(cleaned);
  });

  it('is kept with a payment that needs no approval, and null when none was given', async () => {
    const agent = await newAgent();
    const pay = async (more: object): Promise<unknown> => {
      const paid = await agent.client.post(pathOf(agent, 'pay'), { ...weather, amount: '0.01', ...more });
      return (await client.get(`/v1/transfers/${String(paid.body['paymentId'])}`)).body['reason'];
    };
    expect(await pay({ reason: 'why not' })).toBe('why not');
    expect(await pay({ reason: '  ' })).toBeNull();
    expect(await pay({})).toBeNull();
  });

  it('is kept with the charge for a picture', async () => {
    const agent = await newAgent({ approveAbove: '0' });
    const [model] = (await client.get('/v1/models')).body['models'];
    const body = { prompt: 'a fox', modelId: model.id, resolution: '1k', reason };
    const asked = await agent.client.post(pathOf(agent, 'generate'), body);
    expect(await shownOf(asked)).toMatchObject({ reason: cleaned });
  });

  it('of a purchase from a seller is shown, and neither reaches the seller nor replaces the description', async () => {
    const agent = await newAgent({ approveAbove: '0' });
    const url = `${treasury.host.url}/sandbox/weather?city=Bern`;
    const asked = await agent.client.post(pathOf(agent, 'fetch'), { url, reason });
    expect(asked.status, asked.text).toBe(202);
    expect(await shownOf(asked)).toMatchObject({ reason: cleaned, description: '', request: `GET ${url}` });
    const { body } = await client.get(`/v1/transfers/${String(asked.body['paymentId'])}`);
    expect(body).toMatchObject({ reason: cleaned, purchase: { url } });
  });
});

describe('the reason of another request', () => {
  it('is shown with an allocation and kept with its transfer', async () => {
    const agent = await newAgent();
    const asked = await agent.client.post(pathOf(agent, 'allocate'), { amount: '1', reason });
    expect(await shownOf(asked)).toMatchObject({ amount: '1.00', reason: cleaned });
    const { body } = await grant(asked.body['approvalId']);
    const id = String((body['result'] as { transferId: string }).transferId);
    expect((await client.get(`/v1/transfers/${id}`)).body['reason']).toBe(cleaned);
  });

  it('is shown with a new agent, a looser policy and a resumption, under the hash', async () => {
    const agent = await newAgent();
    const loosen = await agent.client.post(pathOf(agent, 'policy'), { maxPerPayment: '6', reason });
    expect(await shownOf(loosen)).toMatchObject({ reason: cleaned, to: { maxPerPayment: '6.00' } });
    const wanted = { agentId: `${agent.agentId}-helper`, dailyBudget: '1', maxPerPayment: '1', reason };
    const deploy = await agent.client.post('/v1/agents/deploy', wanted);
    expect(await shownOf(deploy)).toMatchObject({ reason: cleaned });
  });

  it('is shown with a resumption, which needs no body', async () => {
    const agent = await newAgent();
    await agent.client.post(pathOf(agent, 'kill'), {});
    const resume = await agent.client.post(pathOf(agent, 'resume'), { reason });
    expect(await shownOf(resume)).toMatchObject({ reason: cleaned });
    const again = await agent.client.post(pathOf(agent, 'resume'));
    expect(again.status).toBe(202);
    expect(await shownOf(again)).not.toHaveProperty('reason');
  });

  it('is no limit: a granted one is in no policy, and alone it changes nothing', async () => {
    const agent = await newAgent();
    const versionOf = (): number => treasury.host.engine.context.store.policies.get(agent.agentId).version;
    const [before, version] = [await policyOf(agent.agentId), versionOf()];
    const alone = await agent.client.post(pathOf(agent, 'policy'), { reason });
    expect([alone.status, alone.body['policy'], versionOf()]).toEqual([200, before, version]);

    const asked = await agent.client.post(pathOf(agent, 'policy'), { maxPerPayment: '6', reason });
    expect((await grant(asked.body['approvalId'])).body['status']).toBe('granted');
    expect(await policyOf(agent.agentId)).toEqual({ ...(before as object), maxPerPayment: '6.00' });
    expect(treasury.host.engine.context.store.policies.get(agent.agentId)).not.toHaveProperty('reason');
  });

  it('has at most 280 characters', async () => {
    const agent = await newAgent();
    const asked = await agent.client.post(pathOf(agent, 'allocate'), {
      amount: '1',
      reason: 'x'.repeat(281),
    });
    expect([asked.status, asked.body['error']]).toEqual([400, 'reason: must be at most 280 characters.']);
  });
});
