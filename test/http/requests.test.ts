// Requests that an agent can only make to its owner, and the standing approvals that save it from asking.
import { describe, expect, it } from 'vitest';
import type { Answer, Sent } from '../harness/http-client.ts';
import { type TestAgent, until } from '../harness/treasury.ts';
import {
  approval,
  client,
  grant,
  minute,
  newAgent,
  pass,
  pathOf,
  settled,
  treasury,
  useTreasury,
  wall,
} from './approval-treasury.ts';
import { checked } from './contract/contract-client.ts';

useTreasury();

const askedFor = async (agent: TestAgent, what: string, body?: object, sent?: Sent): Promise<string> => {
  const path = what === 'deploy' ? '/v1/agents/deploy' : pathOf(agent, what);
  const answer = await checked(agent.client).post(path, body, sent);
  expect([answer.status, answer.body['status']]).toEqual([202, 'pending']);
  return String(answer.body['approvalId']);
};

describe('an agent’s request', () => {
  it('for money becomes an allocation once it is granted, and its result is reported', async () => {
    const agent = await newAgent();
    const id = await askedFor(agent, 'allocate', { amount: '2.5' }, { key: 'more' });
    expect(await askedFor(agent, 'allocate', { amount: '2.50' }, { key: 'more' })).toBe(id);
    expect((await approval(id))['shown']).toMatchObject({ amount: '2.50', currency: 'USDC' });
    await grant(id);
    const result = await until('the allocation', async () => {
      const { body } = await agent.client.get(`/v1/approvals/${id}`);
      return body['result']?.status === 'confirmed' && body['result'];
    });
    expect(result).toMatchObject({ amount: '2.50', txSignature: expect.any(String) });
    await treasury.host.engine.context.funds.refresh([agent.wallet]);
    expect((await agent.client.get(pathOf(agent, 'balance'))).body['balance']).toBe('12.50');
  });

  it('for a new agent gives the API key to the owner, once, and in no later answer', async () => {
    const agent = await newAgent();
    const id = await askedFor(agent, 'deploy', {
      agentId: `child-${agent.agentId}`,
      dailyBudget: '3',
      maxPerPayment: '1',
    });
    expect((await approval(id))['shown']).toMatchObject({
      newAgentId: `child-${agent.agentId}`,
      dailyBudget: '3.00',
    });
    const granted = await grant(id);
    const { created, result } = granted.body;
    expect(created.apiKey).toMatch(/^atk_/);
    expect(result.agent).toMatchObject({ agentId: `child-${agent.agentId}` });
    expect((await client.as(created.apiKey).get(`/v1/agents/child-${agent.agentId}/balance`)).status).toBe(
      200,
    );
    for (const who of [client, agent.client]) {
      const { text } = await who.get(`/v1/approvals/${id}`);
      expect(text).toContain('granted');
      expect(text).not.toContain('atk_');
    }
    expect((await client.get('/v1/approvals')).text).not.toContain('atk_');
    expect((await agent.client.get(`/v1/agents/child-${agent.agentId}/balance`)).status).toBe(401);
  });

  it('for a new agent of a taken id is accepted, and only the owner learns that the id is taken', async () => {
    const [agent, other] = [await newAgent(), await newAgent()];
    await client.post(`/v1/agents/${other.agentId}/archive`);
    const ask = (agentId: string): Promise<Answer> =>
      agent.client.post('/v1/agents/deploy', { agentId, dailyBudget: '1', maxPerPayment: '1' });
    const free = await ask(`no-${other.agentId}`);
    for (const taken of [agent.agentId, other.agentId]) {
      const answer = await ask(taken);
      expect([answer.status, Object.keys(answer.body)]).toEqual([202, Object.keys(free.body)]);
      const id = answer.body['approvalId'];
      const before = (await agent.client.get(`/v1/approvals/${id}`)).text;
      const granted = await grant(id);
      expect([granted.status, granted.body['code']]).toEqual([409, 'conflict']);
      expect(granted.body['error']).toContain(`there is an agent ${taken} already`);
      expect((await agent.client.get(`/v1/approvals/${id}`)).text).toBe(before);
      await client.post(`/v1/approvals/${id}/deny`);
    }
  });

  it('to be resumed needs the owner', async () => {
    const agent = await newAgent();
    await agent.client.post(pathOf(agent, 'kill'));
    const id = await askedFor(agent, 'resume');
    expect((await agent.pay('0.1')).status).toBe(403);
    const { body } = await grant(id);
    expect(body['result']).toEqual({ status: 'active' });
    expect((await agent.pay('0.1')).status).toBe(200);
  });

  it('for a looser policy needs the owner; a mix with tighter fields is one approval for the whole', async () => {
    const agent = await newAgent();
    const before = (await client.get(pathOf(agent, 'policy'))).body['policy'];
    const id = await askedFor(agent, 'policy', { dailyBudget: '20', maxPerPayment: '1' });
    expect((await client.get(pathOf(agent, 'policy'))).body['policy']).toEqual(before);
    const after = { ...before, dailyBudget: '20.00', maxPerPayment: '1.00' };
    expect((await approval(id))['shown']).toMatchObject({ from: before, to: after });
    expect((await grant(id)).body['status']).toBe('granted');
    expect((await client.get(pathOf(agent, 'policy'))).body['policy']).toEqual(after);
  });

  it('for a policy cancels waiting payments that no longer fit, once it is granted', async () => {
    const agent = await newAgent();
    const [held, small] = [await agent.pay('2'), await agent.pay('0.8')];
    await grant(await askedFor(agent, 'policy', { dailyBudget: '20', maxPerPayment: '1' }));
    const { status, result } = await approval(held.body['approvalId']);
    expect([status, result.refusal]).toEqual(['cancelled', expect.stringContaining('maxPerPayment')]);
    const told = await agent.client.get(`${pathOf(agent, 'payments')}/${String(held.body['paymentId'])}`);
    expect(told.body).toMatchObject({ status: 'denied', failure: { code: 'max_per_payment' } });
    expect((await approval(small.body['approvalId']))['status']).toBe('pending');
  });

  // What is looser is tried for every field in contract/policies.test.ts.
  it('for more time for the owner needs the owner', async () => {
    const agent = await newAgent();
    const { policies } = treasury.host.engine.context.store;
    const { version } = policies.get(agent.agentId);
    await askedFor(agent, 'policy', { approvalMinutes: 16 });
    expect(policies.get(agent.agentId).version).toBe(version);
  });

  it('for a tighter policy needs no approval: it holds at once', async () => {
    const agent = await newAgent({});
    const change = {
      dailyBudget: '9',
      maxPerPayment: '0.5',
      cooldownSeconds: 10,
      approveAbove: '0.1',
      newPayees: 'approve',
      allowedServices: ['sandbox-weather', 'b'],
      approvalMinutes: 5,
    };
    const answer = await agent.client.post(pathOf(agent, 'policy'), change);
    expect(answer.status).toBe(200);
    expect((await agent.client.post(pathOf(agent, 'policy'), { allowedServices: ['b'] })).status).toBe(200);
    expect((await agent.client.post(pathOf(agent, 'policy'), {})).status).toBe(200);
    expect((await agent.pay('0.1')).body['code']).toBe('service_not_allowed');
  });

  it('for a policy that changed meanwhile is cancelled at once, and changes nothing', async () => {
    const agent = await newAgent();
    const id = await askedFor(agent, 'policy', { dailyBudget: '100' });
    await client.post(pathOf(agent, 'policy'), { maxPerPayment: '2' });
    const { body } = await client.get(`/v1/approvals/${id}`);
    expect(body).toMatchObject({
      status: 'cancelled',
      result: { refusal: expect.stringContaining('changed') },
    });
    expect((await grant(id)).status).toBe(409);
    expect((await client.get(pathOf(agent, 'policy'))).body['policy']).toMatchObject({
      dailyBudget: '10.00',
      maxPerPayment: '2.00',
    });
  });

  it('is granted without `standing`, which is for payments', async () => {
    const agent = await newAgent();
    const id = await askedFor(agent, 'allocate', { amount: '1' });
    const answer = await grant(id, { standing: { upTo: '1', until: new Date(wall + minute).toISOString() } });
    expect(answer.status).toBe(400);
    expect((await approval(id))['status']).toBe('pending');
  });
});

