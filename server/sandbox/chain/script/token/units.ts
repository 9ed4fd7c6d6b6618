// Compute units of the Token program, as measured on its compiled code. They are those of the usual way through an
// instruction; zero amounts, unusual authorities and longer texts take some more or less.
import type { Copy } from './state.ts';

/** By the instruction's code: when it succeeds, and its owner signs in person. */
const usual: Readonly<Record<number, number>> = {
  3: 76,
  4: 126,
  5: 101,
  6: 120,
  7: 119,
  9: 116,
  10: 145,
  11: 141,
  12: 105,
  13: 163,
  18: 235,
  20: 215,
  21: 183,
  22: 38,
};

/** Accounts with which a transfer takes the short way. */
const shortWay: Readonly<Record<number, number>> = { 3: 3, 12: 4 };
const longWayUnits = 53;

export const successUnits = (code: number, copies: readonly Copy[]): number => {
  const isLong = shortWay[code] !== undefined && new Set(copies).size !== shortWay[code];
  return (usual[code] ?? 0) + (isLong ? longWayUnits : 0);
};

/** When it fails: the steps before the line in the log, and that line. */
export const failureSteps = 125;
export const lineUnits = 100;

/** Without any data there is no line. */
export const emptyUnits = 28;
