// A treasury with one supplier of language models, and an agent of its own for each test.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { ModelRequest } from '../../server/engine/ports.ts';
import { parseUsdc } from '../../server/money.ts';
import { deploy, type TestAgent } from '../harness/treasury.ts';
import { asOwner, client, treasury, useTreasury } from '../http/api-treasury.ts';
import { openSupplier, type Supplier } from './supplier.ts';

/** The owner's, at the supplier. */
export const key = 'sk-the-owners-own-key-4402';
export let supplier: Supplier;
export let supplierId: string;
export let agent: TestAgent;
/** Of the test. */
export let n = 0;

export const useGateway = (): void => {
  beforeAll(async () => {
    supplier = await openSupplier();
  });
  useTreasury();
  beforeAll(async () => {
    const body = {
      kind: 'openai-compatible',
      name: 'Local',
      baseUrl: supplier.url,
      allowPrivate: true,
      apiKey: key,
    };
    supplierId = String((await asOwner('model-suppliers', body))['supplierId']);
    await price('gpt-4o-test', '1', '10');
  });
  afterAll(() => supplier.close());
  beforeEach(async () => {
    n += 1;
    supplier.asked.length = 0;
    agent = await deploy(client, `talker-${n}`, { dailyBudget: '1', maxPerPayment: '1' });
    await asOwner(`agents/${agent.agentId}/policy`, { allowedModels: ['gpt-*'] });
  });
};

export const price = (
  modelId: string,
  inputPerMillion: string,
  outputPerMillion: string,
  more: object = {},
) => asOwner('language-models', { supplierId, modelId, inputPerMillion, outputPerMillion, ...more });

export const hello = {
  model: 'gpt-4o-test',
  max_tokens: 1_000,
  messages: [{ role: 'user', content: 'Hello' }],
};
export const ask = (
  body: object,
  init: RequestInit = {},
  path = 'openai/v1/chat/completions',
): Promise<Response> =>
  fetch(`${treasury.host.url}/v1/agents/${agent.agentId}/llm/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${agent.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...init,
  });
/** The newest first. */
export const requests = (): ModelRequest[] =>
  treasury.host.engine.context.store.modelRequests.list({ agentId: agent.agentId, limit: 2_000 });
export const spentAt = (scope: string): bigint => {
  const { open, final } = treasury.host.engine.context.store.spend.at(scope, Date.now());
  return open + final;
};
export const spent = (): bigint => spentAt(agent.agentId);
export const units = (decimal: string): bigint => parseUsdc(decimal) ?? -1n;
