// Sellers of language models: a request to one is paid as a paid fetch is, and the policy's models hold by whatever way.
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openRich, seller, useSeller } from '../harness/chain/seller-treasury.ts';
import { deploy, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { answerAsModel } from '../http/proxy/model-server.ts';
import { pathThrough } from '../http/proxy/through.ts';

useSeller();
let treasury: Treasury;
let agent: TestAgent;
let asked: string[] = [];
let n = 0;
const owner = async (path: string, body: object) => {
  const answer = await treasury.client.post(`/v1/${path}`, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body;
};
beforeAll(async () => {
  treasury = await openRich();
  const { origin } = new URL(seller.url);
  await owner('model-suppliers', { kind: 'seller', name: 'Shop', baseUrl: `${origin}/api/v1` });
  await owner('language-models', { supplierId: 'shop', modelId: 'gpt-5', isDefault: true });
});
afterAll(() => treasury.close());
beforeEach(async () => {
  n += 1;
  agent = await deploy(treasury.client, `buyer-${n}`, { allocate: '1.00' });
  await owner(`agents/${agent.agentId}/policy`, { allowedModels: ['gpt-*'] });
  asked = [];
  seller.behave = async ({ request, response, settle }) => {
    await settle();
    asked.push(request.url ?? '');
    await answerAsModel(request, response, ['Hel', 'lo']);
  };
});

const gateway = () => `${treasury.host.url}/v1/agents/${agent.agentId}/llm`;
const post = (
  url: string,
  body: object,
  headers: Record<string, string> = {},
  signal: AbortSignal | null = null,
) =>
  fetch(url, {
    signal,
    method: 'POST',
    headers: { authorization: `Bearer ${agent.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const ask = (model: string, more: object = {}, headers = {}) =>
  post(`${gateway()}/openai/v1/chat/completions`, { model, messages: [], ...more }, headers);
const payments = () => [
  ...treasury.host.engine.context.store.transfers.iterate({ agentId: agent.agentId, kinds: ['payment'] }),
];
const codeOf = async (answer: Response): Promise<unknown> =>
  ((await answer.json()) as { error: { code: unknown } }).error.code;

describe('a seller of language models', () => {
  it('is paid for each request, by the name of its model there, and answers as it does', async () => {
    const answer = await ask('shop/gpt-5');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'Hello' } }] });
    expect(asked).toEqual(['/api/v1/chat/completions']);
    const [paid] = payments();
    expect(answer.headers.get('x-treasury-request-id')).toBe(paid?.id);
    expect((await ask('gpt-5', { stream: true })).headers.get('content-type')).toContain('text/event-stream');
    expect(payments()).toHaveLength(2);
    const anthropic = await post(`${gateway()}/anthropic/v1/messages`, {
      model: 'shop/gpt-5',
      max_tokens: 5,
      messages: [],
    });
    expect(await anthropic.json()).toMatchObject({ content: [{ text: 'Hello' }] });
    const named = (await (
      await fetch(`${gateway()}/openai/v1/models`, { headers: { 'x-api-key': agent.key } })
    ).json()) as {
      data: { id: string }[];
    };
    expect(named.data.map(({ id }) => id)).toEqual(['gpt-5']);
  });

  it('has what its answer used kept beside the payment, with its worth by the price list', async () => {
    const { origin } = new URL(seller.url);
    await (await ask('shop/gpt-5')).text();
    const streamed = { model: 'shop/openai/gpt-5', max_tokens: 5, messages: [], stream: true };
    await owner(`agents/${agent.agentId}/policy`, { allowedModels: ['*'] });
    await (await post(`${gateway()}/anthropic/v1/messages`, streamed)).text();
    const url = `${origin}/api/v1/chat/completions`;
    const long = 'm'.repeat(300);
    const body = JSON.stringify({ model: long, messages: [] });
    const fetched = { url, method: 'POST', body, maxAmount: '1' };
    await treasury.client.post(`/v1/agents/${agent.agentId}/fetch`, fetched, { token: agent.key });
    // It reports no usage where its client does not ask for it, and another path is no model's.
    await (await ask('shop/gpt-5', { stream: true })).text();
    await treasury.client.post(
      `/v1/agents/${agent.agentId}/fetch`,
      { ...fetched, url: `${origin}/api/v1/pictures`, body: '{}' },
      { token: agent.key },
    );
    const usedBy = async (paymentId: string) =>
      (await treasury.client.get(`/v1/transfers/${paymentId}`)).body['purchase']?.modelUsage;
    const all = await Promise.all(payments().map(async ({ id }) => usedBy(id)));
    const used = { answeredModel: 'm', inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 };
    expect(all.toReversed()).toEqual([
      { ...used, model: 'gpt-5', worth: '0.000012' },
      { ...used, model: 'openai/gpt-5', worth: '0.000012' },
      { ...used, model: long.slice(0, 200), worth: null },
      null,
      null,
    ]);
  });

  it('is paid once for one idempotency key', async () => {
    const key = { 'idempotency-key': 'once' };
    expect((await ask('shop/gpt-5', {}, key)).status).toBe(200);
    await (await ask('shop/gpt-5', {}, key)).text();
    expect(payments()).toHaveLength(1);
  });

  it('sells no model that the policy does not allow, by no way', async () => {
    expect(await codeOf(await ask('shop/o3'))).toBe('model_not_allowed');
    const { origin } = new URL(seller.url);
    const through = `${treasury.host.url}${pathThrough(agent.agentId, `${origin}/api/v1/chat/completions`)}`;
    expect((await post(through, { model: 'o3' })).status).toBe(402);
    expect((await post(through, { model: 'gpt-5' })).status).toBe(200);
    const fetched = await treasury.client.post(
      `/v1/agents/${agent.agentId}/fetch`,
      { url: `${origin}/api/v1/chat/completions`, method: 'POST', body: '{"model":"gpt-5","model":"o3"}' },
      { token: agent.key },
    );
    expect(fetched.status).toBe(400);
    for (const body of [{ Model: 'o3' }, { model: 'gpt-5', MODEL: 'o3' }, { messages: [] }, { model: null }])
      expect((await post(through, body)).status).toBe(400);
    expect(payments()).toHaveLength(1);
  });

  it('goes on with the first payment for the same address alone', async () => {
    const gone = new AbortController();
    seller.behave = async ({ request, settle }) => {
      await settle();
      asked.push(request.url ?? '');
      gone.abort();
    };
    const body = { model: 'shop/gpt-5', input: 'x' };
    await post(`${gateway()}/openai/v1/embeddings`, body, {}, gone.signal).catch(() => {});
    seller.behave = async ({ request, response, settle }) => {
      await settle();
      asked.push(request.url ?? '');
      await answerAsModel(request, response, ['Hi']);
    };
    await (await post(`${gateway()}/openai/v1/responses`, body)).text();
    expect(asked).toContain('/api/v1/responses');
  });

  it('keeps a waiting client, and its answer in one piece becomes one event of any length', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const [came, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      seller.behave = async ({ response, settle }) => {
        await settle();
        came.resolve();
        await go.promise;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"a":1,\r"b":\n\ndata: 2}');
      };
      const answer = ask('shop/gpt-5', { stream: true });
      await came.promise;
      vi.advanceTimersByTime(10_000);
      go.resolve();
      expect(await (await answer).text()).toBe(': waiting\n\ndata: {"a":1, "b":  data: 2}\n\n');
    } finally {
      vi.useRealTimers();
    }
  });

  it('is refused within the limits of payments, in the shape of the API', async () => {
    await owner(`agents/${agent.agentId}/policy`, { maxPerPayment: '0.000001' });
    const answer = await ask('shop/gpt-5');
    expect([answer.status, answer.headers.get('x-should-retry')]).toEqual([402, 'false']);
    expect(await codeOf(answer)).toBe('max_per_payment');
    expect(payments().every(({ state }) => state === 'denied')).toBe(true);
  });

  it('takes neither a key nor a price', async () => {
    const added = {
      kind: 'seller',
      name: 'Other',
      baseUrl: 'https://shop.example.com',
      apiKey: 'sk-0123456789ab',
    };
    expect((await treasury.client.post('/v1/model-suppliers', added)).text).toContain('apiKey');
    const price = { supplierId: 'shop', modelId: 'gpt-5', inputPerMillion: '1', outputPerMillion: '1' };
    expect((await treasury.client.post('/v1/language-models', price)).text).toContain('asks for its price');
  });

  it('binds nobody once it is removed', async () => {
    const { origin } = new URL(seller.url);
    const through = `${treasury.host.url}${pathThrough(agent.agentId, `${origin}/api/v1/chat/completions`)}`;
    expect((await post(through, { model: 'o3' })).status).toBe(402);
    const removed = await treasury.client.call('DELETE', '/v1/model-suppliers/shop');
    expect(removed.status).toBe(200);
    expect((await post(through, { model: 'o3' })).status).toBe(200);
  });
});
