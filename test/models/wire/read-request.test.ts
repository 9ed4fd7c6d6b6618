// A request: the fields that pass, its bound, and the body that leaves.
import { describe, expect, it } from 'vitest';
import {
  outputOf,
  readModelRequest,
  toSend,
  type ModelRequest,
} from '../../../server/engine/models/wire/read-request.ts';
import type { Wire } from '../../../server/engine/models/wire/wires.ts';
import { AppError } from '../../../server/errors.ts';
import { chatRequest, embeddingsRequest, messagesRequest, responsesRequest } from './official.ts';

const read = (wire: Wire, body: unknown, ...extraFields: string[]): ModelRequest =>
  readModelRequest(wire, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), () => ({
    extraFields,
  }));

/** The code and the named field of a refusal. */
const refusal = (attempt: () => unknown): string => {
  try {
    attempt();
  } catch (error) {
    if (error instanceof AppError)
      return `${error.code} ${Object.keys(error.details?.['fields'] ?? {}).join()}`;
    throw error;
  }
  return 'passes';
};

const chat = (fields: object, content: unknown = 'Hi'): object => ({
  model: 'm',
  messages: [{ role: 'user', content }],
  ...fields,
});
const claude = (fields: object, content: unknown = 'Hi'): object => ({
  max_tokens: 9_000,
  ...chat(fields, content),
});
const items = (...input: unknown[]): object => ({ model: 'm', input });
const bounded = (text: string): number => read('openai-chat', chat({}, text)).inputBound;

const bodyWith = (inside: string): string => `{"model":"m","messages":[],${inside}}`;
const withInput = (path: string): number =>
  read('anthropic-messages', claude({}, [{ type: 'tool_use', id: 't', name: 'n', input: { path } }]))
    .inputBound;
const boundOf = (body: object): number => read('anthropic-messages', body).inputBound;
const turn = (text: string, marked = false): object => ({
  role: 'user',
  content: [{ type: 'text', text, ...(marked ? { cache_control: { type: 'ephemeral' } } : {}) }],
});
const parts = (fields: object): ModelRequest['parts'] => read('anthropic-messages', claude(fields)).parts;
const used = (value: string): object => ({
  messages: [{ role: 'assistant', content: [{ type: 'tool_use', input: { cache_control: value } }] }],
});
const sentOf = (wire: Wire, body: object, options: Parameters<typeof toSend>[1]): Record<string, unknown> =>
  JSON.parse(toSend(read(wire, body), options)) as Record<string, unknown>;

const image = (url: string): object => ({ type: 'image_url', image_url: { url } });
const picture = (source: object): object => ({ type: 'image', source });

describe('a body', () => {
  it.each([
    ['a key twice', bodyWith('"max_tokens":10,"max_tokens":100000'), 'max_tokens'],
    ['a key twice in two spellings', bodyWith('"n":1,"\\u006e":9'), 'n'],
    ['a key twice deep down', bodyWith('"tools":[{"a":{"b":1,"b":2}}]'), 'tools.0.a.b'],
    ['a byte order mark', `\uFEFF${bodyWith('"n":1')}`, 'body'],
    ['a byte that is not UTF-8', Buffer.from('{"model":"\xff"}', 'latin1'), 'body'],
    ['half of a surrogate pair', bodyWith('"user":"\\ud83d"'), 'user'],
    ['half of a pair in a key', bodyWith('"\\ud83d":1'), '\ud83d'],
    ['a number beyond 2^53', bodyWith('"seed":9007199254740993'), 'seed'],
    ['an infinite number', bodyWith('"seed":1e999'), 'seed'],
    ['a comment', bodyWith('"n":1 // two'), 'body'],
    ['two values', '{} {}', 'body'],
    ['a list', '[]', 'body'],
    ['65 levels', bodyWith(`"tools":${'['.repeat(65)}${']'.repeat(65)}`), 'body'],
    ['100,000 levels', '['.repeat(100_000), 'body'],
  ])('with %s is refused', (_, text, field) => {
    const attempt = (): unknown =>
      readModelRequest('openai-chat', Buffer.from(text as string), () => ({ extraFields: [] }));
    expect(refusal(attempt)).toBe(`bad_request ${field}`);
  });

  it('may be 32 MiB, and no more', () => {
    const most = 32 * 1024 * 1024;
    const empty = JSON.stringify(chat({}, ''));
    const filled = (bytes: number): string =>
      empty.replace('""', () => `"${'a'.repeat(bytes - empty.length)}"`);
    expect(refusal(() => read('openai-chat', filled(most)))).toBe('passes');
    expect(refusal(() => read('openai-chat', filled(most + 1)))).toBe('too_large body');
  });

  it('with a key __proto__ changes no object', () => {
    const text = '{"model":"m","messages":[{"role":"user","content":"Hi","__proto__":{"file_id":"x"}}]}';
    expect(refusal(() => read('openai-chat', text))).toBe('field_unbounded message.__proto__');
    const inTool = { type: 'function', function: JSON.parse('{"name":"f","__proto__":{"a":1}}') as object };
    expect(toSend(read('openai-chat', chat({ tools: [inTool] })), { maxOutput: null })).toContain(
      '"__proto__":{"a":1}',
    );
  });
});

