// Streams and whole answers of each wire: what is passed on, and what is learnt from them.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStreamReader, type StreamFacts } from '../../../server/engine/models/wire/stream-reader.ts';
import { largerUsage, readAnswer, usageOf } from '../../../server/engine/models/wire/usage.ts';
import type { Wire } from '../../../server/engine/models/wire/wires.ts';
import {
  chatChunk,
  chatUsageChunk,
  messageDelta,
  messageEvents,
  messageStart,
  reported,
  responsesEvents,
  responsesUsage,
} from './official.ts';

const done = 'data: [DONE]\n\n';
const sse = (...events: object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const named = (...events: { type: string }[]): string =>
  events.map((event) => `event: ${event.type}\n${sse(event)}`).join('');
const streams: Record<string, string> = {
  'openai-chat': `: comment\n\n${sse(chatChunk, chatUsageChunk)}${done}`,
  'openai-responses': named(...responsesEvents),
  'anthropic-messages': named(...messageEvents),
};

const usageChunk = (prompt: number, completion: number): object => ({
  ...chatChunk,
  usage: { prompt_tokens: prompt, completion_tokens: completion },
});
const chat = (usage: object): unknown => usageOf('openai-chat', usage, true);
const answer = (wire: Wire, body: unknown): ReturnType<typeof readAnswer> =>
  readAnswer(wire, Buffer.from(JSON.stringify(body)));

interface Passed {
  bytes: string;
  facts: StreamFacts;
}

/** Cuts the bytes of a stream at these places. */
const pass = (wire: Wire, stream: string | Buffer, cuts: readonly number[] = [], hides = false): Passed => {
  const bytes = Buffer.from(stream as string);
  const reader = createStreamReader(wire, hides);
  const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.byteLength];
  const passed = places.slice(1).map((end, at) => reader.read(bytes.subarray(places[at], end)));
  return { bytes: Buffer.concat([...passed, reader.end()]).toString(), facts: reader.facts() };
};

describe.each(Object.entries(streams))('a stream of %s', (name, stream) => {
  const wire = name as Wire;
  const { facts } = pass(wire, stream);

  it('tells its usage, output, model and end', () => {
    expect(facts).toMatchObject({ usage: reported, outputBytes: 4, failed: false, began: true, whole: true });
    expect(facts.model).toMatch(/^(gpt|claude)-/);
    expect(facts.id).toMatch(/_?1$/);
  });

  it('cut at any byte into chunks passes whole, and tells the same', () => {
    const length = Buffer.byteLength(stream);
    for (let at = 0; at <= length; at += 1)
      expect(pass(wire, stream, [at])).toEqual({ bytes: stream, facts });
    expect(pass(wire, stream, [...Array(length).keys()])).toEqual({ bytes: stream, facts });
  });

  it('that ends at any byte passes what came, and is whole only at its end', () => {
    const bytes = Buffer.from(stream);
    const last = bytes.byteLength - (stream.endsWith(done) ? '\n\n'.length : '}\n\n'.length);
    for (let at = 0; at < bytes.byteLength; at += 1) {
      const cut = pass(wire, bytes.subarray(0, at));
      expect(cut.bytes).toBe(bytes.subarray(0, at).toString());
      if (cut.facts.whole) expect(at).toBeGreaterThanOrEqual(last);
    }
  });

  it('with lines that end with CR or CRLF tells the same', () => {
    for (const end of ['\r', '\r\n']) expect(pass(wire, stream.replaceAll('\n', end)).facts).toEqual(facts);
  });

  it.each(['\n', '\r\n'])('holds back no event that is whole, with lines that end with %j', (end) => {
    const reader = createStreamReader(wire, true);
    const first = (stream.split(/(?<=\n\n)/)[0] ?? '').replaceAll('\n', end);
    expect(Buffer.from(reader.read(Buffer.from(first))).toString()).toBe(first);
    expect(Buffer.from(reader.read(Buffer.from('data: {'))).toString()).toBe('');
  });
});

