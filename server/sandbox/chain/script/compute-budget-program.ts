// The compute budget's wishes are read before the transaction runs (budget.ts); as instructions they do nothing.
import { spendUnits } from './instruction.ts';
import type { Program } from './program.ts';

const units = 150;

export const computeBudgetProgram: Program = {
  kind: 'builtin',
  run: (call) => {
    spendUnits(call, units);
    return undefined;
  },
};