describe('the official requests', () => {
  it.each([
    ['openai-chat', chatRequest, { images: 2, askedOutput: 4_000, thinkingBudget: 0 }, 5],
    ['openai-responses', responsesRequest, { images: 1, askedOutput: 8_000, thinkingBudget: 0 }, 6],
    ['openai-embeddings', embeddingsRequest, { images: 0, askedOutput: 0, thinkingBudget: 0 }, 0],
    ['anthropic-messages', messagesRequest, { images: 1, askedOutput: 32_000, thinkingBudget: 16_000 }, 4],
  ] as const)('of %s pass whole', (wire, body, expected, prefixes) => {
    const request = read(wire, body);
    expect(request).toMatchObject({
      wire,
      model: body.model,
      streams: 'stream' in body,
      choices: 1,
      ...expected,
    });
    expect(request.parts).toHaveLength(prefixes);
    // Pictures apart, no text of the request is longer than its bound.
    expect(request.inputBound).toBeGreaterThan(1_024);
    expect(request.inputBound).toBeLessThan(1_024 * 3 + JSON.stringify(body).length);
    const {
      service_tier: tier,
      stream_options: options,
      ...sent
    } = JSON.parse(toSend(request, { maxOutput: null })) as {
      service_tier?: string;
      stream_options?: object;
    };
    expect(tier).toBe(
      wire.startsWith('openai-e') ? undefined : wire.startsWith('o') ? 'default' : 'standard_only',
    );
    expect(options).toEqual(wire === 'openai-chat' ? { include_usage: true } : undefined);
    expect(sent).toEqual(body);
  });

  it('say whether the client wants the usage itself', () => {
    const wants = (fields: object): boolean => read('openai-chat', chat(fields)).wantsUsage;
    expect([
      wants({ stream: true }),
      wants({ stream: true, stream_options: { include_usage: true } }),
    ]).toEqual([false, true]);
    expect(read('anthropic-messages', messagesRequest).wantsUsage).toBe(true);
  });
});

