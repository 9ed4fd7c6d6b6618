// Where and how a text breaks off being UTF-8, in the words of the programs' own language.
import { isUtf8 } from 'node:buffer';

/** Null for a text that is UTF-8. */
export const utf8Fault = (bytes: Uint8Array): string | null => {
  if (isUtf8(bytes)) return null;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    const valid = validPrefix(bytes, at, length);
    if (length > 0 && valid === length) at += length;
    else if (length > 0 && at + valid === bytes.length)
      return `incomplete utf-8 byte sequence from index ${at}`;
    else return `invalid utf-8 sequence of ${Math.max(1, valid)} bytes from index ${at}`;
  }
  return null;
};

/** Bytes of the sequence that begins here; 0 when none can. */
const sequenceLength = (bytes: Uint8Array, at: number): number => {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
};

/** How many bytes from here fit the sequence: the second has limits of its own. */
const validPrefix = (bytes: Uint8Array, at: number, length: number): number => {
  const least = { 0xe0: 0xa0, 0xf0: 0x90 }[bytes[at] ?? 0] ?? 0x80;
  const most = { 0xed: 0x9f, 0xf4: 0x8f }[bytes[at] ?? 0] ?? 0xbf;
  for (let offset = 1; offset < length; offset += 1) {
    const byte = bytes[at + offset] ?? -1;
    const fits = offset === 1 ? byte >= least && byte <= most : byte >= 0x80 && byte <= 0xbf;
    if (!fits) return offset;
  }
  return length;
};
