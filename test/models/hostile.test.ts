// A hostile agent with a slice of a budget tries everything around language models: random calls over the routes of the
// gateway, the proxy, and the owner's routes. Its suppliers are no friends either: they repeat the key, and redirect.
import { request as httpRequest } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDice } from '../harness/dice.ts';
import { tries } from '../harness/tries.ts';
import { asOwner, client, treasury } from '../http/api-treasury.ts';
import { many } from '../http/hostile/hostile-calls.ts';
import { allowDelegation, delegate, type Slice } from '../http/limits/slices.ts';
import { agent, key, spentAt, supplier, supplierId, units, useGateway } from './rig.ts';
import { chat, delta, done, json, stream, usageChunk, usageOf, type Question } from './supplier.ts';

const calls = tries(200, 10_000);
const seed = Number(process.env['HOSTILE_SEED'] ?? tries(20_261_128, Date.now() % 2 ** 31));
const { pick, roll, isLucky } = createDice(seed);
const upTo = (most: number): number => Math.floor(roll() * most);
const rarely = (one: object): object => (isLucky(0.03) ? one : {});
const budget = units('0.3');

useGateway();
let connections = 0;
const trap = createServer((socket) => {
  connections += 1;
  socket.destroy();
});
let trapUrl: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
  trapUrl = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
});
afterAll(() => void trap.close());

/** What the supplier bills, in millionths: 1 a token of input, and 10 of output. */
let billed = 0;
const behave = async ({ body }: Question, response: Parameters<typeof stream>[0]): Promise<void> => {
  const input = 1 + upTo(JSON.stringify(body.messages ?? body.input ?? body.system ?? '').length);
  const most = (body.max_tokens ?? body.max_completion_tokens ?? body.max_output_tokens ?? 0) * (body.n ?? 1);
  const output = upTo(most + 1);
  const manner = pick([
    'whole',
    'whole',
    'refuses',
    'repeats the key',
    'redirects',
    'cuts',
    'fails',
    'header',
  ]);
  if (manner === 'refuses') return json(response, 429, { error: { message: `slow down, ${key}` } });
  billed += input + 10 * output;
  if (manner === 'redirects') return void response.writeHead(307, { location: trapUrl }).end();
  if (manner === 'fails') return void response.writeHead(502).end(`Bad gateway ${key}`);
  if (manner === 'header') response.setHeader('x-request-id', `r ${key}`);
  const text = manner === 'repeats the key' ? `My key is ${key}.` : 'x'.repeat(output);
  if (body.stream !== true) return json(response, 200, chat(text, usageOf(input, output)));
  const half = delta(text).indexOf(key) + 9;
  stream(response).write(delta(text).slice(0, half));
  await new Promise(setImmediate);
  if (manner === 'cuts') return void response.destroy();
  response.end(delta(text).slice(half) + usageChunk(usageOf(input, output)) + done);
};

const odd = () => pick([0, -1, 1e9, 1.5, '9', null, [], {}, trapUrl]);
/** Mostly usual, so that what is odd is alone. */
const usually = <T>(usual: readonly [T, ...T[]], others: readonly [T, ...T[]]): T =>
  isLucky(0.85) ? pick(usual) : pick(others);
const strangeFields =
  `base_url api_base api_key service_tier prediction models user __proto__ model max_tokens messages
  stream n`.split(/\s+/) as [string, ...string[]];

const bodyFor = (path: string): object => {
  const content = usually<unknown>(
    [
      'Hello',
      'é'.repeat(upTo(500)),
      [{ type: path.endsWith('responses') ? 'input_text' : 'text', text: 'Hi' }],
    ],
    [
      [{ type: 'image_url', image_url: { url: `${trapUrl}/x.png` } }],
      [{ type: 'file', file: { file_id: 'f' } }],
      odd(),
    ],
  );
  const most = pick([1 + upTo(100), 1 + upTo(2_000), 1 + upTo(2_000), 40_000]);
  const messages = [{ role: 'user', content }];
  const model = usually(['gpt-4o-test', 'local/gpt-4o-test'], ['gpt-5', 'o1', '../gpt-4o-test', trapUrl]);
  const streams = { stream: isLucky(0.5) };
  const usual = path.endsWith('embeddings')
    ? { model, input: 'Hello' }
    : path.endsWith('responses')
      ? { model, ...streams, input: messages, max_output_tokens: most }
      : { model, ...streams, messages, max_tokens: most };
  const more = usually<object>(
    [{}, {}, { temperature: 1 }],
    [
      { n: 1 + upTo(3) },
      { [pick(strangeFields)]: odd() },
      { [pick(strangeFields)]: odd() },
      { tools: [{ type: pick(['function', 'web_search', 'mcp']), server_url: trapUrl }] },
      { previous_response_id: 'r', background: true, max_completion_tokens: upTo(3_000) },
    ],
  );
  return { ...usual, ...more };
};

