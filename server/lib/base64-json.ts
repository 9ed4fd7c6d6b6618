// Untrusted JSON, plain or in base64, as the headers of the payment protocols carry it.
import { isUtf8 } from 'node:buffer';

export type JsonObject = Readonly<Record<string, unknown>>;
/** RFC 4648, sections 4 and 5. */
type Alphabet = 'base64' | 'base64url';

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of a text of JSON; undefined for any other text. Never throws. */
export const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Reads a JSON object, with or without a byte order mark; null for anything else. Never throws. */
export const parseObject = (text: string): JsonObject | null => {
  const value = jsonIn(text.replace(/^\uFEFF/, ''));
  return isObject(value) ? value : null;
};

/**
 * Reads base64 of a JSON object in UTF-8, with or without its padding. Null for anything else, including base64 with
 * foreign characters or leftover bits, on which readers differ.
 */
export const decodeObject = (text: string, alphabet: Alphabet): JsonObject | null => {
  const digits = text.replace(/={1,2}$/, '');
  const bytes = Buffer.from(digits, alphabet);
  if (bytes.toString(alphabet).replace(/={1,2}$/, '') !== digits || !isUtf8(bytes)) return null;
  return parseObject(bytes.toString('utf8'));
};

/** Like `decodeObject`, but takes either alphabet and skips foreign characters. */
export const decodeLoosely = (text: string): JsonObject | null =>
  parseObject(Buffer.from(text, 'base64').toString('utf8'));

/** The base64 form has padding, the base64url form has none. */
export const encodeJson = (value: unknown, alphabet: Alphabet): string =>
  Buffer.from(JSON.stringify(value), 'utf8').toString(alphabet);
