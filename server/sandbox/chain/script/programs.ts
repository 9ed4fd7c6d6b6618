// All programs of this runtime, by their addresses. Any other is refused.
import bs58 from 'bs58';
import { programs } from '../account.ts';
import { keyText } from '../../../lib/solana/wire.ts';
import { associatedTokenProgram } from './associated-token-program.ts';
import { memoProgram, memoV1Program } from './memo-programs.ts';
import type { Program } from './program.ts';
import { systemProgram } from './system-program.ts';
import { tokenProgram } from './token/token-program.ts';
import { spendUnits } from './instruction.ts';

/**
 * The compute budget's wishes are read before the transaction runs (loading.ts); as instructions they do
 * nothing.
 */
const units = 150;

const computeBudgetProgram: Program = {
  kind: 'builtin',
  run: (call) => {
    spendUnits(call, units);
    return undefined;
  },
};

const known = new Map<string, Program>([
  [keyText(programs.system), systemProgram],
  [keyText(programs.computeBudget), computeBudgetProgram],
  [keyText(programs.token), tokenProgram],
  [keyText(programs.associatedToken), associatedTokenProgram],
  [keyText(programs.memo), memoProgram],
  [keyText(programs.memoV1), memoV1Program],
]);

export const programAt = (address: Uint8Array): Program | null => known.get(keyText(address)) ?? null;

/** Most lines of a log name a program, and to encode an address takes longer than many an instruction. */
const names = new Map([...known.keys()].map((text) => [text, bs58.encode(Buffer.from(text, 'latin1'))]));

export const programName = (address: Uint8Array): string =>
  names.get(keyText(address)) ?? bs58.encode(address);
