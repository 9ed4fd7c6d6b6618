// The answers of a provider of language models, to the OpenAI and the Anthropic SDK: a text in pieces, whole or streamed.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { wholeOf } from './through.ts';

/** Called before each piece of a stream, and after the last. */
export type Pace = (at: number) => Promise<void> | void;

const chunk = (delta: object, finish: string | null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const completion = (content: string) => ({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const usage = { input_tokens: 1, output_tokens: 1 };
const message = (content: object[], stop: string | null) => ({
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage,
});

const event = (value: { type: string } & Record<string, unknown>): string =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;

/** The texts of a stream, with that of each piece between those before and after. */
const framesOf = (isAnthropic: boolean, pieces: readonly string[]) =>
  isAnthropic
    ? {
        begin:
          event({ type: 'message_start', message: message([], null) }) +
          event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
        pieces: pieces.map((text) =>
          event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
        ),
        end:
          event({ type: 'content_block_stop', index: 0 }) +
          event({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage }) +
          event({ type: 'message_stop' }),
      }
    : {
        begin: `data: ${JSON.stringify(chunk({ role: 'assistant', content: '' }, null))}\n\n`,
        pieces: pieces.map((content) => `data: ${JSON.stringify(chunk({ content }, null))}\n\n`),
        end: `data: ${JSON.stringify(chunk({}, 'stop'))}\n\ndata: [DONE]\n\n`,
      };

/** Answers as the request asks. */
export const answerAsModel = async (
  request: IncomingMessage,
  response: ServerResponse,
  pieces: readonly string[],
  pace: Pace = () => {},
): Promise<void> => {
  const { stream } = JSON.parse((await wholeOf(request)).toString('utf8')) as { stream?: boolean };
  const isAnthropic = request.url?.endsWith('/messages') === true;
  if (stream !== true) {
    const text = pieces.join('');
    const whole = isAnthropic ? message([{ type: 'text', text }], 'end_turn') : completion(text);
    const bytes = Buffer.from(JSON.stringify(whole));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.byteLength });
    const half = bytes.byteLength >> 1;
    response.write(bytes.subarray(0, half));
    await pace(0);
    response.end(bytes.subarray(half));
    return;
  }
  const frames = framesOf(isAnthropic, pieces);
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(frames.begin);
  for (const [at, frame] of frames.pieces.entries()) {
    await pace(at);
    response.write(frame);
  }
  await pace(pieces.length);
  response.end(frames.end);
};
