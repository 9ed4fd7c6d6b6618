// Invariant 8: after a committed freeze or suspension nothing is reserved, signed, or sent for the first time.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { openFaultyTreasury, type FaultyTreasury } from '../harness/chain/faulty-treasury.ts';
import { deploy, openTreasury, rpcCall, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';

const races = tries(40, 200);

describe('a freeze', () => {
  let treasury: Treasury;
  let agents: TestAgent[];
  beforeAll(async () => {
    treasury = await openTreasury({ sockets: 100 });
    agents = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        deploy(treasury.client, `agent-${n}`, { dailyBudget: '1000', allocate: '20' }),
      ),
    );
  });
  afterAll(() => treasury.close());

  it(`comes before or after a signature, never in between: ${races} races, 0 signatures after it`, async () => {
    const { store } = treasury.host.engine.context;
    for (let race = 0; race < races; race += 1) {
      const racing = agents.map((agent) => agent.pay('0.001', { prefer: 'wait=0' }));
      const frozen = await treasury.client.post('/v1/freeze');
      expect(frozen.body['frozen']).toBe(true);
      const atFreeze = [...store.transfers.iterate({ kinds: ['payment'] })].filter(
        ({ signed }) => signed !== null,
      ).length;
      const refused = await agents[0]?.pay('0.001');
      expect([refused?.status, refused?.body['code']]).toEqual([403, 'frozen']);
      await Promise.all(racing);
      const signed = [...store.transfers.iterate({ kinds: ['payment'] })].filter(
        (row) => row.signed !== null,
      );
      expect(signed).toHaveLength(atFreeze);
      for (const { signed: made } of signed)
        expect(made?.at).toBeLessThanOrEqual(Date.parse(frozen.body['since']));
      await treasury.client.post('/v1/unfreeze');
    }
    // A payment that was signed and not sent before the freeze is never sent: it ends once its expiry is proven.
    await rpcCall(treasury.host.rpcUrl, 'sandbox_warp', [400]);
    await until('all to end', () => store.transfers.open().length === 0, 60_000);
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });

  it('binds payments and allocations, and lets the owner recall and withdraw', async () => {
    const { client } = treasury;
    await client.post('/v1/freeze', { reason: 'holiday' });
    expect((await agents[1]?.pay('0.01'))?.body['error']).toContain('holiday');
    expect((await client.post('/v1/agents/agent-1/allocate', { amount: '1' })).status).toBe(403);
    expect((await client.post('/v1/agents/agent-1/recall', { amount: '1' })).status).toBe(200);
    const out = await client.post(
      '/v1/treasury/withdraw',
      { asset: 'SOL', to: agents[1]?.wallet, amount: '0.01' },
      { key: 'frozen' },
    );
    expect(out.status, out.text).toBe(200);
    await client.post('/v1/unfreeze');
    expect((await agents[1]?.pay('0.01'))?.status).toBe(200);
  });

  it('cancels what waits for the owner, without a confirmation', async () => {
    const agent = await deploy(treasury.client, 'asker', { policy: { approveAbove: '0' } });
    const asked = await agent.pay('0.5');
    expect([asked.status, asked.body['status']]).toEqual([202, 'awaiting_approval']);
    await treasury.client.post('/v1/freeze');
    await treasury.client.post('/v1/unfreeze');
    const { body } = await agent.client.get(`/v1/approvals/${asked.body['approvalId']}`);
    expect(body['status']).toBe('cancelled');
    const grant = await treasury.client.post(`/v1/approvals/${asked.body['approvalId']}/grant`, {
      hash: body['hash'],
    });
    expect(grant.status).toBe(409);
  });

  it('of one agent by its own kill stops that agent alone', async () => {
    expect((await agents[2]?.client.post('/v1/agents/agent-2/kill'))?.body).toEqual({
      agentId: 'agent-2',
      status: 'suspended',
      ended: { declined: 0, requests: 0, keys: [] },
    });
    expect((await agents[2]?.pay('0.01'))?.body['code']).toBe('suspended');
    expect((await agents[3]?.pay('0.01'))?.status).toBe(200);
    expect((await agents[2]?.client.post('/v1/agents/agent-2/resume'))?.status).toBe(202);
    expect((await agents[2]?.pay('0.01'))?.status).toBe(403);
    expect((await treasury.client.post('/v1/agents/agent-2/resume')).body['status']).toBe('active');
    expect((await agents[2]?.pay('0.01'))?.status).toBe(200);
  });
});

