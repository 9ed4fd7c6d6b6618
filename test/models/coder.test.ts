// A program that codes: an agent's loop with tools by OpenAI's official SDK, each turn with the whole conversation so far. The
// same supplier answers it directly and through the treasury. In full, 200 turns.
import { createHash } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { installPeer, peerFile } from '../harness/programs/peers.ts';
import { tries } from '../harness/tries.ts';
import { asOwner, treasury } from '../http/api-treasury.ts';
import { agent, key, price, requests, spent, supplier, units, useGateway } from './rig.ts';
import { done, json, stream, usageChunk, usageOf, type Question } from './supplier.ts';

interface Call {
  id: string;
  function: { name: string; arguments: string };
}
interface Said {
  role: string;
  content: string | null;
  tool_calls?: Call[];
  tool_call_id?: string;
}
/** What the SDK gives to the loop; it runs the tools, and asks again until there are none to run. */
interface Sdk {
  chat: {
    completions: {
      create(body: object): Promise<{ choices: { message: Said }[] }>;
      stream(body: object): { finalMessage(): Promise<Said> };
    };
  };
}

const turns = tries(40, 200);
const maxPerPayment = `0.${tries(1, 4)}`;
useGateway();

/** Deterministic: the answer depends on the messages alone. */
const answerOf = (messages: readonly Said[]): Said => {
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const digest = createHash('sha256').update(JSON.stringify(messages)).digest('hex');
  if (turn === turns) return { role: 'assistant', content: `Done: ${digest} — ✓` };
  const args = JSON.stringify({ path: `src/${digest.slice(0, 8)}.ts`, text: digest.repeat(4) });
  const name = ['read_file', 'write_file', 'run'][turn % 3] ?? '';
  const call = { id: `call_${digest.slice(0, 12)}`, type: 'function', function: { name, arguments: args } };
  return { role: 'assistant', content: turn % 2 === 0 ? null : `Step ${turn} “${name}”`, tool_calls: [call] };
};

const tokensOf = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 4);
const usageFor = (messages: readonly Said[]) => {
  const input = messages.reduce((sum, message) => sum + tokensOf(message), 0);
  return usageOf(input, tokensOf(answerOf(messages)), input - tokensOf(messages.at(-1)));
};

/** In millionths: 3 a token of input, 0.3 of cached, 15 of output. */
const costOf = (body: { messages: Said[] }): bigint => {
  const usage = usageFor(body.messages);
  const { prompt_tokens: input, completion_tokens: output } = usage;
  const cached = usage.prompt_tokens_details.cached_tokens;
  return BigInt(Math.ceil((30 * (input - cached) + 3 * cached + 150 * output) / 10));
};

const behave = ({ body }: Question, response: Parameters<typeof stream>[0]): void => {
  const said = answerOf(body.messages);
  const finish = said.tool_calls === undefined ? 'stop' : 'tool_calls';
  const about = { id: `chatcmpl-${tokensOf(body.messages)}`, created: 1, model: body.model };
  if (body.stream !== true)
    return json(response, 200, {
      ...about,
      object: 'chat.completion',
      choices: [{ index: 0, message: said, finish_reason: finish }],
      usage: usageFor(body.messages),
    });
  const calls = said.tool_calls?.map((call, index) => ({ index, ...call }));
  const piece = (one: object, reason: string | null): string =>
    `data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', choices: [{ index: 0, delta: one, finish_reason: reason }] })}\n\n`;
  stream(response).write(piece({ role: 'assistant', content: said.content }, null));
  if (calls !== undefined) response.write(piece({ tool_calls: calls }, null));
  response.write(piece({}, finish));
  const asks = body.stream_options?.include_usage === true;
  response.end((asks ? usageChunk(usageFor(body.messages)) : '') + done);
};

const withoutOptions = ({ body }: Question): object => ({ ...body, stream_options: undefined });

/** Codes to the end. @returns the conversation, and the bytes of each answer */
const code = async (baseURL: string, apiKey: string) => {
  await installPeer('openai');
  const module = await import(pathToFileURL(await peerFile('openai', 'openai/index.mjs')).href);
  const { default: OpenAI } = module as { default: new (options: object) => Sdk };
  const bytes: string[] = [];
  const openai = new OpenAI({
    baseURL,
    apiKey,
    maxRetries: 0,
    async fetch(url: string, init: RequestInit) {
      const answer = await fetch(url, init);
      bytes.push(`${answer.status} ${answer.headers.get('content-type')}\n${await answer.clone().text()}`);
      return answer;
    },
  });
  const tools = ['read_file', 'write_file', 'run'].map((name) => ({
    type: 'function',
    function: { name, description: 'Of this program.', parameters: { type: 'object', properties: {} } },
  }));
  const messages: Said[] = [
    { role: 'system', content: 'You write code.' },
    { role: 'user', content: 'Write it.' },
  ];
  for (;;) {
    const asked = { model: 'gpt-4o-coder', max_tokens: 1_000, messages, tools };
    const { completions } = openai.chat;
    const said =
      messages.length % 4 === 0
        ? (await completions.create(asked)).choices[0]?.message
        : await completions.stream(asked).finalMessage();
    if (said === undefined) throw new Error('no answer came');
    messages.push(said);
    if (said.tool_calls === undefined) return { messages, bytes };
    for (const { id, function: call } of said.tool_calls) {
      messages.push({
        role: 'tool',
        content: `${call.name}: ok\n${call.arguments.toUpperCase()}`,
        tool_call_id: id,
      });
    }
  }
};

it(`a coding program of ${turns} turns gets the same bytes through the treasury, and costs what its supplier counted`, async () => {
  await price('gpt-4o-coder', '3', '15', { cachedInputPerMillion: '0.3' });
  supplier.answer = behave;
  const direct = await code(supplier.url, key);
  const sent = supplier.asked.splice(0).map(({ body }) => body);
  // The last turns fit by the tokens that were measured before, and not by their bytes.
  await asOwner(`agents/${agent.agentId}/policy`, { dailyBudget: '100', maxPerPayment });
  const base = `${treasury.host.url}/v1/agents/${agent.agentId}/llm/openai/v1`;
  const ours = await code(base, agent.key);
  expect(ours.bytes).toEqual(direct.bytes);
  expect(ours.messages).toEqual(direct.messages);
  expect(ours.messages.filter(({ role }) => role === 'assistant')).toHaveLength(turns + 1);
  // The treasury asks for the usage of a stream, and takes it out again: nothing else of a request differs.
  expect(supplier.asked.map(withoutOptions)).toEqual(sent);
  const costs = sent.map(costOf);
  expect(requests().map(({ mark }) => mark)).toEqual(costs.map(() => 'exact'));
  expect(requests().map(({ amount }) => amount)).toEqual(costs.toReversed());
  expect(spent()).toBe(costs.reduce((sum, one) => sum + one, 0n));
  const bytes = JSON.stringify(sent.at(-1)).length;
  expect(BigInt(3 * bytes)).toBeGreaterThan(units(maxPerPayment));
});