describe('what cannot be bounded', () => {
  it.each<[Wire, object, string]>([
    ['openai-chat', { fast_mode: true }, 'fast_mode'],
    ['openai-chat', { web_search_options: {} }, 'web_search_options'],
    ['openai-chat', { prediction: { type: 'content', content: 'a' } }, 'prediction'],
    ['openai-chat', { models: ['a', 'b'] }, 'models'],
    ['openai-chat', { modalities: ['text', 'audio'] }, 'modalities'],
    ['openai-chat', { service_tier: 'priority' }, 'service_tier'],
    ['openai-chat', { tools: [{ type: 'constructor' }] }, 'tools.constructor'],
    ['openai-chat', { messages: [{ role: 'assistant', audio: { id: 'a' } }] }, 'message.audio'],
    ['openai-responses', { service_tier: 'auto' }, 'service_tier'],
    ['openai-responses', { background: true }, 'background'],
    ['openai-responses', { reasoning: { mode: 'pro' } }, 'reasoning.mode'],
    ['openai-responses', { tools: [{ type: 'web_search' }] }, 'tools.web_search'],
    ['openai-responses', { tools: [{ type: 'namespace', tools: [{ type: 'mcp' }] }] }, 'tools.mcp'],
    ['openai-embeddings', { service_tier: 'flex' }, 'service_tier'],
    ['anthropic-messages', { speed: 'fast' }, 'speed'],
    ['anthropic-messages', { inference_geo: 'us' }, 'inference_geo'],
    ['anthropic-messages', { mcp_servers: [] }, 'mcp_servers'],
    ['anthropic-messages', { container: 'c' }, 'container'],
    ['anthropic-messages', { fallbacks: [] }, 'fallbacks'],
    [
      'anthropic-messages',
      { context_management: { edits: [{ type: 'compact_20260112' }] } },
      'context_management.edits',
    ],
    ['anthropic-messages', { cache_control: { type: 'ephemeral', ttl: '1h' } }, 'cache_control.ttl'],
    [
      'anthropic-messages',
      { system: [{ type: 'text', text: 'a', cache_control: { ttl: '1h' } }] },
      'cache_control.ttl',
    ],
    ['anthropic-messages', { tools: [{ name: 'a', cache_control: { ttl: '1h' } }] }, 'cache_control.ttl'],
    ['anthropic-messages', { tools: [{ type: 'web_search_20250305' }] }, 'tools.web_search_20250305'],
  ])('%s refuses %j by its name, unless the owner allowed it', (wire, fields, name) => {
    const body = wire === 'openai-responses' ? { ...items(), ...fields } : claude(fields);
    const given =
      wire === 'openai-embeddings'
        ? { ...embeddingsRequest, ...fields }
        : wire === 'openai-chat'
          ? chat(fields)
          : body;
    expect(refusal(() => read(wire, given))).toBe(`field_unbounded ${name}`);
    expect(refusal(() => read(wire, given, name))).toBe('passes');
  });

  const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } };
  it.each<[string, Wire, object, string]>([
    ['sound', 'openai-chat', { type: 'input_audio', input_audio: {} }, 'type'],
    ['a file', 'openai-chat', { type: 'file', file: { file_id: 'f' } }, 'type'],
    ['a film', 'openai-chat', { type: 'video_url', video_url: {} }, 'type'],
    ['a PDF as a picture', 'openai-chat', image('data:application/pdf;base64,AAAA'), 'image_url'],
    ['a picture in a bucket', 'openai-chat', image('gs://bucket/film'), 'image_url'],
    ['a picture by its id', 'openai-responses', { type: 'input_image', file_id: 'f' }, 'image_url'],
    [
      'an id beside a picture',
      'openai-responses',
      { type: 'input_image', image_url: 'https://a.b', file_id: 'f' },
      'file_id',
    ],
    ['a file of a response', 'openai-responses', { type: 'input_file', file_url: 'https://a.b' }, 'type'],
    ['a PDF', 'anthropic-messages', pdf, 'type'],
    [
      'a PDF within a result',
      'anthropic-messages',
      { type: 'tool_result', content: [pdf] },
      'content.0.type',
    ],
    ['a PDF as base64', 'anthropic-messages', picture(pdf.source), 'source'],
    [
      'a picture of the file store',
      'anthropic-messages',
      picture({ type: 'file', file_id: 'f', url: 'https://a.b' }),
      'source',
    ],
  ])('%s is refused, with its place', (_, wire, part, place) => {
    const list = wire === 'openai-responses' ? 'input' : 'messages';
    const body = list === 'input' ? items({ role: 'user', content: [part] }) : claude({}, [part]);
    const given = Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'max_tokens'));
    expect(refusal(() => read(wire, given))).toBe(`input_unbounded ${list}.0.content.0.${place}`);
  });

  it.each<[string, Wire, object, string]>([
    ['a prompt by its id', 'openai-responses', { ...items(), prompt: { id: 'p' } }, 'input_unbounded prompt'],
    ['a conversation', 'openai-responses', { ...items(), conversation: 'c' }, 'input_unbounded conversation'],
    [
      'reasoning by its id',
      'openai-responses',
      items({ type: 'reasoning', id: 'r' }),
      'input_unbounded input.0.encrypted_content',
    ],
    [
      'an item by its id',
      'openai-responses',
      items({ type: 'item_reference', id: 'x' }),
      'input_unbounded input.0.type',
    ],
    [
      'content that is one part',
      'openai-chat',
      chat({}, { type: 'input_audio' }),
      'bad_request messages.0.content',
    ],
    ['no messages', 'openai-chat', { model: 'm' }, 'bad_request messages'],
    ['no model', 'openai-chat', { messages: [] }, 'bad_request model'],
    ['no whole number', 'openai-chat', chat({ max_tokens: 0.5 }), 'bad_request max_tokens'],
    ['output without an end', 'openai-chat', chat({ max_tokens: -1 }), 'bad_request max_tokens'],
    ['more output than can be held', 'openai-chat', chat({ max_tokens: 2 ** 52 }), 'bad_request max_tokens'],
    ['1,000 choices', 'openai-chat', chat({ n: 1_000 }), 'bad_request n'],
  ])('%s is refused', (_, wire, body, expected) => {
    expect(refusal(() => read(wire, body))).toBe(expected);
    // The owner allows fields, and never input that cannot be counted.
    expect(refusal(() => read(wire, body, 'prompt', 'conversation'))).toBe(expected);
  });

  it('is not what is null', () => {
    expect(
      refusal(() => read('openai-chat', chat({ prediction: null, audio: null, service_tier: null }))),
    ).toBe('passes');
  });
});

