// A request to a language model that was under way when the process died: it counts with its bound, at the time of its
// reservation, and frees nothing that it may have spent.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useFolders } from '../harness/folders.ts';
import { deploy, openTreasury, until } from '../harness/treasury.ts';
import { asOwner, client, treasury, useTreasury } from '../http/api-treasury.ts';
import { chat, json, openSupplier, usageOf, type Supplier } from './supplier.ts';

const folder = useFolders();
let supplier: Supplier;
beforeAll(async () => {
  supplier = await openSupplier();
});
useTreasury();
afterAll(() => supplier.close());

it('is settled at its bound by the next start, and what was settled before stays', async () => {
  const answers = [Promise.resolve(), Promise.withResolvers<void>().promise];
  supplier.answer = async (_, response) => {
    await answers.shift();
    json(response, 200, chat('Hi', usageOf(100, 10)));
  };
  const added = { kind: 'openai-compatible', name: 'Local', baseUrl: supplier.url, allowPrivate: true };
  const { supplierId } = await asOwner('model-suppliers', added);
  const price = { inputPerMillion: '1', outputPerMillion: '10' };
  await asOwner('language-models', { supplierId, modelId: 'm', ...price });
  const agent = await deploy(client, 'talker', { dailyBudget: '1', maxPerPayment: '1' });
  await asOwner(`agents/${agent.agentId}/policy`, { allowedModels: ['m'] });
  const ask = () =>
    fetch(`${treasury.host.url}/v1/agents/talker/llm/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${agent.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', max_tokens: 500, messages: [{ role: 'user', content: 'Hello' }] }),
    });
  expect((await ask()).status).toBe(200);
  const cut = ask().catch(() => null);
  await until('the supplier to be asked', () => supplier.asked.length === 2);

  // The disk as of this instant.
  const dataDir = join(folder(), 'copy');
  cpSync(treasury.dataDir, dataDir, { recursive: true, filter: (path) => !/runtime|\.lock$/.test(path) });
  const next = await openTreasury({ dataDir });
  const { store } = next.host.engine.context;
  const [last, first] = store.modelRequests.list({ agentId: 'talker', limit: 5 });
  expect(first).toMatchObject({ state: 'settled', mark: 'exact', amount: 200n });
  expect(last).toMatchObject({ state: 'settled', mark: 'unknown', amount: last?.bound });
  expect(store.spend.at('talker', Date.now())).toMatchObject({ open: 0n, final: 200n + (last?.bound ?? 0n) });
  await next.close();

  // A clean stop settles what it knows: the request of this process was sent, and nothing came.
  await treasury.host.close();
  await cut;
  expect(supplier.asked).toHaveLength(2);
});