const standing = async (agent: TestAgent, upTo: string, ms: number): Promise<string> => {
  const held = await agent.pay('1');
  const answer = await grant(held.body['approvalId'], {
    standing: { upTo, until: new Date(wall + ms).toISOString() },
  });
  expect(answer.status, answer.text).toBe(200);
  await settled(held.body['paymentId']);
  const { body } = await client.get('/v1/grants');
  return body['grants'].find((one: { agentId: string }) => one.agentId === agent.agentId).grantId;
};

const used = async (grantId: string): Promise<string> =>
  (await client.get('/v1/grants')).body['grants'].find((one: { grantId: string }) => one.grantId === grantId)
    .used;

describe('a standing approval', () => {
  it('replaces single approvals until it is drawn down', async () => {
    const agent = await newAgent({ approveAbove: '0.5', newPayees: 'approve' });
    const id = await standing(agent, '2.5', 60 * minute);
    expect(await used(id)).toBe('0.00');
    expect((await agent.pay('1')).status).toBe(200);
    expect((await agent.pay('1')).status).toBe(200);
    expect(await used(id)).toBe('2.00');
    expect((await agent.pay('0.6')).status).toBe(202);
    expect((await agent.pay('0.5')).status).toBe(200);
  });

  it('is drawn down no further than its sum by 40 payments at once', async () => {
    const agent = await newAgent({ approveAbove: '0' });
    const id = await standing(agent, '2', 60 * minute);
    const answers = await Promise.all(Array.from({ length: 40 }, () => agent.pay('0.3')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(6);
    expect(await used(id)).toBe('1.80');
  });

  it('waives no limit', async () => {
    const agent = await newAgent({ approveAbove: '0.5', maxPerPayment: '2', dailyBudget: '3' });
    await standing(agent, '100', 60 * minute);
    expect((await agent.pay('2.1')).body['code']).toBe('max_per_payment');
    expect((await agent.pay('2')).status).toBe(200);
    expect((await agent.pay('1')).body['code']).toBe('daily_budget');
  });

  it('ends when it is revoked', async () => {
    const agent = await newAgent();
    const id = await standing(agent, '5', 60 * minute);
    expect((await client.call('DELETE', `/v1/grants/${id}`)).body).toEqual({ grantId: id, revoked: true });
    expect((await client.call('DELETE', `/v1/grants/${id}`)).status).toBe(200);
    expect((await agent.pay('1')).status).toBe(202);
  });

  it('ends at its time', async () => {
    const agent = await newAgent();
    await standing(agent, '5', 10 * minute);
    pass(9 * minute);
    expect((await agent.pay('1')).status).toBe(200);
    pass(minute + 1);
    expect((await agent.pay('1')).status).toBe(202);
  });

  it('lies in the future, within a year', async () => {
    const agent = await newAgent();
    const held = await agent.pay('1');
    for (const ms of [-1, 0, 400 * 24 * 60 * minute]) {
      const answer = await grant(held.body['approvalId'], {
        standing: { upTo: '1', until: new Date(wall + ms).toISOString() },
      });
      expect(answer.status).toBe(400);
      expect(answer.body['error']).toMatch(/^standing\.until: /);
    }
    expect((await approval(held.body['approvalId']))['status']).toBe('pending');
  });
});

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
});
