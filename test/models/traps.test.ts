// The ways in which gateways to language models lose count of what is spent, each by its name. Others' mistakes, which this
// one must not repeat.
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import { agent, ask, hello, price, requests, spent, supplier, units, useGateway } from './rig.ts';
import { chat, delta, done, json, stream, usageChunk, usageOf } from './supplier.ts';

useGateway();

const streamed = { ...hello, stream: true };
const answers = (text: string) => {
  supplier.answer = (_, response) => void stream(response).end(text);
};

it('usage only in the last event: it settles the request, and the client gets only what it asked for', async () => {
  const go = Promise.withResolvers<void>();
  supplier.answer = async (_, response) => {
    stream(response).write(delta('Hel'));
    await go.promise;
    response.end(delta('lo') + usageChunk(usageOf(500, 2)) + done);
  };
  const answer = await ask(streamed);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe(delta('Hel'));
  expect(requests()[0]?.state).toBe('held');
  go.resolve();
  let rest = '';
  for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read())
    rest += piece.value;
  expect(rest).toBe(delta('lo') + done);
  expect(supplier.asked[0]?.body.stream_options).toEqual({ include_usage: true });
  expect(requests()[0]).toMatchObject({ state: 'settled', mark: 'exact', amount: units('0.00052') });
});

it('streamed usage of zero: it counts as none, and what came is counted', async () => {
  answers(delta('x'.repeat(300)) + usageChunk(usageOf(0, 0)) + done);
  expect((await ask(streamed)).status).toBe(200);
  await until('it to be settled', () => requests()[0]?.state === 'settled');
  const [row] = requests();
  expect(row?.mark).toBe('estimated');
  // 300 bytes of output at the most, and the input's bound of more than 1,024 tokens.
  expect(row?.amount).toBeGreaterThan(units('0.004'));
  expect(row?.amount).toBeLessThan(row?.bound ?? 0n);
});

it('max_tokens absent: refused where nothing bounds the answer, and else sent with the owner’s most', async () => {
  const { max_tokens: _, ...unbounded } = hello;
  const refused = await ask(unbounded);
  expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
    400,
    'input_unbounded',
  ]);
  expect([supplier.asked, requests()]).toEqual([[], []]);
  await price('gpt-4o-short', '1', '10', { maxOutput: 700 });
  supplier.answer = (_question, response) => json(response, 200, chat('Hi', usageOf(10, 700)));
  const answer = await ask({ ...unbounded, model: 'gpt-4o-short' });
  expect(answer.headers.get('x-treasury-max-tokens')).toBe('700');
  expect(supplier.asked[0]?.body.max_tokens).toBe(700);
  expect(requests()[0]?.bound).toBeGreaterThan(units('0.007'));
});