it('a stream whose events differ in their text alone tells what it does with others between them, however it is cut', () => {
  const shapes: Record<string, (text: string) => object> = {
    chat: (content) => ({ ...chatChunk, choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
    counted: (content) => ({ ...usageChunk(9, 5), choices: [{ delta: { content } }] }),
    failed: (content) => ({ choices: [{ delta: { content } }], error: { message: 'No' } }),
    two: (content) => ({
      model: 'another',
      choices: [{ delta: { content, reasoning: content } }, { delta: { [content]: 'x' } }],
    }),
    message: (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    named: (text) => ({ choices: [{ delta: { content: '#' } }], [text]: 1 }),
    twice: (note) => ({ note, choices: [{ delta: { content: 'delta' } }] }),
    response: (delta) => ({ type: 'response.output_text.delta', delta, sequence_number: 1 }),
  };
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.constantFrom(
      '',
      'x',
      'delta',
      'content',
      '\\',
      '"',
      'a"b',
      '\n\n',
      '\u0000',
      '"},"usage":{"prompt_tokens":7},"x":"',
    ),
  );
  const run = fc.record({
    shape: fc.constantFrom(...Object.keys(shapes)),
    texts: fc.array(text, { minLength: 1, maxLength: 5 }),
    // Raw: as no JSON has it.
    raw: fc.constantFrom(false, false, false, true),
    end: fc.constantFrom('\n', '\n', '\r\n', '\r'),
  });
  const wires = fc.constantFrom<Wire>('openai-chat', 'openai-responses', 'anthropic-messages');
  fc.assert(
    fc.property(wires, fc.array(run, { maxLength: 4 }), fc.array(fc.nat(2_000)), (wire, runs, cuts) => {
      const events = runs.flatMap(({ shape, texts, raw, end }) =>
        texts.map((one) => {
          const event = sse(shapes[shape]?.(raw ? '@' : one) ?? {});
          return event.replace('"@"', `"${one}"`).replace('#', '\\u0078').replaceAll('\n', end);
        }),
      );
      const stream = events.join('');
      const places = cuts.filter((at) => at <= Buffer.byteLength(stream));
      const { bytes, facts } = pass(wire, stream, places);
      expect(bytes).toBe(stream);
      expect(facts).toEqual(pass(wire, events.join(sse({ type: 'ping' }))).facts);
    }),
    { seed: 6, numRuns: 1_000 },
  );
});

it('an error is seen after an event whose escaped text stands plainly as its type', () => {
  const [ping, error, end] = ['ping', 'error', 'message_stop'].map(
    (type) => `data: {"delta":{"text":"\\u0070ing"},"type":"${type}"}\n\n`,
  );
  expect(pass('anthropic-messages', `${ping}${error}`).facts.failed).toBe(true);
  expect(pass('anthropic-messages', `${ping}${end}`).facts.whole).toBe(true);
});

describe('OpenAI’s chunk of usage', () => {
  it('is taken out where the client did not ask for it, however the stream is cut', () => {
    const ends = fc.constantFrom('\n', '\r\n', '\r');
    const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 8 }), { maxLength: 4 });
    const places = fc.array(fc.nat(2_000), { maxLength: 12 });
    fc.assert(
      fc.property(ends, texts, places, fc.boolean(), (end, contents, cuts, hides) => {
        const lines = (text: string): string => text.replaceAll('\n', end);
        const chunks = contents.map((content) => ({
          ...chatChunk,
          choices: [{ index: 0, delta: { content } }],
        }));
        const before = lines(`: ping\n\n${sse(...chunks)}`);
        const usage = lines(sse(chatUsageChunk));
        const after = lines(done);
        const stream = before + usage + after;
        const length = Buffer.byteLength(stream);
        const inside = cuts.filter((at) => at <= length);
        const passed = pass('openai-chat', stream, inside, hides);
        expect(passed.bytes).toBe(hides ? before + after : stream);
        expect(passed.facts).toMatchObject({ usage: reported, whole: true });
      }),
      { seed: 5, numRuns: 500 },
    );
  });

  it('stays where it has a choice, and where an empty list of choices has no usage', () => {
    const late = sse(
      { ...chatChunk, usage: chatUsageChunk.usage },
      { choices: [], prompt_filter_results: [] },
    );
    const { bytes, facts } = pass('openai-chat', late + done, [], true);
    expect(bytes).toBe(late + done);
    expect(facts.usage).toEqual(reported);
  });

  it('counts without the blank line, and is taken out then too', () => {
    const { bytes, facts } = pass('openai-chat', sse(chatChunk) + sse(chatUsageChunk).trimEnd(), [], true);
    expect(bytes).toBe(sse(chatChunk));
    expect(facts).toMatchObject({ usage: reported, whole: false });
  });
});