describe('the bound of the input', () => {
  it('is the bytes of the text, however the body spells it', () => {
    const empty = bounded('');
    expect(bounded('abc') - empty).toBe(3);
    expect(bounded('中') - empty).toBe(3);
    const spelled = '{"model":"m","messages":[{"role":"user","content":"\\u4e2d"}]}';
    expect(read('openai-chat', spelled).inputBound - empty).toBe(3);
  });

  it('grows where a tokenizer reads another form of the text', () => {
    // One sign of 3 bytes that NFKC makes a phrase of 18 letters.
    expect(bounded('\uFDFA') - bounded('')).toBe(33);
  });

  it('is found at once for a text of accents, which take the square of their number to put in order', () => {
    // This many take an hour to normalize.
    const accents = '\u0301'.repeat(1_000_000) + '\u0316'.repeat(1_000_000);
    expect(bounded(accents) - bounded('')).toBe(11 * 4_000_000);
  });

  it('counts what is printed as JSON by its signs there', () => {
    expect(withInput('\n'.repeat(100)) - withInput('')).toBe(200);
    expect(withInput('中'.repeat(100)) - withInput('')).toBe(600);
  });

  it('adds 16 tokens a message, 64 a tool, 1,024 a tool of the supplier, and 1,024', () => {
    const message = { role: 'user', content: '' };
    const one = boundOf(claude({ messages: [message] }));
    expect(one).toBeGreaterThanOrEqual(1_024 + 16);
    expect(boundOf(claude({ messages: [message, message] })) - one).toBeGreaterThanOrEqual(16);
    expect(boundOf(claude({ messages: [message], tools: [{ name: 'a' }] })) - one).toBeGreaterThanOrEqual(64);
    expect(boundOf(claude({ tools: Array.from({ length: 150_000 }, () => ({})) }))).toBeGreaterThan(
      64 * 150_000,
    );
    const bash = { type: 'bash_20250124', name: 'bash' };
    expect(boundOf(claude({ messages: [message], tools: [bash] })) - one).toBeGreaterThanOrEqual(1_024);
  });

  it('prints a tool once more for each reference to it', () => {
    const tools = [{ name: 'a', description: 'x'.repeat(5_000) }];
    const references = (many: number): number =>
      read(
        'anthropic-messages',
        claude({ tools }, [
          {
            type: 'tool_result',
            content: Array.from({ length: many }, () => ({ type: 'tool_reference', tool_name: 'a' })),
          },
        ]),
      ).inputBound;
    expect(references(11) - references(1)).toBeGreaterThan(50_000);
  });

  it('leaves pictures out, and counts them', () => {
    const [small, large] = ['A', 'A'.repeat(100_000)].map((data) =>
      read(
        'openai-chat',
        chat({}, [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }]),
      ),
    );
    expect(large).toMatchObject({ images: 1, inputBound: small?.inputBound });
  });

  it.each([
    ['a text', 'abcd', 1_024 + 6 + 16],
    ['texts', ['abcd', 'ab'], 1_024 + 6 + 4 + 32],
    ['tokens', [1, 2, 3], 1_024 + 3 + 16],
    ['lists of tokens', [[1, 2, 3], [4]], 1_024 + 4 + 32],
  ])('of an embedding of %s is its length', (_, input, expected) => {
    expect(read('openai-embeddings', { model: 'm', input }).inputBound).toBe(expected);
  });
});

