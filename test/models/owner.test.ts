// A request to a language model and its owner: standing approvals, the watch, notices, the number of requests in an hour,
// and the idempotency key of a client.
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseUsdc } from '../../server/money.ts';
import { settledRequest } from '../harness/engine/model-row.ts';
import { deploy, until, type TestAgent } from '../harness/treasury.ts';
import { asOwner, client, treasury, useTreasury } from '../http/api-treasury.ts';
import { chat, delta, done, json, openSupplier, stream, usageOf, type Supplier } from './supplier.ts';

let supplier: Supplier;
let agent: TestAgent;
let n = 0;
useTreasury();
beforeAll(async () => {
  supplier = await openSupplier();
  const body = { kind: 'openai-compatible', name: 'Local', baseUrl: supplier.url, allowPrivate: true };
  const { supplierId } = await asOwner('model-suppliers', body);
  const prices = { inputPerMillion: '1', outputPerMillion: '10' };
  await asOwner('language-models', { supplierId, modelId: 'gpt-4o-test', ...prices });
});
afterAll(() => supplier.close());
beforeEach(async () => {
  n += 1;
  supplier.asked.length = 0;
  supplier.answer = (_, response) => json(response, 200, chat('Hi', usageOf(1_000, 200)));
  // One that counts more than its bound is turned off.
  await asOwner('language-models', { supplierId: 'local', modelId: 'gpt-4o-test', enabled: true });
  agent = await deploy(client, `asker-${n}`, { dailyBudget: '1', maxPerPayment: '1' });
  await policy({ allowedModels: ['*'] });
});

