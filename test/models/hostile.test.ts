// A hostile agent with a slice of a budget tries everything around language models: random requests to the gateway, and random
// calls of all other routes. Its supplier is no friend either: it repeats the owner's key, and redirects.
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDice } from '../harness/dice.ts';
import { tries } from '../harness/tries.ts';
import { asOwner, client, treasury } from '../http/api-treasury.ts';
import { createAttack, many } from '../http/hostile/hostile-calls.ts';
import { allowDelegation, delegate } from '../http/limits/slices.ts';
import { agent, key, spentAt, supplier, supplierId, units, useGateway } from './rig.ts';
import { chat, delta, done, json, stream, usageChunk, usageOf, type Supplier } from './supplier.ts';

const calls = tries(200, 10_000);
/** Small enough to come to its end. */
const dailyBudget = String(tries(0.3, 20));
const seed = Number(process.env['HOSTILE_SEED'] ?? tries(20_261_128, Date.now() % 2 ** 31));
const dice = createDice(seed);
const { pick, isLucky } = dice;
const upTo = (most: number): number => Math.floor(dice.roll() * most);
/** Mostly usual, so that what is odd is alone. */
const usually = <T>(usual: readonly [T, ...T[]], others: readonly [T, ...T[]]): T =>
  pick(isLucky(0.85) ? usual : others);
const rarely = (one: object): object => (isLucky(0.03) ? one : {});

useGateway();
let connections = 0;
let trapUrl: string;
const trap = createServer((socket) => {
  connections += 1;
  socket.destroy();
});
beforeAll(async () => {
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
  trapUrl = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
});
afterAll(() => void trap.close());

/** What the supplier bills, in millionths: 1 a token of input, and 10 of output. */
let billed = 0;
const behave: Supplier['answer'] = async ({ body }, response) => {
  // As a tokenizer: always the same for the same.
  const input = JSON.stringify(body.messages ?? body.input).length;
  const output = upTo((body.max_tokens ?? body.max_output_tokens ?? 0) * (body.n ?? 1) + 1);
  const manner = pick([
    'answers',
    'answers',
    'refuses',
    'repeats',
    'redirects',
    'cuts',
    'fails',
    'in a header',
  ]);
  if (manner === 'refuses') return json(response, 429, { error: { message: `slow down, ${key}` } });
  billed += input + 10 * output;
  if (manner === 'redirects') return void response.writeHead(307, { location: trapUrl }).end();
  if (manner === 'fails') return void response.writeHead(502).end(`Bad gateway ${key}`);
  if (manner === 'in a header') response.setHeader('x-request-id', `r ${key}`);
  const text = manner === 'repeats' ? `My key is ${key}.` : 'x'.repeat(output);
  if (body.stream !== true) return json(response, 200, chat(text, usageOf(input, output)));
  const half = delta(text).indexOf(key) + 9;
  stream(response).write(delta(text).slice(0, half));
  await new Promise(setImmediate);
  if (manner === 'cuts') return void response.destroy();
  response.end(delta(text).slice(half) + usageChunk(usageOf(input, output)) + done);
};

const odd = () => pick([0, -1, 1e9, 1.5, '9', null, [], {}, trapUrl]);
const strangeFields =
  `base_url api_base api_key service_tier prediction models user __proto__ model max_tokens messages
  stream n`.split(/\s+/) as [string, ...string[]];

const bodyFor = (path: string): object => {
  const text = [{ type: path.endsWith('responses') ? 'input_text' : 'text', text: 'Hi' }];
  const picture = [{ type: 'image_url', image_url: { url: `${trapUrl}/x.png` } }];
  const content = usually<unknown>(
    ['Hello', 'é'.repeat(upTo(500)), text],
    [picture, [{ type: 'file', file: { file_id: 'f' } }], odd()],
  );
  const most = pick([1 + upTo(100), 1 + upTo(2_000), 1 + upTo(2_000), 40_000]);
  const messages = [{ role: 'user', content }];
  const model = usually(['gpt-4o-test', `${supplierId}/gpt-4o-test`], ['gpt-5', '../gpt-4o-test', trapUrl]);
  const streams = { stream: isLucky(0.5) };
  const usual = path.endsWith('embeddings')
    ? { input: 'Hello' }
    : path.endsWith('responses')
      ? { ...streams, input: messages, max_output_tokens: most }
      : { ...streams, messages, max_tokens: most };
  const tool = { type: pick(['function', 'web_search', 'mcp']), server_url: trapUrl };
  const more = [{ n: 1 + upTo(3) }, { [pick(strangeFields)]: odd() }, { tools: [tool] }] as const;
  return { model, ...usual, ...usually<object>([{}], more) };
};