describe('a second endpoint that passes the budget by', () => {
  const others = `openai/v1/completions openai/v1/images/generations openai/v1/audio/speech openai/v1/batches
    openai/v1/files openai/v1/fine_tuning/jobs openai/v1/responses/compact openai/v1/responses/r/cancel
    openai/v1/chat/completions/ openai/v1/Chat/completions openai/chat/completions openai/v1beta/chat/completions
    anthropic/v1/complete anthropic/v1/messages/batches anthropic/v1/chat/completions openai/v1/messages`;

  it('is not there, whatever its name', async () => {
    const statuses = await Promise.all(
      others.split(/\s+/).map(async (path) => (await ask(hello, {}, path)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([404]));
    expect(supplier.asked).toEqual([]);
  });

  it('is not there under another method, and each that is there makes a row', async () => {
    const { headers } = { headers: { authorization: `Bearer ${agent.key}` } };
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'])
      expect((await ask(hello, { method, headers, body: null })).status).toBe(404);
    supplier.answer = (_, response) => json(response, 200, chat('Hi', usageOf(10, 1)));
    await ask(hello);
    await ask({ model: hello.model, max_output_tokens: 9, input: 'Hello' }, {}, 'openai/v1/responses');
    await ask({ model: hello.model, input: 'Hello' }, {}, 'openai/v1/embeddings');
    expect(supplier.asked.map(({ path }) => path)).toEqual([
      '/v1/chat/completions',
      '/v1/responses',
      '/v1/embeddings',
    ]);
    expect(requests()).toHaveLength(3);
    expect(spent()).toBeGreaterThan(0n);
  });
});

it.each([
  [
    'an SDK’s retry',
    'sdks.test.ts',
    'repeats what its supplier cannot answer now, and each try counts by itself',
  ],
])('%s: its test is in %s', (_trap, file, title) =>
  expect(readFileSync(new URL(file, import.meta.url), 'utf8')).toContain(title),
);

it('a client that hangs up: the request ends at the supplier, and counts as an estimate', async () => {
  const closed = Promise.withResolvers<void>();
  supplier.answer = (_, response) => {
    response.once('close', closed.resolve);
    stream(response).write(delta('x'.repeat(100)));
  };
  const gone = new AbortController();
  const answer = await ask(streamed, { signal: gone.signal });
  await answer.body?.getReader().read();
  gone.abort();
  await closed.promise;
  await until('it to be settled', () => requests()[0]?.state === 'settled');
  expect(requests()[0]).toMatchObject({ mark: 'estimated' });
  expect(requests()[0]?.amount).toBeLessThanOrEqual(requests()[0]?.bound ?? 0n);
});

const swapped = (more: object) => chat('Hi', { ...usageOf(1_000, 200), ...more }, 'gpt-4o-dear');
it('a swapped model: the price of the one that was asked for holds, or what a router says that it charged if that is more', async () => {
  supplier.answer = (_, response) => json(response, 200, swapped({}));
  await ask(hello);
  const said = { model: 'gpt-4o-test', answeredModel: 'gpt-4o-dear', mark: 'exact' };
  expect(requests()[0]).toMatchObject({ ...said, amount: units('0.003') });
  for (const [cost, amount] of [
    [0.0071234, '0.007124'],
    [0.001, '0.003'],
  ] as const) {
    supplier.answer = (_, response) => json(response, 200, swapped({ cost }));
    await ask(hello);
    expect(requests()[0]).toMatchObject({ ...said, amount: units(amount) });
  }
});

describe('an error inside a 200', () => {
  const failed = { error: { message: 'overloaded', type: 'server_error' } };

  it('in a stream: it is a cut answer, also when a usage came before', async () => {
    answers(delta('x'.repeat(100)) + usageChunk(usageOf(10, 1)) + `data: ${JSON.stringify(failed)}\n\n`);
    await (await ask(streamed)).text();
    // All of the output may have been under way.
    expect(requests()[0]?.mark).toBe('estimated');
    expect(requests()[0]?.amount).toBe(units('0.01001'));
  });

  it.each([
    ['as JSON', JSON.stringify(failed)],
    ['as a page', '<html>overloaded</html>'],
    ['as JSON that is cut', '{"id":"chatcmpl-1","model":"gpt-4o-test","choi'],
  ])('%s: nothing says what was billed, so that all of the output counts', async (_how, text) => {
    supplier.answer = (_, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    await (await ask(hello)).text();
    expect(requests()[0]).toMatchObject({ mark: 'estimated', amount: requests()[0]?.bound });
  });
});

// An event ends at 16 MiB, and an answer in one piece at 64.
it.each([
  ['in one event', streamed, 16],
  ['in one piece', hello, 64],
])('a supplier that never ends, or sends 1 GiB, %s: the treasury ends it', async (_how, body, most) => {
  const mebibyte = Buffer.alloc(2 ** 20, 'x');
  let sent = 0;
  const endless = function* () {
    for (; sent < 1_024; sent += 1) yield mebibyte;
  };
  supplier.answer = (_, response) => {
    response.writeHead(200, { 'content-type': body === streamed ? 'text/event-stream' : 'application/json' });
    response.write(body === streamed ? delta('Hi') + 'data: ' : '{"');
    return pipeline(Readable.from(endless()), response).catch(() => {});
  };
  const answer = await ask(body);
  await answer.text().catch(() => '');
  await until('it to be settled', () => requests()[0]?.state === 'settled');
  expect(requests()[0]?.mark).toBe('estimated');
  expect(requests()[0]?.amount).toBeLessThanOrEqual(requests()[0]?.bound ?? 0n);
  // What lies in the buffers of sockets is on top.
  expect(sent).toBeLessThan(most + 32);
});

// In full, 1 GiB: such a stream ends with its client or by the owner's stop, and holds its bound until then.
const mebibytes = tries(96, 1_024);
it(`a supplier that sends ${mebibytes} MiB of whole events: they pass, no faster than they are read`, async () => {
  const event = delta('x'.repeat(1_000));
  const some = Buffer.from(event.repeat(Math.ceil(2 ** 20 / event.length)));
  let sent = 0;
  const all = function* () {
    for (; sent < mebibytes; sent += 1) yield some;
    yield usageChunk(usageOf(10, 1_000)) + done;
  };
  supplier.answer = (_, response) => pipeline(Readable.from(all()), stream(response));
  const answer = await ask(streamed);
  // Nothing is read until the supplier has made no progress for twenty turns.
  let [last, turns] = [0, 0];
  await until('the supplier to wait', () => {
    turns = sent === last ? turns + 1 : 0;
    last = sent;
    return turns === 20;
  });
  // The buffers of two connections.
  expect(sent).toBeLessThan(48);
  let bytes = 0;
  for await (const piece of answer.body ?? []) bytes += piece.byteLength;
  expect(bytes).toBe(mebibytes * some.byteLength + done.length);
  await until('it to be settled', () => requests()[0]?.state === 'settled');
  expect(requests()[0]).toMatchObject({ mark: 'exact', amount: units('0.01001') });
});