describe('a payment that was reserved before a stop', () => {
  let treasury: FaultyTreasury;
  beforeAll(async () => {
    treasury = await openFaultyTreasury();
  });
  afterAll(() => treasury.close());

  const stops = {
    'a freeze': ['/v1/freeze', '/v1/unfreeze', 'frozen'],
    'a suspension': ['/v1/agents/faulty/kill', '/v1/agents/faulty/resume', 'suspended'],
  } as const;

  it.each(Object.entries(stops))('is never signed after %s', async (_case, [stop, undo, code]) => {
    const { client, agent, host, proxy } = treasury;
    const { chain, store } = host.engine.context;
    const { lifetime } = chain;
    const gate = Promise.withResolvers<void>();
    chain.lifetime = async () => {
      await gate.promise;
      return lifetime();
    };
    const sent = (): number => proxy.seen.filter(({ method }) => method === 'sendTransaction').length;
    const before = sent();
    const paying = agent.pay('1', { key: `stopped by ${code}` });
    await until('the reservation', () => store.transfers.open().length === 1);
    await client.post(stop);
    gate.resolve();
    chain.lifetime = lifetime;
    const refused = await paying;
    expect([refused.status, refused.body['code']]).toEqual([403, code]);
    expect(store.transfers.get(String(refused.body['details'].paymentId))).toMatchObject({
      state: 'cancelled',
      signed: null,
    });
    await client.post(undo);
    expect((await agent.pay('1', { key: `stopped by ${code}` })).text).toBe(refused.text);
    expect(sent()).toBe(before);
  });

  it('is cancelled when the policy that allowed it was tightened before it was signed', async () => {
    const { client, agent, host } = treasury;
    const { chain, store } = host.engine.context;
    const { lifetime } = chain;
    const gate = Promise.withResolvers<void>();
    chain.lifetime = async () => {
      await gate.promise;
      return lifetime();
    };
    const paying = agent.pay('1');
    await until('the reservation', () => store.transfers.open().length === 1);
    await client.post('/v1/agents/faulty/policy', { maxPerPayment: '0.5' });
    gate.resolve();
    chain.lifetime = lifetime;
    expect((await paying).body['code']).toBe('max_per_payment');
    await client.post('/v1/agents/faulty/policy', { maxPerPayment: '5' });
  });
});

describe('a payment that was signed before a freeze', () => {
  let treasury: FaultyTreasury;
  beforeAll(async () => {
    treasury = await openFaultyTreasury();
  });
  afterAll(() => treasury.close());

  it('is watched and not sent again; the freeze says how much may still land', async () => {
    const { proxy, client, agent, sandbox } = treasury;
    let sends = 0;
    proxy.fault = (request, forward) => {
      if (request.method !== 'sendTransaction') return forward();
      sends += 1;
      return null;
    };
    const pending = await agent.pay('1', { prefer: 'wait=0' });
    expect(pending.status).toBe(202);
    await until('the first sending', () => sends > 0);
    const frozen = await client.post('/v1/freeze');
    expect(frozen.body['mayStillLand']).toMatchObject({ payments: 1, amount: '1.00' });
    const before = sends;
    // Long enough that it would have been sent again, every 2 s, without the freeze.
    const lookUps = (): number => proxy.seen.filter(({ method }) => method === 'getSignatureStatuses').length;
    const lookedUp = lookUps();
    await until('some look-ups', () => lookUps() >= lookedUp + 7);
    expect(sends).toBe(before);
    await rpcCall(sandbox.rpcUrl, 'sandbox_warp', [400]);
    const { store } = treasury.host.engine.context;
    await until(
      'proof of death',
      () => store.transfers.get(String(pending.body['paymentId']))?.state === 'dead',
    );
    expect(sends).toBe(before);
    proxy.fault = null;
    await client.post('/v1/unfreeze');
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });
});
