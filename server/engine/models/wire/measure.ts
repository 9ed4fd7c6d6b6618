// The most tokens that text can become: no tokenizer in use makes more tokens than its text has bytes of UTF-8, once
// the text is in the form that the tokenizer reads.
import { isObject, type Json } from './json.ts';

/** More accents on one letter than any language has. The time to normalize them grows with the square of their number. */
const manyAccents = /(?<![\p{M}\uFF9E\uFF9F])[\p{M}\uFF9E\uFF9F]{11}/u;

/** The bytes of a text, as it is or after NFKC, which some tokenizers apply: one sign of 3 bytes becomes 33. */
const textBytes = (text: string): number => {
  const bytes = Buffer.byteLength(text);
  if (bytes === text.length) return bytes;
  if (manyAccents.test(text)) return 11 * bytes;
  return Math.max(bytes, Buffer.byteLength(text.normalize('NFKC')));
};

/** The bytes of a text that is printed as JSON, where each sign beyond ASCII may become `\uXXXX`. */
const printedBytes = (text: string): number => {
  const beyondAscii = Buffer.byteLength(text) === text.length ? 0 : (text.match(/[^\0-\x7f]/g) ?? []).length;
  return Math.max(textBytes(text), JSON.stringify(text).length + 5 * beyondAscii);
};

/**
 * The most tokens of a value: the bytes of its text, and those of the signs between as in JSON.
 *
 * @param isPrinted where the supplier prints the value as JSON for the model, so that a line end has two bytes
 */
export const tokensOf = (value: Json, isPrinted = false): number => {
  if (typeof value === 'string') return isPrinted ? printedBytes(value) : textBytes(value) + 2;
  if (!Array.isArray(value) && !isObject(value)) return String(value).length;
  const names = Array.isArray(value) ? [] : Object.keys(value);
  const signs = 2 + names.length * 4 + tokensIn(names, isPrinted);
  return signs + tokensIn(Object.values(value), isPrinted);
};

const tokensIn = (values: readonly Json[], isPrinted: boolean): number =>
  values.reduce((sum: number, one) => sum + tokensOf(one, isPrinted) + 1, 0);
