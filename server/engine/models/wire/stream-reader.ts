// Reads a stream of server-sent events while it passes through, byte for byte. Only the chunk of usage that the treasury asked
// for is taken out again.
import { AppError } from '../../../errors.ts';
import { isObject, objectIn, type Json, type JsonObject } from './json.ts';
import { largerUsage, nothing, textField, usageOf, type AnswerFacts } from './usage.ts';
import type { Wire } from './wires.ts';

export interface StreamFacts extends AnswerFacts {
  /** Whether an event of the model came, so that something may be billed. */
  began: boolean;
  /** Whether the stream came to the end that its API knows. */
  whole: boolean;
}

export interface StreamReader {
  /**
   * Takes a chunk, cut anywhere, and returns the bytes to pass on now: all up to the end of the last whole event.
   * @throws AppError `answer_too_large` for an event above 16 MiB
   */
  read(chunk: Uint8Array): Uint8Array;
  /** Returns the bytes that are left once the supplier has ended the stream. */
  end(): Uint8Array;
  /** The report of the stream so far. */
  facts(): StreamFacts;
}

const mostEventBytes = 16 * 1024 * 1024;
const [lineFeed, carriageReturn] = [10, 13];

/**
 * Reads the stream of one answer. Later usage counts where it is larger, and is never added.
 *
 * @param hidesUsage whether OpenAI's last chunk, of usage and no choice, is taken out: the client did not ask for it
 */
export const createStreamReader = (wire: Wire, hidesUsage: boolean): StreamReader => {
  const seen: StreamFacts = { ...nothing, began: false, whole: false };
  const events = createSplitter();
  const passed = (event: Buffer): boolean => {
    const data = dataOf(event);
    return data === null || !(note(wire, seen, data) && hidesUsage);
  };
  return {
    read: (chunk) => Buffer.concat(events.split(chunk).filter(passed)),
    end: () => Buffer.concat([events.rest()].filter(passed)),
    facts: () => ({ ...seen }),
  };
};

/** Cuts bytes after each blank line. Lines end with LF, CRLF or CR. */
const createSplitter = (): { split(chunk: Uint8Array): Buffer[]; rest(): Buffer } => {
  let held: Buffer = Buffer.alloc(0);
  let size = 0;
  let lineBytes = 0;
  let afterReturn = false;
  /** The blank line ended with CR, and an LF that follows belongs to it. */
  let isOver = false;

  const hold = (bytes: Buffer): void => {
    const all = size + bytes.byteLength;
    if (all > mostEventBytes)
      throw new AppError('answer_too_large', 'An event of the answer is above 16 MiB.');
    if (all > held.byteLength)
      held = Buffer.concat([held.subarray(0, size)], Math.max(all, 2 * held.byteLength));
    held.set(bytes, size);
    size = all;
  };
  const rest = (): Buffer => {
    const event = held.subarray(0, size);
    held = Buffer.alloc(0);
    size = lineBytes = 0;
    isOver = false;
    return event;
  };

  const split = (chunk: Uint8Array): Buffer[] => {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const events: Buffer[] = [];
    let start = 0;
    const cut = (end: number): void => {
      const last = bytes.subarray(start, end);
      start = end;
      // Nothing is copied of an event that lies in one chunk.
      if (size > 0 || last.byteLength > mostEventBytes) hold(last);
      const event = rest();
      events.push(event.byteLength > 0 ? event : last);
    };
    /** Where the line ends; the text before is skipped in one step. */
    const places = [-1, -1];
    const endOfLine = (from: number): number => {
      for (const [nth, sign] of [lineFeed, carriageReturn].entries())
        if ((places[nth] ?? -1) < from) {
          const place = bytes.indexOf(sign, from);
          places[nth] = place === -1 ? bytes.byteLength : place;
        }
      return Math.min(...places);
    };
    for (let at = 0; at < bytes.byteLength; at += 1) {
      const byte = bytes[at];
      const isSecondHalf = byte === lineFeed && afterReturn;
      if (isOver) cut(isSecondHalf ? at + 1 : at);
      afterReturn = byte === carriageReturn;
      if (isSecondHalf) continue;
      if (byte !== lineFeed && byte !== carriageReturn) {
        const end = endOfLine(at);
        lineBytes += end - at;
        at = end - 1;
      } else if (lineBytes > 0) lineBytes = 0;
      else if (afterReturn) isOver = true;
      else cut(at + 1);
    }
    hold(bytes.subarray(start));
    return events;
  };
  return { split, rest };
};

/** The data of an event; null where it has none, as a comment. */
const dataOf = (event: Buffer): string | null => {
  const text = event.toString().replace(/^\uFEFF/, '');
  const lines = text.split(/\r\n|\n|\r/);
  const data = lines.filter((line) => /^data(:|$)/.test(line)).map((line) => line.replace(/^data:? ?/, ''));
  return data.length === 0 ? null : data.join('\n');
};

/** Notes what an event says. @returns whether it is OpenAI's chunk of usage and no choice */
const note = (wire: Wire, seen: StreamFacts, data: string): boolean => {
  if (data.startsWith('[DONE]')) {
    seen.whole = true;
    if (seen.usage !== null) seen.usage = { ...seen.usage, complete: true };
    return false;
  }
  const event = objectIn(data);
  if (event === null) {
    seen.outputBytes += Buffer.byteLength(data);
    return false;
  }
  const { type, error, choices } = event;
  const answer = [event['response'], event['message']].find(isObject) ?? event;
  const isError = type === 'error' || type === 'response.failed' || (error ?? false) !== false;
  const isUsageAlone = Array.isArray(choices) && choices.length === 0 && isObject(event['usage']);
  if (isError) seen.failed = true;
  else if (type !== 'ping') seen.began = true;
  if (ends.has(type)) seen.whole = true;
  const complete = isUsageAlone || ends.has(type) || isStopped(event);
  seen.usage = largerUsage(seen.usage, usageOf(wire, event['usage'] ?? answer['usage'], complete));
  seen.model = textField(answer, 'model') ?? seen.model;
  seen.id = textField(answer, 'id') ?? seen.id;
  seen.outputBytes += outputBytes(event);
  return isUsageAlone && wire === 'openai-chat';
};

const ends: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'message_stop']);

/** Anthropic's usage is whole in the event that says why the model stopped. */
const isStopped = ({ type, delta }: JsonObject): boolean =>
  type === 'message_delta' && isObject(delta) && textField(delta, 'stop_reason') !== null;

/** The bytes of what the model wrote in this event. */
const outputBytes = ({ choices, delta, content_block: block }: JsonObject): number => {
  const deltas = (Array.isArray(choices) ? choices : []).map((one) => (isObject(one) ? one['delta'] : null));
  return textBytes([delta ?? null, block ?? null, ...deltas.map((one) => one ?? null)]);
};

const unwritten = new Set(['type', 'id', 'role', 'stop_reason']);

const textBytes = (value: Json): number => {
  if (typeof value === 'string') return Buffer.byteLength(value);
  const written = Object.entries(value ?? {}).filter(([key]) => !unwritten.has(key));
  return written.reduce((sum, [, one]) => sum + textBytes(one as Json), 0);
};
