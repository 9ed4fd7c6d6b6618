// Agents over /v1: created, changed, stopped, archived, and their API keys.
import { PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { policyInReply, usualPolicy } from '../../server/contract/limits/policy-fields.ts';
import { expectStatus } from '../harness/expect-status.ts';
import { deploy, rpcCall, until } from '../harness/treasury.ts';
import { client, isIso, pass, standingClock, treasury, useTreasury } from './api-treasury.ts';

useTreasury(() => ({ clock: standingClock }));

describe('deploy', () => {
  it('answers with the agent, the command for an MCP host, and the next step; the API key is in it once', async () => {
    const body = { agentId: 'fresh', dailyBudget: '5', maxPerPayment: '1.5' };
    const answer = await client.post('/v1/agents/deploy', body);
    expect(answer.status).toBe(200);
    const { agent, mcpConfig, nextSteps } = answer.body;
    expect(agent).toMatchObject({ agentId: 'fresh', displayName: 'fresh', status: 'active' });
    expect(isIso(agent.createdAt)).toBe(true);
    expect(new PublicKey(agent.walletAddress).toBase58()).toBe(agent.walletAddress);
    expect(mcpConfig.env).toMatchObject({ TREASURY_OWNER: treasury.owner, TREASURY_AGENT_ID: 'fresh' });
    const key = mcpConfig.env.TREASURY_API_KEY as string;
    expect(key).toMatch(/^atk_[\w-]{43}$/);
    expect(JSON.stringify([mcpConfig.command, mcpConfig.args])).not.toContain(key);
    expect(nextSteps.length).toBeGreaterThan(0);
    expect((await client.as(key).get('/v1/agents/fresh/balance')).body).toEqual({
      agentId: 'fresh',
      walletAddress: agent.walletAddress,
      balance: '0.00',
      currency: 'USDC',
    });
    expect((await client.get('/v1/agents/fresh/policy')).body['policy']).toEqual({
      ...policyInReply(usualPolicy),
      dailyBudget: '5.00',
      maxPerPayment: '1.50',
      cooldownSeconds: 0,
      allowedServices: [],
      approveAbove: null,
      newPayees: 'allow',
      approvalMinutes: 15,
    });
  });

  it('is 409 for an id that exists, and the case of an id counts', async () => {
    const body = {
      agentId: 'PAYER',
      dailyBudget: '5',
      maxPerPayment: '1',
      displayName: ' Second\u202e  payer ',
    };
    const answer = await client.post('/v1/agents/deploy', body);
    expect(answer.body['agent'].displayName).toBe('Second   payer');
    const again = await client.post('/v1/agents/deploy', body);
    expect([again.status, again.body['code']]).toEqual([409, 'conflict']);
  });

  it('takes ids of every allowed form, even `deploy` itself', async () => {
    for (const agentId of ['deploy', '0', 'a.b_c-d', 'x'.repeat(64)]) {
      expect(
        (await client.post('/v1/agents/deploy', { agentId, dailyBudget: '1', maxPerPayment: '1' })).status,
      ).toBe(200);
      expect((await client.get(`/v1/agents/${agentId}/balance`)).status).toBe(200);
    }
  });
});

describe('a policy', () => {
  it('changes only in the fields that are sent; an empty body changes nothing', async () => {
    const path = '/v1/agents/fresh/policy';
    const { policies } = treasury.host.engine.context.store;
    const before = (await client.get(path)).body['policy'];
    const { version } = policies.get('fresh');
    expect((await client.post(path, {})).body['policy']).toEqual(before);
    expect((await client.post(path)).body['policy']).toEqual(before);
    expect(policies.get('fresh').version).toBe(version);
    const change = { cooldownSeconds: 2_592_000, allowedServices: ['no-such-service'], approveAbove: '0.5' };
    const { body } = await client.post(path, change);
    expect(body).toEqual({
      agentId: 'fresh',
      policy: { ...before, ...change, approveAbove: '0.50' },
      unknownServices: ['no-such-service'],
    });
    expect((await client.get(path)).body).toEqual({ ...body, boost: null });
    const back = {
      cooldownSeconds: 0,
      allowedServices: [],
      approveAbove: null,
      newPayees: 'approve',
      approvalMinutes: 1_440,
    };
    expect((await client.post(path, back)).body['policy']).toEqual({ ...before, ...back });
  });
});

describe('kill, resume and rename', () => {
  it('answer with the status, even when nothing changed', async () => {
    for (const [verb, status] of [
      ['kill', 'suspended'],
      ['kill', 'suspended'],
      ['resume', 'active'],
      ['resume', 'active'],
    ] as const) {
      const answer = await client.post(`/v1/agents/fresh/${verb}`);
      const ended = verb === 'kill' ? { ended: { declined: 0, requests: 0, keys: [] } } : {};
      expect([answer.status, answer.body]).toEqual([200, { agentId: 'fresh', status, ...ended }]);
    }
  });

  it('block a suspended agent’s payments with 403 and keep its wallet', async () => {
    await client.post('/v1/agents/fresh/allocate', { amount: '2.6' });
    await client.post('/v1/agents/fresh/kill');
    const body = { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' };
    const refused = await client.post('/v1/agents/fresh/pay', body);
    expect([refused.status, refused.body['code']]).toEqual([403, 'suspended']);
    expect((await client.get('/v1/agents/fresh/balance')).body['balance']).toBe('2.60');
    await client.post('/v1/agents/fresh/resume');
  });

  it('change the label alone', async () => {
    const answer = await client.post('/v1/agents/fresh/rename', { displayName: 'Ännchen 😀' });
    expect(answer.body).toEqual({ agentId: 'fresh', displayName: 'Ännchen 😀' });
    const { body } = await client.get('/v1/agents');
    expect(body['agents'].find((one: { agentId: string }) => one.agentId === 'fresh')).toMatchObject({
      displayName: 'Ännchen 😀',
    });
  });
});

describe('keys', () => {
  it('are shown once, listed without their secrets, rotated and revoked', async () => {
    const added = await client.post('/v1/agents/fresh/keys', { label: 'laptop' });
    const { keyId, apiKey } = added.body as { keyId: string; apiKey: string };
    const rotated = await client.post(`/v1/agents/fresh/keys/${keyId}/rotate`);
    const list = await client.get('/v1/agents/fresh/keys');
    expect(list.body['keys'].map((one: { label: string }) => one.label)).toEqual([
      'first key',
      'laptop',
      'laptop',
    ]);
    expect(list.text).not.toContain('atk_');
    const old = list.body['keys'].find((one: { keyId: string }) => one.keyId === keyId);
    expect(Date.parse(old.expiresAt) - Date.now()).toBeGreaterThan(86_300_000);
    for (const key of [apiKey, String(rotated.body['apiKey'])])
      expect((await client.as(key).get('/v1/agents/fresh/balance')).status).toBe(200);
    const revoked = await client.call('DELETE', `/v1/agents/fresh/keys/${keyId}`);
    expect(isIso(revoked.body['revokedAt'])).toBe(true);
    expect((await client.call('DELETE', `/v1/agents/fresh/keys/${keyId}`)).body).toEqual(revoked.body);
    expect((await client.post(`/v1/agents/fresh/keys/${keyId}/rotate`)).status).toBe(409);
    expect((await client.as(apiKey).get('/v1/agents/fresh/balance')).status).toBe(401);
  });
});

describe('archive', () => {
  it('recalls the balance, ends the API keys and hides the agent, whose id stays taken', async () => {
    const old = await deploy(client, 'old', { allocate: '7.5' });
    const { body: before } = await client.get('/v1/dashboard');
    const answer = await client.post('/v1/agents/old/archive');
    expect(answer.body).toMatchObject({ agentId: 'old', recalled: '7.50', status: 'suspended' });
    expect((await old.client.get('/v1/agents/old/balance')).status).toBe(401);
    expect((await client.post('/v1/agents/old/archive')).status).toBe(404);
    const { body } = await client.get('/v1/dashboard');
    expect(BigInt(body['treasury'].amount)).toBe(BigInt(before['treasury'].amount) + 7_500_000n);
    expect(body['agents'].map((one: { agentId: string }) => one.agentId)).not.toContain('old');
    const { body: all } = await client.get('/v1/agents');
    expect(all['agents'].find((one: { agentId: string }) => one.agentId === 'old')).toMatchObject({
      archived: true,
      balance: '0.00',
    });
    const again = await client.post('/v1/agents/deploy', {
      agentId: 'old',
      dailyBudget: '1',
      maxPerPayment: '1',
    });
    expect(again.status).toBe(409);
  });

  it('recalls until nothing is left, including later arrivals, and reports the whole amount', async () => {
    const { wallet } = await deploy(client, 'filling', { allocate: '2' });
    const { funds } = treasury.host.engine.context;
    const { refresh } = funds;
    let looks = 0;
    funds.refresh = async (addresses) => {
      if (addresses.length === 1 && (looks += 1) === 2) await arrive(wallet, '3000000');
      return refresh(addresses);
    };
    const answer = await client.post('/v1/agents/filling/archive', {}, { key: 'k' });
    funds.refresh = refresh;
    expect([answer.status, answer.body['recalled']]).toEqual([200, '5.00']);
    expect((await client.post('/v1/agents/filling/archive', {}, { key: 'k' })).body).toEqual(answer.body);
  });

  it('reports each agent’s own amount, even under one idempotency key', async () => {
    for (const [agentId, allocate] of Object.entries({ first: '2.00', second: '3.00' })) {
      await deploy(client, agentId, { allocate });
      const answer = await client.post(`/v1/agents/${agentId}/archive`, {}, { key: 'the same' });
      expect([answer.status, answer.body['recalled']]).toEqual([200, allocate]);
      expect((await listed(agentId))['balance']).toBe('0.00');
    }
  });

  it('waits for a payment under way', async () => {
    const agent = await deploy(client, 'paying', { allocate: '2' });
    const { chain, store } = treasury.host.engine.context;
    const { broadcast } = chain;
    let wire: Uint8Array = new Uint8Array();
    chain.broadcast = (bytes) => {
      wire = bytes;
      return Promise.resolve();
    };
    const { body: paid } = await agent.pay('0.5', { prefer: 'wait=0' });
    const state = (): unknown => store.transfers.get(paid['paymentId'])?.state;
    await until('it to be sent', () => state() === 'sent');
    const early = await client.post('/v1/agents/paying/archive', {}, { key: 'k' });
    expect([early.status, early.body['error']]).toEqual([409, expect.stringContaining('not settled')]);
    expect(await listed('paying')).toMatchObject({ archived: false, balance: '2.00' });
    chain.broadcast = broadcast;
    await broadcast(wire);
    await until('its end', () => state() === 'final');
    const answer = await client.post('/v1/agents/paying/archive', {}, { key: 'k' });
    expect([answer.status, answer.body['recalled']], answer.text).toEqual([200, '1.50']);
  });

  it('that broke off and is repeated under its key counts no earlier recall as a new one', async () => {
    const { wallet } = await deploy(client, 'broken', { allocate: '2' });
    const { store } = treasury.host.engine.context;
    const { update } = store.agents;
    store.agents.update = (agentId, change) => {
      if (change.archivedAt !== undefined) throw new Error('broken off');
      return update(agentId, change);
    };
    expect((await client.post('/v1/agents/broken/archive', {}, { key: 'k' })).status).toBe(500);
    store.agents.update = update;
    await arrive(wallet, '5000000');
    const answer = await client.post('/v1/agents/broken/archive', {}, { key: 'k' });
    expect([answer.status, answer.body['recalled']]).toEqual([200, '7.00']);
    expect((await listed('broken'))['balance']).toBe('0.00');
  });

  it('requested several times at once under one key happens once, and no answer is an internal error', async () => {
    await deploy(client, 'twice', { allocate: '2' });
    const answers = await Promise.all([1, 2, 3, 4].map(archiveTwice));
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    const again = await archiveTwice();
    expect([again.status, again.body['recalled']]).toEqual([200, '2.00']);
  });

  it('leaves no agent active that was resumed meanwhile', async () => {
    await deploy(client, 'resumed', { allocate: '2' });
    const { funds } = treasury.host.engine.context;
    const { refresh } = funds;
    funds.refresh = async (addresses) => {
      await client.post('/v1/agents/resumed/resume');
      return refresh(addresses);
    };
    const answer = await client.post('/v1/agents/resumed/archive');
    funds.refresh = refresh;
    expect([answer.status, answer.body['status']]).toEqual([200, 'suspended']);
    expect(await listed('resumed')).toMatchObject({ archived: true, status: 'suspended' });
  });

  it('keeps USDC that arrives afterwards within reach: it is listed, and can be recalled', async () => {
    const { wallet } = await deploy(client, 'late', { allocate: '1' });
    await client.post('/v1/agents/late/archive');
    await arrive(wallet, '7000000');
    await until('it to be listed', async () => (await listed('late'))['balance'] === '7.00');
    const answer = await client.post('/v1/agents/late/recall', { amount: '7' }, { key: 'back' });
    expect([answer.status, answer.body['amount']], answer.text).toEqual([200, '7.00']);
    expect(await listed('late')).toMatchObject({ archived: true, balance: '0.00' });
    expect((await client.post('/v1/agents/late/allocate', { amount: '1' })).status).toBe(404);
  });
});

const archiveTwice = () => client.post('/v1/agents/twice/archive', {}, { key: 'k' });

const arrive = async (wallet: string, units: string): Promise<void> => {
  await rpcCall(treasury.host.rpcUrl, 'sandbox_fundUsdc', [wallet, units]);
};

const listed = async (agentId: string): Promise<Record<string, unknown>> => {
  const { body } = await client.get('/v1/agents');
  return body['agents'].find((one: { agentId: string }) => one.agentId === agentId);
};

const warningOf = async (agentId: string): Promise<unknown> =>
  (await client.post('/v1/agents/deploy', { agentId, dailyBudget: '1', maxPerPayment: '1' })).body['warning'];

describe('a wallet that the recovery phrase alone may not find', () => {
  it('is warned of behind 20 agents that never had money, until it gets USDC from the treasury', async () => {
    await deploy(client, 'rich', { allocate: '0.01' });
    await client.post('/v1/agents/rich/recall', { amount: '0.01' });
    for (let n = 1; n <= 20; n += 1) expect(await warningOf(`idle-${n}`)).toBeUndefined();
    expect(await warningOf('behind')).toContain('never had money');
    expectStatus(await client.post('/v1/agents/behind/allocate', { amount: '0.01' }), 200);
    expect(await warningOf('found')).toBeUndefined();
  });
});

it('a key is good for that agent alone, to the letter', async () => {
  const agents = [await deploy(client, 'Scout'), await deploy(client, 'scout')];
  const pay = { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' };
  for (const { agentId, client: own } of agents)
    for (const named of ['Scout', 'scout', 'SCOUT', 'scout%20']) {
      const answers = [
        await own.get(`/v1/agents/${named}/balance`),
        await own.get(`/v1/agents/${named}/policy`),
        await own.get(`/v1/agents/${named}/spend-history`),
        await own.post(`/v1/agents/${named}/pay`, pay),
        await own.post(`/v1/agents/${named}/rename`, { displayName: agentId }),
      ];
      const expected = named === agentId ? 200 : 401;
      expect([agentId, named, answers.map(({ status }) => status)]).toEqual([
        agentId,
        named,
        Array(5).fill(expected),
      ]);
    }
});

const day = 24 * 3_600_000;

describe('rotating and revoking', () => {
  it('gives an ending key no more time', async () => {
    await deploy(client, 'bob', { allocate: null });
    const added = (await client.post('/v1/agents/bob/keys')).body;
    const path = `/v1/agents/bob/keys/${added['keyId']}/rotate`;
    expect((await client.post(path)).status).toBe(200);
    pass(day / 2);
    expect((await client.post(path)).status).toBe(200);
    pass(day / 2 + 1_000);
    expect((await client.as(String(added['apiKey'])).get('/v1/agents/bob/balance')).status).toBe(401);
    expect((await client.post(path)).status).toBe(409);
    expect((await client.as(String(added['apiKey'])).get('/v1/agents/bob/balance')).status).toBe(401);
  });

  it.each([
    ['revoking', (id: string) => client.call('DELETE', `/v1/agents/dave/keys/${id}`)],
    ['rotating at once', (id: string) => client.post(`/v1/agents/dave/keys/${id}/rotate`, { now: true })],
  ])('%s ends the waits of a key and cancels its requests', async (_, end) => {
    const { store } = treasury.host.engine.context;
    if (store.agents.get('dave') === undefined)
      await deploy(client, 'dave', { policy: { approveAbove: '0' } });
    const { body } = await client.post('/v1/agents/dave/keys');
    const dave = client.as(String(body['apiKey']));
    const payment = { service: 'sandbox-weather', amount: '0.5', currency: 'USDC' };
    const waiting = dave.post('/v1/agents/dave/pay', payment, { prefer: 'wait=30' });
    const approval = await until('its approval', () => store.approvals.pending('dave')[0]);
    expect((await end(String(body['keyId']))).status).toBe(200);
    expect((await waiting).status).toBeGreaterThanOrEqual(400);
    expect(store.approvals.get(approval.id)?.status).toBe('cancelled');
    expect((await dave.get('/v1/agents/dave/balance')).status).toBe(401);
  });
});
