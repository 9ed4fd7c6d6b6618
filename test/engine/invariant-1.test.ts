// Invariant 1: one idempotency key, one decision. It is looked up before anything else: whatever would refuse the request
// by now, its replay answers with the same transfer, and makes no other.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import type { Answer } from '../harness/http-client.ts';
import { openRich, sandbox, seller, useSeller } from '../harness/chain/seller-treasury.ts';
import { deploy, rpcCall, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { createDice } from '../harness/dice.ts';
import { tries } from '../harness/tries.ts';

useSeller();
const [keys, times] = [tries(30, 100), tries(30, 100)];

let treasury: Treasury;
let agent: TestAgent;
beforeAll(async () => {
  treasury = await openRich({ sockets: 173 });
  agent = await deploy(treasury.client, 'payer', {
    dailyBudget: '1000',
    maxPerPayment: '1',
    allocate: '50',
  });
});
afterAll(() => treasury.close());

const store = () => treasury.host.engine.context.store;
const client = () => treasury.client;
const all = (): number => [...store().transfers.iterate({})].length;

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

    expect([...store().transfers.iterate({ kinds: ['payment'] })]).toHaveLength(keys);
    await until('all to be final', () => store().transfers.open().length === 0);
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });

  it('answers a replay for ever, byte for byte', async () => {
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
    const before = all();
    const other = await agent.pay('0.02', { key: 'mine' });
    expect([other.status, other.body['code']]).toEqual([409, 'idempotency_conflict']);
    const route = await treasury.client.post(
      `/v1/agents/${agent.agentId}/recall`,
      { amount: '0.01' },
      { key: 'mine' },
    );
    expect([route.status, route.body['code']]).toEqual([409, 'idempotency_conflict']);
    expect(all()).toBe(before);
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

const outside = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const agents = ['pay', 'fetch', 'generate', 'allocate', 'recall', 'archive'] as const;
let modelId: string;

interface Route {
  call(): Promise<Answer>;
  /** The parts of an answer that must not change: the transfer's id, and its amount. */
  told(body: Answer['body']): unknown;
}
const post = (who: string, route: string, body: object) => (): Promise<Answer> =>
  treasury.client.post(`/v1/agents/${who}/${route}`, body, { key: `the ${route}` });
const withdraw = (asset: string, amount: string) => (): Promise<Answer> =>
  treasury.client.post('/v1/treasury/withdraw', { asset, to: outside, amount }, { key: `${asset} out` });
const transferIn = ({ transferId, amount }: Answer['body']) => ({ transferId, amount });

const routes: Record<string, Route> = {
  pay: {
    call: post('pay', 'pay', { service: 'sandbox-weather', amount: '0.5', currency: 'USDC' }),
    told: (body) => body,
  },
  fetch: {
    call: () =>
      treasury.client.post('/v1/agents/fetch/fetch', { url: `${seller.url}/data` }, { key: 'the fetch' }),
    told: ({ status, body, payment }) => [status, body, payment?.paymentId],
  },
  generate: {
    call: () => post('generate', 'generate', { prompt: 'a fox', modelId, resolution: '1k' })(),
    told: ({ taskId }) => taskId,
  },
  allocate: { call: post('allocate', 'allocate', { amount: '0.25' }), told: transferIn },
  recall: { call: post('recall', 'recall', { amount: '0.25' }), told: transferIn },
  archive: { call: post('archive', 'archive', {}), told: ({ recalled, agentId }) => [recalled, agentId] },
  'withdraw USDC': { call: withdraw('USDC', '0.75'), told: transferIn },
  'withdraw SOL': { call: withdraw('SOL', '0.5'), told: transferIn },
};
const first = new Map<string, Answer>();

const replay = async (): Promise<void> => {
  const before = all();
  for (const [name, { call, told }] of Object.entries(routes)) {
    const [then, now] = [first.get(name), await call()];
    expect([name, now.status, told(now.body)], now.text).toEqual([name, 200, then && told(then.body)]);
  }
  expect(all()).toBe(before);
};

const everyPolicy = async (change: object): Promise<void> => {
  for (const name of agents.filter((one) => one !== 'archive'))
    expect((await client().post(`/v1/agents/${name}/policy`, change)).status).toBe(200);
};

describe('a request that is sent again under its key', () => {
  beforeAll(async () => {
    for (const name of agents) await deploy(treasury.client, name, { allocate: '1.00' });
    modelId = (await treasury.client.get('/v1/models')).body['models'][0].id;
    for (const [name, { call }] of Object.entries(routes)) {
      const answer = await call();
      expect([name, answer.status], answer.text).toEqual([name, 200]);
      first.set(name, answer);
    }
    await until('all to be final', () => store().transfers.open().length === 0);
  });

  it('is answered as before', replay);

  it('is answered as before when the wallets hold too little for it', async () => {
    const { body } = await client().get('/v1/dashboard');
    const rest = (BigInt(body['treasury'].amount) - 10_000n).toString().padStart(7, '0');
    const amount = `${rest.slice(0, -6)}.${rest.slice(-6)}`;
    await client().post('/v1/treasury/withdraw', { asset: 'USDC', to: outside, amount }, { key: 'all' });
    for (const name of ['pay', 'fetch', 'generate', 'recall']) {
      const { body: has } = await client().get(`/v1/agents/${name}/balance`);
      await client().post(`/v1/agents/${name}/recall`, { amount: has['balance'] });
    }
    await replay();
  });

  it('is answered as before when the SOL is gone', async () => {
    const { body } = await client().get('/v1/dashboard');
    const amount = (Number(body['treasury'].sol) - 0.001).toFixed(6);
    const out = await client().post(
      '/v1/treasury/withdraw',
      { asset: 'SOL', to: outside, amount },
      { key: 'all the SOL' },
    );
    expect(out.status, out.text).toBe(200);
    await replay();
    const more = await client().post(
      '/v1/treasury/withdraw',
      { asset: 'SOL', to: outside, amount: '0.5' },
      { key: 'more SOL' },
    );
    expect([more.status, more.body['code']]).toEqual([402, 'insufficient_balance']);
    await rpcCall(sandbox.rpcUrl, 'requestAirdrop', [treasury.owner, 5_000_000_000]);
  });

  it('is answered as before when the policy forbids it', async () => {
    await everyPolicy({
      dailyBudget: '0',
      maxPerPayment: '0',
      allowedServices: ['none'],
      newPayees: 'approve',
    });
    await client().post('/v1/treasury/policy', { dailyBudget: '0' });
    await replay();
  });

  it('is answered as before when the catalog no longer lists the service that it paid', async () => {
    const id = 'sandbox-weather';
    store().atomically(() => store().services.remove(id));
    await replay();
  });

  it('is answered as before under a freeze', async () => {
    await client().post('/v1/freeze');
    await replay();
    await client().post('/v1/unfreeze');
  });

  it('is answered as before while the treasury is locked', async () => {
    await client().post('/v1/lock');
    await replay();
    expect((await client().post('/v1/unlock', {})).status).toBe(200);
  });

  it('is answered as before when its agent was suspended, and when it was archived', async () => {
    for (const name of agents) await client().post(`/v1/agents/${name}/kill`);
    await replay();
    for (const name of agents.filter((one) => one !== 'archive')) {
      const answer = await client().post(`/v1/agents/${name}/archive`);
      expect(answer.status, answer.text).toBe(200);
    }
    await replay();
    const fresh = await client().post('/v1/agents/pay/pay', {
      service: 'sandbox-weather',
      amount: '0.5',
      currency: 'USDC',
    });
    expect([fresh.status, fresh.body['code']]).toEqual([404, 'not_found']);
    await until('all to be final', () => store().transfers.open().length === 0);
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });
});