interface Ask {
  method?: string;
  path: string;
  sent?: unknown;
}
const ofGateway = (): Ask => {
  const path = usually(
    [
      'openai/v1/chat/completions',
      'openai/v1/chat/completions',
      'openai/v1/responses',
      'openai/v1/embeddings',
    ],
    [
      'openai/v1/batches',
      'openai/v1/models',
      'openai/v1/../../../../../etc',
      'openai/v1/chat%2fcompletions',
      'openai//v1/chat/completions',
      'anthropic/v1/messages',
      'anthropic/v1/messages/count_tokens',
    ],
  );
  const named = usually([agent.agentId], ['payer', '..']);
  return {
    method: usually(['POST'], ['GET', 'DELETE', 'PUT']),
    path: `/v1/agents/${named}/llm/${path}`,
    sent: bodyFor(path),
  };
};
const ofNeighbours = (): Ask => {
  const place = pick([supplier.url, trapUrl]);
  const own = `/v1/agents/${agent.agentId}`;
  return pick<Ask>([
    { path: `${own}/proxy/${place.replace('://', '/')}/chat/completions`, sent: bodyFor('') },
    { path: `${own}/fetch`, sent: { url: `${place}/chat/completions`, method: 'POST', body: '{}' } },
    { path: `${own}/pay`, sent: { service: `llm:${supplierId}`, amount: '0.01', currency: 'USDC' } },
    { path: `${own}/policy`, sent: { dailyBudget: '100', allowedModels: ['*'] } },
    {
      path: `/v1/model-suppliers`,
      sent: { kind: 'openai-compatible', name: 'x', baseUrl: trapUrl, allowPrivate: true },
    },
    {
      path: `/v1/model-suppliers/${supplierId}`,
      sent: pick<object>([{ baseUrl: trapUrl }, { enabled: true }, { apiKey: null }]),
    },
    { method: 'DELETE', path: `/v1/model-suppliers/${supplierId}` },
    {
      path: '/v1/language-models',
      sent: { supplierId, modelId: 'gpt-4o-test', inputPerMillion: '0', outputPerMillion: '0' },
    },
    {
      method: 'GET',
      path: pick(['/v1/model-suppliers', '/v1/language-models', '/v1/model-usage', '/v1/dashboard']),
    },
    { method: 'GET', path: `${own}/${pick(['model-usage', 'spend-history', 'allowance'])}` },
  ]);
};

/** Everything that it reads of an answer, as text; it may hang up before the end. */
const call = async (slice: Slice): Promise<string> => {
  const { method = 'POST', path: place, sent } = isLucky(0.8) ? ofGateway() : ofNeighbours();
  const credential = isLucky(0.9) ? slice.key : pick([`sk-${slice.key}`, agent.agentId, '']);
  const text = JSON.stringify(sent ?? {});
  return new Promise((resolve) => {
    const asked = httpRequest(treasury.host.url, {
      method,
      path: place.includes('/llm/') ? place : `${place}?owner=${treasury.owner}`,
      headers: {
        ...(isLucky(0.5)
          ? { authorization: `Bearer ${credential}` }
          : { [pick(['x-api-key', 'api-key', 'x-goog-api-key'])]: credential }),
        'content-type': 'application/json',
        ...rarely({ 'content-type': 'text/plain' }),
        ...rarely({ host: new URL(trapUrl).host }),
        ...rarely({ 'x-forwarded-host': trapUrl }),
        ...rarely({ 'anthropic-beta': 'fast-mode' }),
        ...rarely({ 'content-encoding': 'gzip' }),
      },
    });
    let read = '';
    const end = (): void => resolve(read);
    asked.on('error', end).on('close', end);
    asked.on('response', (answer) => {
      read += `${answer.statusCode} ${answer.rawHeaders.join()} `;
      answer.setEncoding('utf8').on('data', (piece: string) => {
        read += piece;
        if (isLucky(0.1)) asked.destroy();
      });
      answer.on('end', end).on('error', end);
    });
    if (method !== 'POST') asked.end();
    else asked.end(isLucky(0.03) ? `{"max_tokens":1,${text.slice(1)}` : text);
  });
};

it(`a hostile key learns no key, reaches no other place, and spends within its slice in ${calls} calls (HOSTILE_SEED=${seed})`, async ({
  annotate,
}) => {
  supplier.answer = behave;
  await asOwner(`agents/${agent.agentId}/policy`, { dailyBudget: '100' });
  await allowDelegation(client, agent.agentId);
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const slice = await delegate(agent.client, agent.agentId, {
    label: 'a slice',
    expiresAt,
    dailyBudget: '0.3',
  });
  const { store } = treasury.host.engine.context;
  const untouchable = () => [
    store.modelSuppliers.list(),
    store.languageModels.list(),
    store.policies.get(agent.agentId),
  ];
  const before = untouchable();
  const answers: string[] = [];
  await many(calls, 8, async () => void answers.push(await call(slice)));

  const secrets = [key, Buffer.from(key).toString('base64').slice(0, -4), key.slice(3)];
  expect(answers.filter((text) => secrets.some((secret) => text.includes(secret)))).toEqual([]);
  expect(connections).toBe(0);
  expect(new Set(supplier.asked.map(({ path }) => path))).toEqual(
    new Set(['/v1/chat/completions', '/v1/responses', '/v1/embeddings']),
  );
  expect(new Set(supplier.asked.map(({ headers }) => headers.authorization))).toEqual(
    new Set([`Bearer ${key}`]),
  );
  expect(untouchable()).toEqual(before);
  expect(store.modelRequests.held()).toEqual([]);
  const counted = spentAt(`key1:${slice.keyId}`);
  await annotate(
    `${supplier.asked.length} requests reached the supplier; ${billed} billed, ${counted} counted`,
  );
  // It did spend: an attack that fails by its own error proves nothing.
  expect(supplier.asked.length).toBeGreaterThan(tries(20, 100));
  expect(counted).toBeGreaterThan(budget / 20n);
  expect(BigInt(billed)).toBeLessThanOrEqual(counted);
  expect(counted).toBeLessThanOrEqual(budget);
});
