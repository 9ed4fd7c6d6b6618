// Memos, read from the instructions: logs can be truncated, or written by any program.
import { programs, sameKey } from './account.ts';
import type { Message } from '../../lib/solana/wire.ts';

/** In the form of getSignaturesForAddress: `[length] text`, several joined by `; `. */
export const memoOf = ({ keys, instructions }: Message): string | null => {
  const memos = instructions.flatMap(({ program, data }) => {
    const key = keys[program];
    if (!key || !isMemoProgram(key)) return [];
    return [`[${data.length}] ${memoText(data) ?? '(unparseable)'}`];
  });
  return memos.length > 0 ? memos.join('; ') : null;
};

export const isMemoProgram = (key: Uint8Array): boolean =>
  sameKey(key, programs.memo) || sameKey(key, programs.memoV1);

export const memoText = (data: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data);
  } catch {
    return null;
  }
};
