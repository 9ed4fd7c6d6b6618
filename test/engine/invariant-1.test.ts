// Invariant 1: one idempotency key, one decision.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allWell, audit, clean } from '../harness/audit.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { createDice } from '../harness/dice.ts';
import { tries } from '../harness/tries.ts';

const [keys, times] = [tries(30, 100), tries(30, 100)];

let treasury: Treasury;
let agent: TestAgent;
beforeAll(async () => {
  treasury = await openTreasury({ sockets: 173 });
  agent = await deploy(treasury.client, 'payer', {
    dailyBudget: '1000',
    maxPerPayment: '1',
    allocate: '100',
  });
});
afterAll(() => treasury.close());

describe('one Idempotency-Key is one decision', () => {
  it(`makes exactly ${keys} payments of ${keys} keys that are each sent ${times} times, shuffled and at once`, async () => {
    const { roll } = createDice(1);
    const sent = Array.from({ length: keys * times }, (_, n) => ({ key: `key-${n % keys}`, at: roll() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ key }) => key);
    const answers = await Promise.all(
      sent.map(async (key) => ({ key, answer: await agent.pay('0.01', { key }) })),
    );
    const texts = new Map<string, Set<string>>();
    for (const { key, answer } of answers) {
      expect(answer.status).toBe(200);
      texts.set(key, (texts.get(key) ?? new Set()).add(answer.text));
    }
    expect(texts.size).toBe(keys);
    for (const same of texts.values()) expect(same.size).toBe(1);
    expect(new Set([...texts.values()].flatMap((same) => [...same])).size).toBe(keys);

    const { store } = treasury.host.engine.context;
    expect([...store.transfers.iterate({ kinds: ['payment'] })]).toHaveLength(keys);
    await until('all to be final', () => store.transfers.open().length === 0);
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });

  it('answers a replay for ever, byte for byte, also after a restart', async () => {
    const first = await agent.pay('0.02', { key: 'for ever' });
    expect(first.status).toBe(200);
    expect((await agent.pay('0.02', { key: 'for ever' })).text).toBe(first.text);
    const refused = await agent.pay('2', { key: 'refused' });
    expect(refused.status).toBe(402);
    expect((await agent.pay('2', { key: 'refused' })).text).toBe(refused.text);
    expect(refused.body['code']).toBe('max_per_payment');
  });

  it('refuses another body, or another route, under the same key, and executes nothing', async () => {
    await agent.pay('0.01', { key: 'mine' });
    const { store } = treasury.host.engine.context;
    const before = [...store.transfers.iterate({})].length;
    const other = await agent.pay('0.02', { key: 'mine' });
    expect([other.status, other.body['code']]).toEqual([409, 'idempotency_conflict']);
    const route = await treasury.client.post(
      `/v1/agents/${agent.agentId}/recall`,
      { amount: '0.01' },
      { key: 'mine' },
    );
    expect([route.status, route.body['code']]).toEqual([409, 'idempotency_conflict']);
    expect([...store.transfers.iterate({})]).toHaveLength(before);
  });

  it('does not let white space or the order of fields make another request', async () => {
    const path = `/v1/agents/${agent.agentId}/pay`;
    const first = await agent.client.post(
      path,
      { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' },
      { key: 'order' },
    );
    const second = await agent.client.post(
      path,
      { currency: 'USDC', amount: '0.010', service: 'sandbox-weather' },
      { key: 'order' },
    );
    expect(second.text).toBe(first.text);
  });

  it('keeps the keys of two agents apart', async () => {
    const other = await deploy(treasury.client, 'other', { allocate: '1' });
    const [one, two] = [await agent.pay('0.01', { key: 'same' }), await other.pay('0.01', { key: 'same' })];
    expect(one.body['paymentId']).not.toBe(two.body['paymentId']);
  });

  it('stores no 400, 403 or 404: the same key works once the cause has gone', async () => {
    const path = `/v1/agents/${agent.agentId}/pay`;
    const unknown = await agent.client.post(
      path,
      { service: 'nobody', amount: '0.01', currency: 'USDC' },
      { key: 'again' },
    );
    expect(unknown.status).toBe(404);
    await treasury.client.post('/v1/freeze');
    expect((await agent.pay('0.01', { key: 'again' })).status).toBe(403);
    await treasury.client.post('/v1/unfreeze');
    expect((await agent.pay('0.01', { key: 'again' })).status).toBe(200);
  });

  it.each(['', 'x'.repeat(256), 'naïve'])('refuses the key %j', async (key) => {
    const answer = await agent.pay('0.01', { headers: { 'idempotency-key': key } });
    expect(answer.status).toBe(400);
    expect(answer.body['error']).toContain('Idempotency-Key');
  });
});