const policy = (change: object) => asOwner(`agents/${agent.agentId}/policy`, change);
const ask = (more: object = {}, headers: Record<string, string> = {}) =>
  fetch(`${treasury.host.url}/v1/agents/${agent.agentId}/llm/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${agent.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model: 'gpt-4o-test',
      max_tokens: 1_000,
      messages: [{ role: 'user', content: 'Hello' }],
      ...more,
    }),
  });
const codeOf = async (answer: Promise<Response>): Promise<unknown> => {
  const { ok, status, body } = await answer;
  const text = await new Response(body).text();
  return ok ? 'answered' : ((JSON.parse(text) as { error: { code?: string } }).error.code ?? status);
};
const requests = () =>
  treasury.host.engine.context.store.modelRequests.list({ agentId: agent.agentId, limit: 100 });
const pending = () => treasury.host.engine.context.store.approvals.pending(agent.agentId);
const asked = () => until('the owner to be asked', () => pending()[0]);
const grant = ({ id, hash }: { id: string; hash: string }, more: object = {}) =>
  asOwner(`approvals/${id}/grant`, { hash, ...more });

describe('a request above approveAbove', () => {
  beforeEach(() => policy({ approveAbove: '0.001' }));

  it('waits for a standing approval, goes on when it is granted, and draws on it by what it came to', async () => {
    const answer = ask();
    const approval = await asked();
    expect(approval).toMatchObject({
      kind: 'standing',
      shown: { service: 'llm:local', serviceName: 'Local', model: 'gpt-4o-test', amount: '1.00' },
    });
    expect(supplier.asked).toHaveLength(0);
    await grant(approval);
    expect(await codeOf(answer)).toBe('answered');
    expect(await codeOf(ask())).toBe('answered');
    const [made] = treasury.host.engine.context.store.grants
      .list()
      .filter(({ agentId }) => agentId === agent.agentId);
    expect(made).toMatchObject({ upTo: parseUsdc('1'), used: parseUsdc('0.006'), payees: [] });
    expect(pending()).toEqual([]);
  });

  it('asks once for many, each is refused when the owner declines, and not all of them fill the disk', async () => {
    const looks = vi.spyOn(treasury.host.engine.context.store.grants, 'usable');
    const answers = Array.from({ length: 70 }, (_, at) => codeOf(ask({ max_tokens: 900 + at })));
    const { id } = await asked();
    const bounds = () => new Set(looks.mock.calls.map(([{ amount }]) => amount));
    await until('all to have come', () => bounds().size === 70);
    await asOwner(`approvals/${id}/deny`);
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['approval_denied']));
    expect([supplier.asked.length, pending().length, requests().length]).toEqual([0, 0, 60]);
    looks.mockRestore();
  });

  it('holds up none below it, of the same key at the same supplier', async () => {
    await policy({ approveAbove: '0.005' });
    const dear = codeOf(ask());
    const { id } = await asked();
    supplier.answer = (_, response) => json(response, 200, chat('Hi', usageOf(10, 1)));
    expect(await codeOf(ask({ max_tokens: 10 }))).toBe('answered');
    await asOwner(`approvals/${id}/deny`);
    expect(await dear).toBe('approval_denied');
  });

  it('asks no more once its agent is stopped, and after that nothing can be granted', async () => {
    const answer = codeOf(ask());
    const { id, hash } = await asked();
    await asOwner(`agents/${agent.agentId}/kill`);
    expect([await answer, pending()]).toEqual(['suspended', []]);
    expect((await client.post(`/v1/approvals/${id}/grant`, { hash })).status).toBe(409);
    await asOwner(`agents/${agent.agentId}/resume`);
    expect([supplier.asked, pending(), requests()]).toEqual([[], [], []]);
  });

  it('counts with what it came to also where that is more than the approval has left', async () => {
    supplier.answer = (_, response) => json(response, 200, chat('Hi', usageOf(10_000, 4_000)));
    const answer = ask();
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    await grant(await asked(), { standing: { upTo: '0.012', until: tomorrow } });
    expect(await codeOf(answer)).toBe('answered');
    expect(requests()[0]).toMatchObject({ state: 'settled', amount: parseUsdc('0.05') });
  });

  it('asks for as much as it costs, where a raised budget lets it cost more than the budget itself', async () => {
    await policy({ dailyBudget: '0.002' });
    await asOwner(`agents/${agent.agentId}/boost`, { amount: '0.5' });
    supplier.answer = (_, response) => json(response, 200, chat('Hi', usageOf(10, 1)));
    const answer = ask();
    const approval = await asked();
    expect(approval.shown['amount']).toBe(approval.shown['bound']);
    await grant(approval);
    expect(await codeOf(answer)).toBe('answered');
  });

  it('is covered up to the amount that the owner chose instead, and asks again above it', async () => {
    const answer = ask();
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    await grant(await asked(), { standing: { upTo: '0.02', until: tomorrow } });
    expect(await codeOf(answer)).toBe('answered');
    const dear = ask({ max_tokens: 3_000 });
    const { id } = await asked();
    await asOwner(`approvals/${id}/deny`);
    expect(await codeOf(dear)).toBe('approval_denied');
  });

  it('keeps a streaming client by comment lines, also before a refusal', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const answer = ask({ stream: true });
      const { id } = await asked();
      vi.advanceTimersByTime(10_000);
      const { status, body } = await answer;
      expect(status).toBe(200);
      await asOwner(`approvals/${id}/deny`);
      const text = await new Response(body).text();
      expect(text).toMatch(/^: waiting\n\ndata: \{"error":.*"approval_denied"/);

      supplier.answer = (_, response) => json(response, 400, { error: { message: 'no\nsuch' } });
      const other = ask({ stream: true });
      const approval = await asked();
      vi.advanceTimersByTime(10_000);
      const open = await other;
      await grant(approval);
      expect(await open.text()).toBe(': waiting\n\ndata: {"error":{"message":"no\\nsuch"}}\n\n');
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('an idempotency key', () => {
  it('sends one request, whatever comes with it later', async () => {
    const key = { 'idempotency-key': 'once' };
    expect(await codeOf(ask({}, key))).toBe('answered');
    const again = await ask({ max_tokens: 5 }, key);
    expect(again.status).toBe(409);
    expect(await again.json()).toMatchObject({
      error: { code: 'answer_not_kept', details: { requestId: requests()[0]?.id } },
    });
    expect(supplier.asked).toHaveLength(1);
    expect(await codeOf(ask({}, { 'idempotency-key': 'no spaces, please' }))).toBe('answered');
  });

  it('stays free when its request was refused, here or by the supplier', async () => {
    supplier.answer = (_, response) => json(response, 429, { error: { message: 'slow down' } });
    expect(await codeOf(ask({}, { 'idempotency-key': 'k' }))).toBe(429);
    supplier.answer = (_, response) => json(response, 200, chat('Hi', usageOf(1_000, 200)));
    await policy({ dailyBudget: '0.000001' });
    expect(await codeOf(ask({}, { 'idempotency-key': 'k' }))).toBe('daily_budget');
    await policy({ dailyBudget: '1' });
    expect(await codeOf(ask({}, { 'idempotency-key': 'k' }))).toBe('answered');
  });
});

it('counts requests in an hour, those that were released apart', async () => {
  await policy({ modelRequestsPerHour: 2 });
  supplier.answer = (_, response) => json(response, 429, { error: { message: 'slow down' } });
  expect((await ask()).status).toBe(429);
  supplier.answer = (_, response) => void stream(response).end(delta('Hi') + done);
  expect((await ask({ stream: true })).status).toBe(200);
  supplier.answer = (_, response) => json(response, 200, chat('Hi', usageOf(1, 1)));
  expect(await codeOf(ask())).toBe('answered');
  expect(await codeOf(ask())).toBe('payment_rate');
});

describe('the watch', () => {
  beforeEach(() => {
    supplier.answer = (_, response) => json(response, 200, chat('Hi', usageOf(100_000, 70_000)));
  });

  it('counts what requests came to, and pauses an agent that spends too fast', async () => {
    await asOwner(`agents/${agent.agentId}/watch`, { mode: 'pause' });
    const large = { max_tokens: 80_000 };
    expect(await codeOf(ask({ ...large, messages: [{ role: 'user', content: 'x'.repeat(100_000) }] }))).toBe(
      'answered',
    );
    expect(requests()[0]?.amount).toBe(parseUsdc('0.8'));
    expect(await codeOf(ask({ max_tokens: 10 }))).toBe('suspended');
    expect(treasury.host.engine.context.store.agents.get(agent.agentId)?.status).toBe('suspended');
    expect(supplier.asked).toHaveLength(1);
  });

  it('asks for a standing approval, which one from before does not replace', async () => {
    await policy({ approveAbove: '0.5' });
    const answer = ask({ max_tokens: 80_000, messages: [{ role: 'user', content: 'x'.repeat(100_000) }] });
    await grant(await asked());
    expect(await codeOf(answer)).toBe('answered');
    await asOwner(`agents/${agent.agentId}/watch`, { mode: 'ask' });
    const next = ask({ max_tokens: 10 });
    const approval = await asked();
    expect(approval.shown).toMatchObject({ because: 'watch', watch: expect.stringContaining('in an hour') });
    await grant(approval, { standing: { upTo: '0.1', until: new Date(Date.now() + 60_000).toISOString() } });
    expect(await codeOf(next)).toBe('answered');
  });

  it('goes on by the standing approval that was granted since, whichever ends first', async () => {
    await policy({ approveAbove: '0.5' });
    const answer = ask({ max_tokens: 80_000, messages: [{ role: 'user', content: 'x'.repeat(100_000) }] });
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    await grant(await asked(), { standing: { upTo: '5', until: soon } });
    expect(await codeOf(answer)).toBe('answered');
    await asOwner(`agents/${agent.agentId}/watch`, { mode: 'ask' });
    supplier.answer = (_, response) => json(response, 200, chat('Hi', usageOf(10, 1)));
    const next = ask({ max_tokens: 10 });
    await grant(await asked());
    expect(await codeOf(next)).toBe('answered');
  });

  it('ends a delegated key, and asks nobody for it', async () => {
    const large = { max_tokens: 80_000, messages: [{ role: 'user', content: 'x'.repeat(100_000) }] };
    await asOwner(`agents/${agent.agentId}/watch`, { mode: 'ask' });
    await asOwner(`agents/${agent.agentId}/delegation`, { allowed: true });
    const wanted = { label: 'sub', expiresAt: new Date(Date.now() + 60_000).toISOString(), totalBudget: '1' };
    const { keyId, apiKey } = await asOwner(`agents/${agent.agentId}/delegated-keys`, wanted);
    expect(await codeOf(ask(large))).toBe('answered');
    expect(await codeOf(ask({ max_tokens: 10 }, { authorization: `Bearer ${String(apiKey)}` }))).toBe(
      'key_ended',
    );
    expect(treasury.host.engine.context.store.keys.get(String(keyId))?.revokedAt).not.toBeNull();
    expect(pending()).toEqual([]);
  });
});

it('notices a refusal, in words that hold no prompt', async () => {
  await asOwner('notices/channels', { kind: 'desktop', kinds: ['refused'] });
  await policy({ dailyBudget: '0.000001' });
  expect(await codeOf(ask({ messages: [{ role: 'user', content: 'the secret plan' }] }))).toBe(
    'daily_budget',
  );
  const { notices } = (await client.get('/v1/notices')).body;
  const [newest] = notices.filter(({ agentId }: { agentId: string }) => agentId === agent.agentId);
  expect(newest).toMatchObject({
    kind: 'refused',
    title: `A request to a language model by ${agent.agentId} was refused`,
  });
  expect(newest.text).toMatch(/^gpt-4o-test at Local\. asker-\d+ had spent/);
  expect(JSON.stringify(notices)).not.toContain('secret plan');
});

it('single requests are read page by page, of 90 days unless more are asked for', async () => {
  const { store } = treasury.host.engine.context;
  const dayMs = 86_400_000;
  const { agentId } = agent;
  const daysAgo = { a: 200, b: 89, c: 1, d: 0 };
  store.atomically(() => {
    for (const [id, days] of Object.entries(daysAgo))
      settledRequest(store, { id, agentId, at: Date.now() - days * dayMs, amount: 1n, mark: 'exact' });
  });
  const read = async (query: string) => {
    const { body } = await client.get(`/v1/agents/${agentId}/model-usage${query}`);
    return body['requests'] as { requestId: string; cursor: number }[];
  };
  const idsOf = async (query: string) => (await read(query)).map(({ requestId }) => requestId);
  expect(await idsOf('')).toEqual(['d', 'c', 'b']);
  const [, last] = await read('?limit=2');
  expect(await idsOf(`?limit=2&before=${last?.cursor}`)).toEqual(['b']);
  expect(await idsOf('?days=366')).toEqual(['d', 'c', 'b', 'a']);
});

it('counts in each figure of what was spent: the chart, the ranking, the agent’s total and the forecast', async () => {
  const read = async () => {
    const { body: charts } = await client.get('/v1/spending?days=1');
    const { agents } = (await client.get('/v1/dashboard')).body;
    const { forecast } = (await client.get(`/v1/agents/${agent.agentId}/limits`)).body;
    const own = ({ agentId }: { agentId: string }): boolean => agentId === agent.agentId;
    const { lifetimeSpent, lifetimeRequests, spentToday } = agents.find(own);
    const figures = [
      charts['agents'].find(own),
      charts['days'].find(own),
      { amount: lifetimeSpent, requests: lifetimeRequests },
    ];
    const services = charts['services'].filter(
      ({ serviceId }: { serviceId: string }) => serviceId === 'llm:local',
    );
    return { figures, spentToday, services, forecast };
  };
  const { services: before } = await read();
  await codeOf(ask());
  await codeOf(ask());
  const { figures, spentToday, services, forecast } = await read();
  expect(spentToday).toBe('0.006');
  for (const figure of figures) expect(figure).toMatchObject({ amount: '0.006', requests: 2 });
  expect(services[0].requests - (before[0]?.requests ?? 0)).toBe(2);
  expect(forecast.monthEnd).toBeNull();
  const { store } = treasury.host.engine.context;
  const day = 86_400_000;
  const past = { agentId: agent.agentId, amount: 5_000_000n, mark: 'exact' } as const;
  store.atomically(() => {
    for (const days of [1, 2, 3, 4, 5, 6, 7, 8])
      settledRequest(store, { ...past, id: `past-${days}`, at: Date.now() - days * day });
  });
  expect(parseUsdc((await read()).forecast.monthEnd.amount)).toBeGreaterThan(5_000_000n);
  // The month of the owner's zone, as in the chart.
  store.atomically(() => {
    for (let half = 1; half < 70; half += 1)
      settledRequest(store, {
        ...past,
        id: `half-${half}`,
        amount: 1_000n,
        at: Date.now() - (half * day) / 2,
      });
  });
  for (const timeZone of ['Pacific/Auckland', 'America/Los_Angeles', 'UTC']) {
    await client.post('/v1/treasury/time-zone', { timeZone });
    const { days } = (await client.get('/v1/spending?days=31&zone=owner')).body;
    const month = new Date().toLocaleDateString('sv-SE', { timeZone }).slice(0, 7);
    const own = days.filter(
      (row: { day: string; agentId: string }) => row.agentId === agent.agentId && row.day.startsWith(month),
    );
    const spent = own.reduce(
      (sum: bigint, row: { amount: string }) => sum + (parseUsdc(row.amount) ?? 0n),
      0n,
    );
    expect(parseUsdc((await read()).forecast.monthEnd.spent)).toBe(spent);
  }
});
