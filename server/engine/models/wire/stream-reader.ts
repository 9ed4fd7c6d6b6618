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
const [lineFeed, carriageReturn, space, quote, backslash] = [10, 13, 32, 34, 92];

/**
 * Reads the stream of one answer. Later usage counts where it is larger, and is never added.
 *
 * @param hidesUsage whether OpenAI's last chunk, of usage and no choice, is taken out: the client did not ask for it
 */
export const createStreamReader = (wire: Wire, hidesUsage: boolean): StreamReader => {
  const seen: StreamFacts = { ...nothing, began: false, whole: false };
  let last: Repeated | null = null;
  const events = createSplitter((bytes, at) => {
    if (last === null) return -1;
    const end = endOfRepeated(last, bytes, at);
    if (end !== -1) seen.outputBytes += end - at - last.before.byteLength - last.after.byteLength;
    return end;
  });
  const passes = (event: Buffer): boolean => {
    const data = dataOf(event);
    if (data === null) return true;
    const { isUsage, texts } = note(wire, seen, data);
    last = repeatedIn(event, texts);
    return !(isUsage && hidesUsage);
  };
  return {
    read(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const passed: Buffer[] = [];
      let from = 0;
      const end = events.split(bytes, (event, place) => {
        const start = place - event.byteLength;
        const isPassed = passes(event);
        if (start >= from && isPassed) return;
        if (start > from) passed.push(bytes.subarray(from, start));
        if (isPassed) passed.push(event);
        from = place;
      });
      if (end > from) passed.push(bytes.subarray(from, end));
      const [only] = passed;
      return passed.length === 1 && only !== undefined ? only : Buffer.concat(passed);
    },
    end() {
      const event = events.rest();
      return passes(event) ? event : Buffer.alloc(0);
    },
    facts: () => ({ ...seen }),
  };
};

/** The bytes before and after the one text that the model wrote in an event, its quotes with them. */
interface Repeated {
  before: Buffer;
  after: Buffer;
}

/** An event that differs from the last one in its text alone says nothing else that is new: it is not parsed. */
const repeatedIn = (event: Buffer, [text, ...more]: readonly string[]): Repeated | null => {
  // An escaped text is found where another field has it plainly.
  if (text === undefined || more.length > 0 || event.includes(backslash)) return null;
  const quoted = Buffer.from(`"${text}"`);
  const at = event.indexOf(quoted);
  if (at === -1 || event.indexOf(quoted, at + 1) !== -1) return null;
  const before = event.subarray(0, at + 1);
  // A name is no text.
  if (!/:\s*"$/.test(before.toString('latin1'))) return null;
  return { before: Buffer.from(before), after: Buffer.from(event.subarray(at + quoted.byteLength - 1)) };
};

/** Where such an event ends that begins here; -1 for another one. */
const endOfRepeated = ({ before, after }: Repeated, bytes: Buffer, at: number): number => {
  let end = at + before.byteLength;
  if (!isAt(bytes, at, before)) return -1;
  for (let byte = bytes[end]; byte !== quote; byte = bytes[end]) {
    // Also at the end of the bytes.
    if (byte === undefined || byte < space || byte === backslash) return -1;
    end += 1;
  }
  return isAt(bytes, end, after) ? end + after.byteLength : -1;
};

const isAt = (bytes: Buffer, at: number, part: Buffer): boolean =>
  at + part.byteLength <= bytes.byteLength &&
  bytes.compare(part, 0, part.byteLength, at, at + part.byteLength) === 0;

/**
 * Cuts bytes after each blank line. Lines end with LF, CRLF or CR.
 * @param skip where an event ends that nothing has to look at, and that begins at this place; or -1
 */
const createSplitter = (skip: (bytes: Buffer, at: number) => number) => {
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

  /** @returns the end of the last whole event */
  const split = (bytes: Buffer, found: (event: Buffer, end: number) => void): number => {
    let start = 0;
    const cut = (end: number): void => {
      const last = bytes.subarray(start, end);
      start = end;
      // Nothing is copied of an event that lies in one chunk.
      if (size > 0 || last.byteLength > mostEventBytes) hold(last);
      const event = rest();
      found(event.byteLength > 0 ? event : last, end);
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
      const end = at === start && size === 0 ? skip(bytes, at) : -1;
      if (end !== -1) {
        start = end;
        at = end - 1;
      } else if (byte !== lineFeed && byte !== carriageReturn) {
        const lineEnd = endOfLine(at);
        lineBytes += lineEnd - at;
        at = lineEnd - 1;
      } else if (lineBytes > 0) lineBytes = 0;
      else if (afterReturn) isOver = true;
      else cut(at + 1);
    }
    hold(bytes.subarray(start));
    return start;
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

/** `isUsage`: it is OpenAI's chunk of usage and no choice. `texts`: what the model wrote. */
interface Noted {
  isUsage: boolean;
  texts: readonly string[];
}

/** Notes what an event says. */
const note = (wire: Wire, seen: StreamFacts, data: string): Noted => {
  if (data.startsWith('[DONE]')) {
    seen.whole = true;
    if (seen.usage !== null) seen.usage = { ...seen.usage, complete: true };
    return { isUsage: false, texts: [] };
  }
  const event = objectIn(data);
  if (event === null) {
    seen.outputBytes += Buffer.byteLength(data);
    return { isUsage: false, texts: [] };
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
  const texts = outputOf(event);
  seen.outputBytes += texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return { isUsage: isUsageAlone && wire === 'openai-chat', texts };
};

const ends: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'message_stop']);

/** Anthropic's usage is whole in the event that says why the model stopped. */
const isStopped = ({ type, delta }: JsonObject): boolean =>
  type === 'message_delta' && isObject(delta) && textField(delta, 'stop_reason') !== null;

/** The texts that the model wrote in this event. */
const outputOf = ({ choices, delta, content_block: block }: JsonObject): string[] => {
  const deltas = (Array.isArray(choices) ? choices : []).map((one) => (isObject(one) ? one['delta'] : null));
  return [delta, block, ...deltas].flatMap((one) => textsOf(one ?? null));
};

const unwritten = new Set(['type', 'id', 'role', 'stop_reason']);

const textsOf = (value: Json): string[] => {
  if (typeof value === 'string') return [value];
  const written = Object.entries(value ?? {}).filter(([key]) => !unwritten.has(key));
  return written.flatMap(([, one]) => textsOf(one as Json));
};