describe('a stream', () => {
  it('that reports usage twice counts the larger, and never the sum', () => {
    const { facts } = pass('openai-chat', sse(usageChunk(10, 5), usageChunk(10, 9), usageChunk(10, 7)));
    expect(facts.usage).toMatchObject({ input: 10, output: 9, complete: false });
    const cleared = {
      ...messageDelta,
      usage: { ...messageDelta.usage, input_tokens: 20, cache_read_input_tokens: 1_000 },
    };
    expect(pass('anthropic-messages', named(messageStart, cleared)).facts.usage).toMatchObject({
      input: 1_020,
      cachedInput: 1_000,
      cacheWrite: 0,
    });
  });

  it('tells an error inside a 200', () => {
    const error = { message: 'Overloaded', type: 'overloaded_error' };
    const failed = (wire: Wire, event: { type: string }): StreamFacts => pass(wire, named(event)).facts;
    expect(failed('anthropic-messages', { type: 'error', error } as never)).toMatchObject({
      failed: true,
      began: false,
    });
    expect(failed('openai-responses', { type: 'error', message: 'No', code: null } as never)).toMatchObject({
      failed: true,
      began: false,
    });
    expect(failed('openai-responses', { type: 'response.failed', response: {} } as never)).toMatchObject({
      failed: true,
      whole: false,
    });
    expect(pass('openai-chat', sse(chatChunk, { error }) + done).facts).toMatchObject({
      failed: true,
      began: true,
    });
    expect(pass('openai-chat', sse({ ...chatChunk, error: null })).facts.failed).toBe(false);
    expect(pass('anthropic-messages', named({ type: 'ping' })).facts.began).toBe(false);
  });

  it('names the model that answered, also where it is another', () => {
    expect(pass('openai-chat', sse({ ...chatChunk, model: 'small-model' })).facts.model).toBe('small-model');
  });

  it('counts the bytes of reasoning and of tool calls, and those that it cannot read', () => {
    const delta = {
      content: 'ab',
      reasoning_content: 'cd',
      tool_calls: [{ index: 0, id: 'long-id', function: { name: 'f', arguments: '{}' } }],
    };
    expect(pass('openai-chat', sse({ choices: [{ delta }] })).facts.outputBytes).toBe(7);
    expect(pass('openai-chat', 'data: no json\n\n').facts.outputBytes).toBe(7);
  });

  it('that never ends an event is refused above 16 MiB', () => {
    const reader = createStreamReader('openai-chat', false);
    const mebibyte = Buffer.alloc(1024 * 1024, 'a');
    for (let sent = 0; sent < 16; sent += 1) reader.read(mebibyte);
    expect(() => reader.read(Buffer.from('a'))).toThrow(
      expect.objectContaining({ code: 'answer_too_large' }),
    );
  });
});

describe('usage', () => {
  it.each([
    ['of zero', { prompt_tokens: 0, completion_tokens: 0 }, { input: 0, output: 0 }],
    [
      'whose output leaves out the reasoning',
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 115 },
      { output: 105 },
    ],
    ['with a cost', { prompt_tokens: 10, cost: 0.000_001_5 }, { costMicros: 2n }],
    ['with an impossible cost', { prompt_tokens: 10, cost: -1 }, { costMicros: null }],
    ['with impossible counts', { prompt_tokens: -5, completion_tokens: '7' }, { input: 0, output: 7 }],
    [
      'with more cached than there is',
      { prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 99, cache_write_tokens: 4 } },
      { input: 10, cachedInput: 6, cacheWrite: 4 },
    ],
  ])('%s is read', (_, usage, expected) => {
    expect(chat(usage)).toMatchObject(expected);
  });

  it('is none where there is none', () => {
    expect([chat(null as never), usageOf('openai-chat', 7, true), largerUsage(null, null)]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('a whole answer', () => {
  it.each<[Wire, object, object]>([
    [
      'openai-chat',
      { id: 'a', model: 'm', usage: chatUsageChunk.usage },
      { usage: reported, model: 'm', id: 'a', failed: false },
    ],
    [
      'openai-responses',
      { id: 'a', model: 'm', error: null, usage: responsesUsage },
      { usage: reported, failed: false },
    ],
    [
      'openai-embeddings',
      { model: 'm', usage: { prompt_tokens: 8, total_tokens: 8 } },
      { usage: { ...reported, input: 8, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 } },
    ],
    [
      'anthropic-messages',
      {
        id: 'a',
        model: 'm',
        usage: {
          ...messageStart.message.usage,
          output_tokens: 200,
          output_tokens_details: { thinking_tokens: 150 },
        },
      },
      { usage: reported },
    ],
    [
      'openai-responses',
      { status: 'failed', error: { code: 'server_error', message: 'No' } },
      { failed: true },
    ],
    [
      'anthropic-messages',
      { type: 'error', error: { type: 'overloaded_error', message: 'No' } },
      { failed: true, usage: null },
    ],
    ['anthropic-messages', { error: { message: 'A gateway' } }, { failed: false }],
    ['openai-chat', [{ error: { code: 400, message: 'Google’s' } }], { failed: true }],
    ['openai-chat', { error: 'A gateway' }, { failed: false }],
  ])('of %s is read: %j', (wire, body, expected) => {
    expect(answer(wire, body)).toMatchObject(expected);
  });

  it('that is a gateway’s page says nothing', () => {
    expect(readAnswer('openai-chat', Buffer.from('<html>502</html>'))).toEqual({
      usage: null,
      outputBytes: 16,
      model: null,
      id: null,
      failed: false,
    });
  });
});
