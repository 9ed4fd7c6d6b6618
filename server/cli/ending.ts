// How the command ends: its exit codes, its errors as a sentence or as JSON, and the confirmation before anything that
// cannot be undone.
import { CommanderError } from 'commander';
import { AppError, codeTable, type ErrorDetails, type RefusedEnd } from '../errors.ts';
import { jsonText, type Terminal } from './terminal.ts';

/** Each kind of end: its exit code, what it means, and the `code` in JSON where it is the command's own, not the treasury's. */
const ends = {
  done: [0, 'done', 'done'],
  failed: [1, 'failed', 'failed'],
  usage: [2, 'wrong usage', 'usage'],
  ownersWord: [3, 'needs the owner’s approval, or your confirmation', 'needs_owner'],
  undelivered: [4, 'paid, but not delivered', 'not_delivered'],
  notAllowed: [5, 'not logged in, or not allowed', 'unauthorized'],
  refused: [6, 'refused by a limit, by the owner, or for lack of money', 'refused'],
  stopped: [7, 'stopped: frozen, suspended or locked', 'stopped'],
  notNow: [8, 'not now: the treasury is not running, busy, or cut off', 'not_now'],
  underWay: [9, 'under way, or of unknown outcome', 'under_way'],
} as const satisfies Record<RefusedEnd | 'done', readonly [number, string, string]>;

export type End = keyof typeof ends;
export const exitCodeOf = (end: End): number => ends[end][0];
export const exitCodesText = [
  '',
  'Exit codes:',
  ...Object.values(ends).map(([exitCode, meaning]) => `  ${exitCode}  ${meaning}`),
].join('\n');

/** Ends the command with a sentence and an exit code. */
export class Ending extends Error {
  override readonly name = 'Ending';
  readonly end: End;
  readonly details: ErrorDetails;
  /** For programs. */
  readonly code: string;

  constructor(end: End, message: string, details: ErrorDetails = {}, code: string = ends[end][2]) {
    super(message);
    this.end = end;
    this.details = details;
    this.code = code;
  }
}

/** A program that the command started has ended: its exit code is the command's. */
export class ProgramEnded extends Error {
  override readonly name = 'ProgramEnded';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('The program has ended.');
    this.exitCode = exitCode;
  }
}

interface Ended {
  end: End;
  code: string;
  message: string;
  details: ErrorDetails;
}

/** Prints an error on standard error and returns its exit code. @throws any error that is a defect */
export const endOf = (error: unknown, { json, io }: Pick<Terminal, 'json' | 'io'>): number => {
  if (error instanceof ProgramEnded) return error.exitCode;
  const { end, ...report } = ended(error);
  // Commander has printed its message already, unless --json asks for it in another form.
  const isPrinted = error instanceof CommanderError && !json;
  if (end !== 'done' && !isPrinted) io.err(`${json ? jsonText(report) : report.message}\n`);
  return exitCodeOf(end);
};

const ended = (error: unknown): Ended => {
  if (error instanceof AppError) {
    const { code, message, details = {} } = error;
    // A newer treasury may have further codes.
    const end = codeTable[code]?.end ?? 'failed';
    return { end, code, message, details };
  }
  if (error instanceof CommanderError) {
    const end = error.exitCode === 0 ? 'done' : 'usage';
    const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
    return { end, code: ends[end][2], message, details: {} };
  }
  if (!(error instanceof Ending)) throw error;
  const { end, code, message, details } = error;
  return { end, code, message, details };
};

/** @throws Ending when there is nobody to ask, or the answer is not yes */
export const confirm = async ({ io }: Terminal, question: string, isConfirmed: boolean): Promise<void> => {
  if (isConfirmed) return;
  if (io.ask === null)
    throw new Ending('ownersWord', 'This needs your confirmation. Run it in a terminal, or add --yes.');
  const answer = await io.ask(`${question} [y/N] `, { isSecret: false });
  if (!/^y(es)?$/i.test(answer.trim())) throw new Ending('ownersWord', 'Nothing was done.');
};
