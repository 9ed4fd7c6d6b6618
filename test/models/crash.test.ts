// SIGKILL of the host while requests to a language model are under way: each counts with its bound, at the time of its
// reservation, frees nothing that it may have spent, and is not sent again.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useFolders } from '../harness/folders.ts';
import { deploy, instantly, openTreasury, spawnTreasury, until } from '../harness/treasury.ts';
import { chat, delta, json, openSupplier, stream, usageOf, type Supplier } from './supplier.ts';

const newFolder = useFolders();
let supplier: Supplier;
beforeAll(async () => {
  supplier = await openSupplier();
});
afterAll(() => supplier.close());

it('what the next start finds held is settled at its bound, and what was settled before stays', async () => {
  supplier.answer = ({ body }, response) => {
    if (body.max_tokens === 500) json(response, 200, chat('Hi', usageOf(100, 10)));
    // A stream that has begun; the third is not answered.
    if (body.stream === true) stream(response).write(delta('on and on'));
  };
  const dataDir = newFolder();
  const { client, ready, kill } = await spawnTreasury(dataDir, instantly);
  const added = { kind: 'openai-compatible', name: 'Local', baseUrl: supplier.url, allowPrivate: true };
  const { supplierId } = (await client.post('/v1/model-suppliers', added)).body;
  const price = { inputPerMillion: '1', outputPerMillion: '10' };
  await client.post('/v1/language-models', { supplierId, modelId: 'm', ...price });
  const policy = { allowedModels: ['m'] };
  const limits = { dailyBudget: '1', maxPerPayment: '1', allocate: null, policy };
  const { key } = await deploy(client, 'talker', limits);
  const ask = (more: object) =>
    fetch(`${ready.url}/v1/agents/talker/llm/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }], ...more }),
    });
  expect((await ask({ max_tokens: 500 })).status).toBe(200);
  const streaming = await ask({ max_tokens: 600, stream: true });
  await streaming.body?.getReader().read();
  const unanswered = ask({ max_tokens: 700 }).catch(() => 'cut');
  await until('all to have reached the supplier', () => supplier.asked.length === 3);
  await kill('SIGKILL');
  client.close();
  expect(await unanswered).toBe('cut');

  const next = await openTreasury({ dataDir });
  const { store } = next.host.engine.context;
  const rows = store.modelRequests.list({ agentId: 'talker', limit: 5 });
  const [last, middle, first] = rows;
  expect(rows).toHaveLength(3);
  expect(first).toMatchObject({ state: 'settled', mark: 'exact', amount: 200n });
  for (const cut of [middle, last])
    expect(cut).toMatchObject({ state: 'settled', mark: 'unknown', amount: cut?.bound });
  expect(last?.bound).toBeGreaterThan(7_000n);
  const final = rows.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n);
  expect(store.spend.at('talker', Date.now())).toMatchObject({ open: 0n, final });
  // What was spent before the start is no pace: the watch was told of the first alone.
  expect(store.watch.agentMemory('talker')?.payments.at(-1)?.[1]).toBe(1);
  await next.close();
  expect(supplier.asked).toHaveLength(3);
});
