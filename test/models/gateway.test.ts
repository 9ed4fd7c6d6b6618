// Requests to language models with the owner's own key: what is bounded, held, sent, settled, and released.
import { describe, expect, it, vi } from 'vitest';
import { deploy, until, type TestAgent } from '../harness/treasury.ts';
import { asOwner, client, treasury } from '../http/api-treasury.ts';
import {
  agent,
  ask,
  hello,
  key,
  n,
  price,
  requests,
  spent,
  spentAt,
  supplier,
  supplierId,
  units,
  useGateway,
} from './rig.ts';
import { chat, delta, done, json, stream, usageChunk, usageOf } from './supplier.ts';

useGateway();

describe('an answer', () => {
  it('costs what the supplier counted, and the rest of the bound is free again', async () => {
    supplier.answer = (_, response) => json(response, 200, chat('Hi', usageOf(1_000, 200)));
    const answer = await ask(hello);
    expect([answer.status, await answer.json()]).toEqual([200, chat('Hi', usageOf(1_000, 200))]);
    const [request] = requests();
    expect(request).toMatchObject({
      state: 'settled',
      mark: 'exact',
      amount: units('0.003'),
      model: 'gpt-4o-test',
    });
    expect(request?.bound).toBeGreaterThan(units('0.01'));
    expect(spent()).toBe(units('0.003'));
    expect(answer.headers.get('x-treasury-request-id')).toBe(request?.id);
    expect(supplier.asked[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${key}` },
      body: hello,
    });
  });
});

describe('a request', () => {
  it('that may cost more than the budget is refused before it leaves, in the shape of the API', async () => {
    const answer = await ask({ ...hello, max_tokens: 200_000 });
    expect(answer.status).toBe(402);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    const { error } = (await answer.json()) as {
      error: { type: string; code: string; details: { fits: number } };
    };
    expect([error.type, error.code]).toEqual(['insufficient_quota', 'max_per_payment']);
    expect(supplier.asked).toEqual([]);
    supplier.answer = (_, response) => json(response, 200, chat('Hi', usageOf(10, 1)));
    expect((await ask({ ...hello, max_tokens: error.details.fits + 1 })).status).toBe(402);
    expect((await ask({ ...hello, max_tokens: error.details.fits })).status).toBe(200);
  });

  it('for a model that the policy does not name is refused', async () => {
    await price('claude-test', '1', '1');
    const { error } = (await (await ask({ ...hello, model: 'claude-test' })).json()) as {
      error: { code: string };
    };
    expect(error.code).toBe('model_not_allowed');
    expect(supplier.asked).toEqual([]);
  });

  it('waits for the requests before it, where only their bounds are in the way', async () => {
    const first = Promise.withResolvers<void>();
    let at = 0;
    supplier.answer = async (_, response) => {
      at += 1;
      if (at === 1) await first.promise;
      json(response, 200, chat('Hi', usageOf(100, 10)));
    };
    const large = { ...hello, max_tokens: 60_000 };
    const answers = [ask(large), ask(large)];
    await until('one to be held', () => requests().length === 1 && supplier.asked.length === 1);
    first.resolve();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
    expect(spent()).toBe(2n * units('0.0002'));
  });

  it('that waited while the owner moved the supplier is refused, and its new key stays from the old address', async () => {
    const first = Promise.withResolvers<void>();
    supplier.answer = async (_, response) => {
      await first.promise;
      json(response, 200, chat('Hi', usageOf(100, 10)));
    };
    const large = { ...hello, max_tokens: 60_000 };
    const answers = [ask(large)];
    await until('one to be held', () => requests().length === 1 && supplier.asked.length === 1);
    const waits = vi.spyOn(treasury.host.engine.context.outcomes, 'wait');
    answers.push(ask(large));
    await until('the other to wait', () => waits.mock.calls.length === 1);
    const moved = { baseUrl: `${supplier.url}/moved`, apiKey: 'sk-the-new-key' };
    await asOwner(`model-suppliers/${supplierId}`, moved);
    first.resolve();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 501]);
    expect(requests()[0]).toMatchObject({ state: 'released', amount: null });
    expect(supplier.asked).toHaveLength(1);
    await asOwner(`model-suppliers/${supplierId}`, { baseUrl: supplier.url, apiKey: key });
  });

  it('with another key is refused, and nothing of it leaves', async () => {
    const answer = await ask(hello, { headers: { authorization: 'Bearer sk-of-a-subscription' } });
    expect([answer.status, supplier.asked.length]).toEqual([401, 0]);
    expect(((await answer.json()) as { error: { type: string } }).error.type).toBe('authentication_error');
  });
});

describe('what is not known', () => {
  it('of a gateway counts as the bound, and a refusal by the supplier counts as nothing', async () => {
    supplier.answer = (_, response) => void response.writeHead(502).end('Bad gateway');
    expect((await ask(hello)).status).toBe(502);
    const [unknown] = requests();
    expect(unknown).toMatchObject({ state: 'settled', mark: 'unknown', amount: unknown?.bound });
    supplier.answer = (_, response) => json(response, 429, { error: { message: 'slow down', type: 'rate' } });
    expect((await ask(hello)).status).toBe(429);
    expect(requests()[0]).toMatchObject({ state: 'released', amount: null });
    expect(spent()).toBe(unknown?.bound);
  });
});

describe('the end', () => {
  it('counts as such when the client hangs up after it, and the supplier has not', async () => {
    supplier.answer = (_, response) =>
      void stream(response).write(delta('Hi') + usageChunk(usageOf(100, 10)) + done);
    const gone = new AbortController();
    const answer = await ask({ ...hello, stream: true }, { signal: gone.signal });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ''; !text.endsWith(done);) text += (await reader?.read())?.value ?? '';
    gone.abort();
    await until('it to be settled', () => requests()[0]?.state === 'settled');
    expect(requests()[0]).toMatchObject({ mark: 'exact', amount: units('0.0002') });
  });

  it('is estimated by a usage that no answer has', async () => {
    supplier.answer = (_, response) => json(response, 200, chat('Hi', usageOf(9e15, 9e15)));
    expect((await ask(hello)).status).toBe(200);
    expect(requests()[0]?.mark).toBe('estimated');
    expect(requests()[0]?.amount).toBeLessThanOrEqual(requests()[0]?.bound ?? 0n);
  });
});

describe('many at once', () => {
  it('stay within the budget of each node at every decision, whatever each comes to', async () => {
    const [limit, group] = [units('0.1'), units('0.15')];
    await asOwner(`agents/${agent.agentId}/policy`, { dailyBudget: '0.1' });
    const { groupId } = await asOwner('groups', { name: `group ${n}` });
    await asOwner(`groups/${String(groupId)}/limits`, { dailyBudget: '0.15' });
    const other = await deploy(client, `other-${n}`, { dailyBudget: '1', maxPerPayment: '1' });
    await asOwner(`agents/${other.agentId}/policy`, { allowedModels: ['*'] });
    for (const { agentId } of [agent, other]) await asOwner(`agents/${agentId}/group`, { groupId });
    const { store } = treasury.host.engine.context;
    const highest = { agent: 0n, group: 0n };
    supplier.answer = async (_, response) => {
      if (spentAt(agent.agentId) > highest.agent) highest.agent = spentAt(agent.agentId);
      if (spentAt(`group:${String(groupId)}`) > highest.group)
        highest.group = spentAt(`group:${String(groupId)}`);
      await new Promise(setImmediate);
      json(response, 200, chat('Hi', usageOf(100 + Math.floor(supplier.asked.length % 7) * 100, 300)));
    };
    const all = Array.from({ length: 60 }, (_, at) => {
      const { agentId, key: own } = at % 3 === 0 ? other : agent;
      return fetch(`${treasury.host.url}/v1/agents/${agentId}/llm/openai/v1/chat/completions`, {
        method: 'POST',
        headers: { 'x-api-key': own, 'content-type': 'application/json' },
        body: JSON.stringify({ ...hello, messages: [{ role: 'user', content: `${at}` }], max_tokens: 3_000 }),
      });
    });
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 402]));
    expect(highest.agent).toBeGreaterThan(limit / 2n);
    expect(highest.agent).toBeLessThanOrEqual(limit);
    expect(highest.group).toBeLessThanOrEqual(group);
    expect(store.modelRequests.held()).toEqual([]);
    const settled = ({ agentId }: TestAgent): bigint =>
      store.modelRequests.list({ agentId, limit: 500 }).reduce((sum, { amount }) => sum + (amount ?? 0n), 0n);
    expect(spent()).toBe(settled(agent));
    expect(store.spend.at(`group:${String(groupId)}`, Date.now()).final).toBe(
      settled(agent) + settled(other),
    );
  });
});

describe('a stop', () => {
  it('ends each of many streams in one turn, also when their supplier is turned off', async () => {
    await asOwner(`agents/${agent.agentId}/policy`, { dailyBudget: '100' });
    supplier.answer = (_, response) => void stream(response).write(delta('on and on'));
    const { context } = treasury.host.engine;
    for (const stop of [
      () => asOwner(`model-suppliers/${supplierId}`, { enabled: false }),
      () => asOwner(`agents/${agent.agentId}/kill`, { reason: 'enough' }),
    ]) {
      await Promise.all(Array.from({ length: 20 }, () => ask({ ...hello, max_tokens: 10, stream: true })));
      let deepest = 0;
      const { stackTraceLimit } = Error;
      Error.stackTraceLimit = 1_000;
      const leave = treasury.host.engine.onEvent(() => {
        deepest = Math.max(deepest, (new Error().stack ?? '').split('stopBound').length);
      });
      await stop();
      leave();
      Error.stackTraceLimit = stackTraceLimit;
      expect(context.store.modelRequests.held(agent.agentId)).toEqual([]);
      expect(deepest).toBeLessThan(4);
      await asOwner(`model-suppliers/${supplierId}`, { enabled: true });
    }
  });

  it('ends a stream in its turn, settles it, and says so in the stream', async () => {
    supplier.answer = (_, response) => void stream(response).write(delta('on and on'));
    const answer = await ask({ ...hello, stream: true });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    await reader?.read();
    const { ended } = await asOwner(`agents/${agent.agentId}/kill`, { reason: 'enough' });
    expect([ended, requests()[0]?.state]).toEqual([{ declined: 0, requests: 1, keys: [] }, 'settled']);
    const last = (await reader?.read())?.value ?? '';
    expect(JSON.parse(last.slice('data: '.length))).toMatchObject({ error: { code: 'suspended' } });
    expect((await reader?.read())?.done).toBe(true);
    expect((await ask(hello)).status).toBe(403);
  });
});