describe('the measured beginning', () => {
  const first = parts({ messages: [turn('one'), turn('two', true)] });

  it('is the same in the next turn, though the marks of the cache have moved', () => {
    const next = parts({
      messages: [turn('one'), turn('two'), turn('three', true)],
      max_tokens: 5,
      metadata: { user_id: 'b' },
    });
    expect(next.slice(0, 3).map(({ digest }) => digest)).toEqual(first.map(({ digest }) => digest));
    expect(next.at(-1)).toMatchObject({ rest: 0, images: 0 });
    // The new message alone.
    expect(next[2]?.rest).toBeLessThan(100);
    const all = read(
      'anthropic-messages',
      claude({ messages: [turn('one'), turn('two'), turn('three')] }),
    ).inputBound;
    expect(next[0]?.rest).toBeLessThan(all - 1_024);
  });

  it.each<[string, object]>([
    ['the system prompt', { system: 'Be kind.', messages: [turn('one'), turn('two')] }],
    ['a tool', { tools: [{ name: 'a' }], messages: [turn('one'), turn('two')] }],
    ['the thinking', { thinking: { type: 'adaptive' }, messages: [turn('one'), turn('two')] }],
    ['the first message', { messages: [turn('other'), turn('two')] }],
    [
      'a tool’s input that looks like a mark of the cache',
      {
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', input: { cache_control: 'x' } }] },
          turn('two'),
        ],
      },
    ],
  ])('differs with %s', (_, fields) => {
    expect(first.map(({ digest }) => digest)).not.toContain(parts(fields).at(-1)?.digest);
  });

  it('tells two inputs of a tool apart that differ in a key named like a mark of the cache', () => {
    expect(parts(used('a')).at(-1)?.digest).not.toBe(parts(used('b')).at(-1)?.digest);
  });

  it('is none where the supplier may leave out the middle', () => {
    expect(read('openai-responses', { ...items(), truncation: 'auto' }).parts).toEqual([]);
  });

  it('comes after the response that is continued', () => {
    expect(read('openai-responses', { ...items(), previous_response_id: 'resp_1' }).previousResponseId).toBe(
      'resp_1',
    );
  });
});

describe('the limit of the output', () => {
  it.each<[string, Wire, object, number | null, object]>([
    ['is the client’s', 'openai-chat', chat({ max_tokens: 50 }), 100, { max_tokens: 50 }],
    [
      'is the owner’s where that is lower',
      'openai-chat',
      chat({ max_tokens: 500 }),
      100,
      { max_tokens: 100 },
    ],
    ['is set where it is absent', 'openai-chat', chat({}), 100, { max_completion_tokens: 100 }],
    [
      'is one of two',
      'openai-chat',
      chat({ max_tokens: 9, max_completion_tokens: 50 }),
      null,
      { max_completion_tokens: 50, max_tokens: undefined },
    ],
    ['has the name of responses', 'openai-responses', items(), 100, { max_output_tokens: 100 }],
    ['has the name of messages', 'anthropic-messages', claude({}), 100, { max_tokens: 100 }],
    [
      'may be nothing at Anthropic’s',
      'anthropic-messages',
      claude({ max_tokens: 0 }),
      100,
      { max_tokens: 0 },
    ],
    ['is none for embeddings', 'openai-embeddings', embeddingsRequest, 100, { max_tokens: undefined }],
    ['stays absent without an owner’s', 'openai-chat', chat({}), null, { max_completion_tokens: undefined }],
  ])('%s', (_, wire, body, ...[maxOutput, expected]) => {
    const leaves = sentOf(wire, body, { maxOutput });
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, leaves[name]]))).toEqual(expected);
  });

  it('takes the supplier’s names of field and model', () => {
    const options = { maxOutput: 100, outputField: 'max_tokens', model: 'b/c' } as const;
    const leaves = sentOf('openai-chat', chat({ model: 'a/b/c', max_completion_tokens: 200 }), options);
    expect(leaves).toMatchObject({ model: 'b/c', max_tokens: 100 });
    expect(leaves).not.toHaveProperty('max_completion_tokens');
  });

  it('is never below the thinking budget and 1,024', () => {
    const thinking = read(
      'anthropic-messages',
      claude({ thinking: { type: 'enabled', budget_tokens: 4_000 } }),
    );
    expect(outputOf(thinking, 5_024)).toBe(5_024);
    expect(refusal(() => outputOf(thinking, 5_023))).toBe('bad_request thinking.budget_tokens');
    expect(refusal(() => toSend(thinking, { maxOutput: 5_023 }))).toBe('bad_request thinking.budget_tokens');
  });

  it('counts for each choice', () => {
    expect(read('openai-chat', chat({ n: 3 })).choices).toBe(3);
  });
});