/** Everything that it reads of an answer, as text; it may hang up before the end. */
const askGateway = async (apiKey: string): Promise<string> => {
  const path = usually(
    [
      'openai/v1/chat/completions',
      'openai/v1/chat/completions',
      'openai/v1/responses',
      'openai/v1/embeddings',
    ],
    ['openai/v1/batches', 'openai/v1/..%2fetc', 'openai//v1/models', 'anthropic/v1/messages/count_tokens'],
  );
  const place = `${usually([agent.agentId], ['payer', '..'])}/${usually(['llm'], [`proxy/${trapUrl}`])}/${path}`;
  const token = usually([apiKey], [`sk-${apiKey}`, agent.agentId, '']);
  const hangUp = new AbortController();
  const text = JSON.stringify(bodyFor(path));
  let read = '';
  try {
    const answer = await fetch(`${treasury.host.url}/v1/agents/${place}`, {
      method: 'POST',
      signal: hangUp.signal,
      headers: {
        ...(isLucky(0.5)
          ? { authorization: `Bearer ${token}` }
          : { [pick(['x-api-key', 'api-key'])]: token }),
        'content-type': 'application/json',
        ...rarely({ 'content-type': 'text/plain' }),
        ...rarely({ 'x-forwarded-host': trapUrl }),
        ...rarely({ 'content-encoding': 'gzip' }),
      },
      body: isLucky(0.03) ? `{"max_tokens":1,${text.slice(1)}` : text,
    });
    read = `${answer.status} ${JSON.stringify([...answer.headers])}`;
    for await (const piece of answer.body ?? []) {
      read += Buffer.from(piece).toString();
      if (isLucky(0.05)) hangUp.abort();
    }
  } catch {
    // It hung up, or was cut off.
  }
  return read;
};

it(`a hostile key learns no key, reaches no other place, and spends within its slice in ${calls} calls (HOSTILE_SEED=${seed})`, async ({
  annotate,
}) => {
  supplier.answer = behave;
  await asOwner(`agents/${agent.agentId}/policy`, { dailyBudget: '100' });
  await allowDelegation(client, agent.agentId);
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const slice = await delegate(agent.client, agent.agentId, { label: 'a slice', expiresAt, dailyBudget });
  const attack = createAttack({
    dice,
    client: slice.client,
    keys: [slice.key],
    mayCall: ['public', 'key'],
    aims: [
      'setModelSupplier',
      'addModelSupplier',
      'setLanguageModel',
      'listModelSuppliers',
      'removeModelSupplier',
    ],
    aiming: 0.3,
    owner: treasury.owner,
    known: {
      agentId: [agent.agentId],
      supplierId: [supplierId],
      modelId: ['gpt-4o-test'],
      baseUrl: [trapUrl, supplier.url],
      url: [trapUrl, supplier.url],
      service: [`llm:${supplierId}`],
    },
    secrets: [key],
    waiting: () => 0,
    mostWaiting: 0,
  });
  const { store } = treasury.host.engine.context;
  const untouchable = () => [
    store.modelSuppliers.list(),
    store.languageModels.list(),
    store.policies.get(agent.agentId),
  ];
  const before = untouchable();
  const answers: string[] = [];
  await many(calls, 8, async () => {
    if (isLucky(0.2)) await attack.askHttp();
    else answers.push(await askGateway(slice.key));
  });

  const secrets = [key.slice(3), Buffer.from(key).toString('base64').slice(0, -4)];
  expect(answers.filter((text) => secrets.some((secret) => text.includes(secret)))).toEqual([]);
  expect(attack.faults).toEqual([]);
  expect(connections).toBe(0);
  const allowed = ['chat/completions', 'responses', 'embeddings'].map((path) => `/v1/${path} Bearer ${key}`);
  const seen = supplier.asked.map(({ path, headers }) => `${path} ${headers.authorization}`);
  expect(new Set(seen)).toEqual(new Set(allowed));
  expect(untouchable()).toEqual(before);
  expect(store.modelRequests.held()).toEqual([]);
  const counted = spentAt(`key1:${slice.keyId}`);
  await annotate(`${seen.length} requests reached the supplier; ${billed} billed, ${counted} counted`);
  // It did spend: an attack that fails by its own error proves nothing.
  expect(seen.length).toBeGreaterThan(tries(20, 100));
  expect(counted).toBeGreaterThan(units('0.02'));
  expect(BigInt(billed)).toBeLessThanOrEqual(counted);
  expect(counted).toBeLessThanOrEqual(units(dailyBudget));
});
