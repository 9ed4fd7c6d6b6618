// Strict JSON. Two parsers that read one body differently would let a request be bounded as one thing and run as another,
// so everything that parsers disagree on is refused.
import { visit } from 'jsonc-parser';
import { fieldError } from '../../../errors.ts';

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json;
}

const mostBytes = 32 * 1024 * 1024;
const mostDepth = 64;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Whether a value is an object, and not a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads the body of a request as one JSON object. A key `__proto__` becomes a plain property.
 *
 * @throws AppError `too_large` above 32 MiB; `bad_request`, with the path of the fault in `details.fields`, for a byte
 *   order mark, bytes that are not UTF-8, a key that is given twice, half of a surrogate pair, a number that is not
 *   exact beyond 2^53, more than 64 levels, or anything but one object
 */
export const readJson = (body: Uint8Array): JsonObject => {
  if (body.byteLength > mostBytes) throw fieldError('body', 'must be at most 32 MiB', 'too_large');
  const text = textOf(body);
  refuseAmbiguous(text);
  const value = parsed(text);
  if (!isObject(value)) throw fieldError('body', 'must be a JSON object');
  return value;
};

const textOf = (body: Uint8Array): string => {
  let text: string;
  try {
    text = decoder.decode(body);
  } catch {
    throw fieldError('body', 'must be UTF-8');
  }
  if (text.startsWith('\uFEFF')) throw fieldError('body', 'must not begin with a byte order mark');
  return text;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw fieldError('body', 'must be JSON');
  }
};

/** Runs before the text is parsed, so that depth costs no memory. Malformed text is left to the parser. */
const refuseAmbiguous = (text: string): void => {
  const keys: Set<string>[] = [];
  let depth = 0;
  const enter = (): void => {
    depth += 1;
    if (depth > mostDepth) throw fieldError('body', `must have at most ${mostDepth} levels`);
  };
  visit(
    text,
    {
      onObjectBegin: () => {
        enter();
        keys.push(new Set());
      },
      onObjectEnd: () => {
        depth -= 1;
        keys.pop();
      },
      onArrayBegin: enter,
      onArrayEnd: () => {
        depth -= 1;
      },
      onObjectProperty: (name, ...[, , , , path]) => {
        const field = (): string => [...path(), name].join('.');
        if (!name.isWellFormed()) throw fieldError(field(), halfPair);
        if (keys.at(-1)?.has(name) === true) throw fieldError(field(), 'is given twice');
        keys.at(-1)?.add(name);
      },
      onLiteralValue: (value: unknown, ...[, , , , path]) => {
        if (typeof value === 'string' && !value.isWellFormed()) throw fieldError(path().join('.'), halfPair);
        if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER))
          throw fieldError(path().join('.'), 'must be a number below 2^53');
      },
    },
    { disallowComments: true },
  );
};

const halfPair = 'holds half of a surrogate pair';
