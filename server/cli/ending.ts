// Exit codes and errors of the command, and the confirmation before anything that cannot be undone.
import { CommanderError } from 'commander';
import { AppError } from '../errors.ts';
import type { Terminal } from './terminal.ts';

export const exitCodes = { done: 0, refused: 1, usage: 2, ownersWord: 3, undelivered: 4 } as const;
export const exitCodesText =
  '\nExit codes: 0 done; 1 refused, not running, or not settled yet; 2 wrong usage; 3 needs the owner’s word; 4 paid, and not delivered.';

/** Ends the command with a sentence and an exit code. */
export class Ending extends Error {
  override readonly name = 'Ending';
  readonly exitCode: number;

  constructor(end: keyof typeof exitCodes, message: string) {
    super(message);
    this.exitCode = exitCodes[end];
  }
}

/** Prints an error's sentence and returns its exit code. @throws any error that is a defect */
export const endOf = (error: unknown, err: (text: string) => void): number => {
  // Commander has printed its message already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (!(error instanceof Ending) && !(error instanceof AppError)) throw error;
  err(`${error.message}\n`);
  return error instanceof Ending ? error.exitCode : exitCodes.refused;
};

/** @throws Ending when there is nobody to ask, or the answer is not yes */
export const confirm = async ({ io }: Terminal, question: string, isConfirmed: boolean): Promise<void> => {
  if (isConfirmed) return;
  if (io.ask === null)
    throw new Ending('ownersWord', 'This needs your word. Run it on a terminal, or add --yes.');
  const answer = await io.ask(`${question} [y/N] `, { isSecret: false });
  if (!/^y(es)?$/i.test(answer.trim())) throw new Ending('ownersWord', 'Nothing was done.');
};
