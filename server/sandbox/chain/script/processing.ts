// Runs the instructions of a transaction one after the other, and what they call in turn.
import bs58 from 'bs58';

import { unitLimitOf } from '../fee.ts';
import { instructionErrorText, type TransactionError } from '../transaction-error.ts';
import type { CompiledInstruction } from '../../../lib/solana/wire.ts';
import type { Call, Machine, Party } from './instruction.ts';
import type { LoadedTransaction } from './loading.ts';
import { createLogLines } from './log-lines.ts';
import type { Program } from './program.ts';
import { programAt, programName } from './programs.ts';
import { Refusal, refuse, TransactionRefusal } from './refusal.ts';
import { isRentKept } from './rent.ts';

const mostInstructions = 64;
const none = new Uint8Array();

export const createMachine = ({ message, keys, accounts }: LoadedTransaction): Machine => ({
  keys,
  accounts,
  log: createLogLines(),
  inner: message.instructions.map(() => []),
  unitsLeft: unitLimitOf(message),
  imbalance: 0n,
  grownBytes: 0,
  instructionsRun: 0,
  returned: { program: none, data: none },
  run: runCall,
});

/** Null when all have run. Changes of the machine's accounts are then to be kept, and else not. */
export const runTransaction = (machine: Machine, loaded: LoadedTransaction): TransactionError | null => {
  try {
    checkPrograms(machine, loaded);
  } catch (error) {
    return errorOf(error);
  }
  for (const [index, instruction] of loaded.message.instructions.entries()) {
    try {
      runCall(topCall(machine, loaded, instruction, index));
    } catch (error) {
      if (error instanceof Refusal) return { InstructionError: [index, error.error] };
      throw error;
    }
  }
  return rentError(loaded);
};

const errorOf = (error: unknown): TransactionError => {
  if (error instanceof TransactionRefusal) return error.error;
  throw error;
};

/** Nothing runs before all its programs are known. */
const checkPrograms = (machine: Machine, { message, keys }: LoadedTransaction): void => {
  for (const { program } of message.instructions) {
    const key = keys[program] ?? none;
    if (programAt(key) !== null) continue;
    tellUnknown(machine, key);
    throw new TransactionRefusal('InvalidProgramForExecution');
  }
};

const tellUnknown = (machine: Machine, program: Uint8Array): void =>
  machine.log.add(`Program ${programName(program)} is not part of this runtime`);

const topCall = (
  machine: Machine,
  { message, keys, writable, accounts }: LoadedTransaction,
  instruction: CompiledInstruction,
  topIndex: number,
): Call => ({
  machine,
  program: keys[instruction.program] ?? none,
  programIndex: instruction.program,
  parties: [...instruction.accounts].flatMap((index): Party[] => {
    const [key, account] = [keys[index], accounts[index]];
    const signer = index < message.requiredSignatures;
    return key && account ? [{ index, key, account, signer, writable: writable[index] === true }] : [];
  }),
  data: instruction.data,
  depth: 1,
  topIndex,
});

const runCall = (call: Call): void => {
  const { machine, depth } = call;
  if (machine.instructionsRun >= mostInstructions) refuse('MaxInstructionTraceLengthExceeded');
  machine.instructionsRun += 1;
  if (depth > 1) record(call);
  const program = programAt(call.program) ?? refuseUnknown(call);
  runLogged(call, program);
  if (machine.imbalance !== 0n) refuse('UnbalancedInstruction');
};

const refuseUnknown = ({ machine, program }: Call): never => {
  tellUnknown(machine, program);
  return refuse('UnsupportedProgramId');
};

const record = ({ machine, programIndex, parties, data, depth, topIndex }: Call): void => {
  const accounts = Buffer.from(parties.map(({ index }) => index)).toString('hex');
  machine.inner[topIndex]?.push([programIndex, accounts, Buffer.from(data).toString('hex'), depth]);
};

const runLogged = (call: Call, program: Program): void => {
  const { machine, depth } = call;
  const name = programName(call.program);
  machine.returned = { program: call.program, data: none };
  machine.log.add(`Program ${name} invoke [${depth}]`);
  try {
    const keep = program.kind === 'builtin' ? program.run(call) : runMetered(call, program, name);
    keep?.();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const words = error.words ?? instructionErrorText(error.error);
    machine.log.add(`Program ${name} failed: ${words}`);
    throw error;
  }
  machine.log.add(`Program ${name} success`);
};

const runMetered = (call: Call, program: Program, name: string): (() => void) | undefined => {
  const { machine } = call;
  const before = machine.unitsLeft;
  try {
    return program.run(call);
  } finally {
    machine.log.add(`Program ${name} consumed ${before - machine.unitsLeft} of ${before} compute units`);
    const { data } = machine.returned;
    if (data.length > 0) machine.log.add(`Program return: ${name} ${Buffer.from(data).toString('base64')}`);
  }
};

const incinerator = bs58.decode('1nc1nerator11111111111111111111111111111111');

/** An account that the transaction leaves below its rent. */
const rentError = ({ keys, writable, before, accounts }: LoadedTransaction): TransactionError | null => {
  const index = accounts.findIndex((account, at) => {
    const key = keys[at];
    if (!writable[at] || (key && Buffer.compare(key, incinerator) === 0)) return false;
    return !isRentKept(before[at] ?? { lamports: 0n, data: none }, account);
  });
  return index < 0 ? null : { InsufficientFundsForRent: { account_index: index } };
};
