// Why an instruction or a whole transaction is refused. A program throws it; the runtime makes an outcome of it.
import type { TransactionError } from '../transaction-error.ts';

/** The name of a runtime's error, or a program's own number. */
export type InstructionError = string | { readonly Custom: number };

export class Refusal extends Error {
  readonly error: InstructionError;
  /** The words of the log where they are not the error's own. */
  readonly words: string | null;

  constructor(error: InstructionError, words: string | null = null) {
    super(typeof error === 'string' ? error : `Custom ${error.Custom}`);
    this.error = error;
    this.words = words;
  }
}

/** @throws Refusal */
export const refuse = (error: InstructionError): never => {
  throw new Refusal(error);
};

/** What the programs of mainnet have and this runtime lacks; the log says so. @throws Refusal */
export const refuseMissing = (name: string): never => {
  throw new Refusal('InvalidInstructionData', `${name} is not part of this runtime`);
};

/**
 * An instruction that has a name is missing here; any other is refused with the program's own error.
 * @throws Refusal
 */
export const refuseCode = (
  codes: Readonly<Record<string, number>>,
  code: number,
  unknown: InstructionError,
): never => {
  const [name] = Object.entries(codes).find(([, known]) => known === code) ?? [];
  return name === undefined ? refuse(unknown) : refuseMissing(name);
};

/** A transaction that no instruction has to answer for: it never ran, or it ended with an account below its rent. */
export class TransactionRefusal extends Error {
  readonly error: TransactionError;

  constructor(error: TransactionError) {
    super(JSON.stringify(error));
    this.error = error;
  }
}
