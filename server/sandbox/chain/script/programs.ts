// All programs of this runtime, by their addresses. Any other is refused.
import { programs } from '../account.ts';
import { keyText } from '../wire.ts';
import { associatedTokenProgram } from './associated-token-program.ts';
import { computeBudgetProgram } from './compute-budget-program.ts';
import { ed25519Program } from './ed25519-program.ts';
import { memoProgram, memoV1Program } from './memo-programs.ts';
import type { Program } from './program.ts';
import { systemProgram } from './system-program.ts';
import { tokenProgram } from './token/token-program.ts';

const known = new Map<string, Program>([
  [keyText(programs.system), systemProgram],
  [keyText(programs.computeBudget), computeBudgetProgram],
  [keyText(programs.ed25519), ed25519Program],
  [keyText(programs.token), tokenProgram],
  [keyText(programs.associatedToken), associatedTokenProgram],
  [keyText(programs.memo), memoProgram],
  [keyText(programs.memoV1), memoV1Program],
]);

export const programAt = (address: Uint8Array): Program | null => known.get(keyText(address)) ?? null;
