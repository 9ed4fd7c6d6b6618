// Strict JSON. Two parsers that read one body differently would let a request be bounded as one thing and run as another,
// so everything that parsers disagree on is refused.
import { isUtf8 } from 'node:buffer';
import { visit, type JSONPath } from 'jsonc-parser';
import { fieldError, type AppError } from '../../../errors.ts';

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json;
}

const mostBytes = 32 * 1024 * 1024;
const mostDepth = 64;

/** Whether a value is an object, and not a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object that lenient JSON holds, such as a supplier's; null where it holds another value or is none. */
export const objectIn = (text: string): JsonObject | null => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
};

/**
 * Reads the body of a request as one JSON object. A key `__proto__` becomes a plain property.
 *
 * @throws AppError `too_large` above 32 MiB; `bad_request`, with the path of the fault in `details.fields`, for a byte
 *   order mark, bytes that are not UTF-8, a key that is given twice, half of a surrogate pair, a number that is not
 *   exact beyond 2^53, more than 64 levels, or anything but one object
 */
export const readJson = (body: Uint8Array): JsonObject => {
  if (body.byteLength > mostBytes) throw fieldError('body', 'must be at most 32 MiB', 'too_large');
  if (!isUtf8(body)) throw fieldError('body', 'must be UTF-8');
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  refuseAmbiguous(text);
  const value = objectIn(text);
  if (value === null) throw fieldError('body', 'must be a JSON object without a byte order mark');
  return value;
};

/** Runs before the text is parsed, so that depth costs no memory. Malformed text is left to the parser. */
const refuseAmbiguous = (text: string): void => {
  /** The keys of each open object, and an empty set for each open list. */
  const open: Set<string>[] = [];
  const enter = (): void => {
    if (open.length === mostDepth) throw fieldError('body', `must have at most ${mostDepth} levels`);
    open.push(new Set());
  };
  const leave = (): unknown => open.pop();
  visit(text, {
    onObjectBegin: enter,
    onObjectEnd: leave,
    onArrayBegin: enter,
    onArrayEnd: leave,
    onObjectProperty: (name, ...[, , , , path]) => {
      const place = (): JSONPath => [...path(), name];
      if (!name.isWellFormed()) throw fault(place, halfPair);
      if (open.at(-1)?.has(name) === true) throw fault(place, 'is given twice');
      open.at(-1)?.add(name);
    },
    onLiteralValue: (value: unknown, ...[, , , , path]) => {
      if (typeof value === 'string' && !value.isWellFormed()) throw fault(path, halfPair);
      if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER))
        throw fault(path, 'must be a number below 2^53');
    },
  });
};

const fault = (path: () => JSONPath, message: string): AppError => fieldError(path().join('.'), message);
const halfPair = 'holds half of a surrogate pair';
