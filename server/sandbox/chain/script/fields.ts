// Reads the fields of an instruction's data in their order.
import { isUtf8 } from 'node:buffer';

import { view } from '../account.ts';
import { refuse } from './refusal.ts';

export interface Fields {
  u32(): number;
  u64(): bigint;
  key(): Uint8Array;
  /** A text behind its length. */
  text(): string;
}

/** Further bytes at the end are nobody's concern. @throws Refusal of data that is too short or no text */
export const readFields = (data: Uint8Array): Fields => {
  const bytes = view(data);
  let at = 0;
  const take = (count: number): Buffer => {
    if (at + count > bytes.length) refuse('InvalidInstructionData');
    at += count;
    return bytes.subarray(at - count, at);
  };
  const u64 = (): bigint => take(8).readBigUInt64LE(0);
  return {
    u32: () => take(4).readUInt32LE(0),
    u64,
    key: () => take(32),
    text: () => {
      const length = u64();
      const text = take(length > BigInt(bytes.length) ? bytes.length + 1 : Number(length));
      return isUtf8(text) ? text.toString() : refuse('InvalidInstructionData');
    },
  };
};
