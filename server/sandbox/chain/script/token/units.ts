// Compute units of the Token program's instructions, as measured on its compiled code.

/** By the instruction's code: when it succeeds with the fewest accounts. */
export const successUnits: Readonly<Record<number, number>> = {};

/** When it fails: the steps before the line in the log, and that line. */
export const failureSteps = 80;
export const lineUnits = 100;

/** Without any data there is no line. */
export const emptyUnits = 28;
