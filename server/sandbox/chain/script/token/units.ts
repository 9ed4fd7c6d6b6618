// Compute units of the Token program's instructions, as measured on its compiled code.

/** By the instruction's code: when it succeeds with the fewest accounts. */
export const successUnits: Readonly<Record<number, number>> = {};

/** When it fails: the line in the log, and the steps before it. */
export const failureUnits = 180;
