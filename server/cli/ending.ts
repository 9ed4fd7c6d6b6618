// How the command ends when it does not end well: exit codes, and the owner's word before what cannot be taken back.
import { CommanderError } from 'commander';
import { AppError } from '../errors.ts';
import type { Terminal } from './terminal.ts';

export const exitCodes = { done: 0, refused: 1, usage: 2, ownersWord: 3, undelivered: 4 } as const;
export const exitCodesText =
  '\nExit codes: 0 done; 1 refused, not running, or not settled yet; 2 wrong usage; 3 needs the owner’s word; 4 paid, and not delivered.';

/** An end with a sentence and its own exit code. */
export class Ending extends Error {
  override readonly name = 'Ending';
  readonly exitCode: number;

  constructor(end: keyof typeof exitCodes, message: string) {
    super(message);
    this.exitCode = exitCodes[end];
  }
}

/** The exit code of what was thrown, after its sentence. @throws what is a defect */
export const endOf = (error: unknown, err: (text: string) => void): number => {
  // Commander has printed what it has to say.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (!(error instanceof Ending) && !(error instanceof AppError)) throw error;
  err(`${error.message}\n`);
  return error instanceof Ending ? error.exitCode : exitCodes.refused;
};

/** @throws Ending when nobody can be asked, or the answer is not yes */
export const confirm = async ({ io }: Terminal, question: string, isConfirmed: boolean): Promise<void> => {
  if (isConfirmed) return;
  if (io.ask === null)
    throw new Ending('ownersWord', 'This needs your word. Run it on a terminal, or add --yes.');
  const answer = await io.ask(`${question} [y/N] `, { isSecret: false });
  if (!/^y(es)?$/i.test(answer.trim())) throw new Ending('ownersWord', 'Nothing was done.');
};
