// One run of a transaction: its accounts before and after, and how to roll it back.
import { encodeAccount, sameAccount } from './account.ts';
import { feeOf } from './fee.ts';
import { loadKeys, type LoadedKey } from './keys.ts';
import type { AccountWrite } from './ledger.ts';
import { observe, type Observation } from './observation.ts';
import type { Outcome, Runtime } from './runtime.ts';
import type { TransactionError } from './transaction-error.ts';
import type { Message, Transaction } from '../../lib/solana/wire.ts';

export interface Run {
  readonly keys: readonly LoadedKey[];
  readonly before: readonly Observation[];
  readonly after: readonly Observation[];
  readonly outcome: Outcome;
}

export const runTransaction = (runtime: Runtime, { message, wire }: Transaction): Run => {
  const keys = loadKeys(runtime, message);
  const before = keys.map((key) => observe(runtime, key));
  const outcome = runtime.execute(wire);
  if (outcome.err !== null) chargeUnexecuted(runtime, outcome.err, message);
  // A read-only account is unchanged.
  const after = keys.map((key, index) => (key.writable ? null : before[index]) ?? observe(runtime, key));
  return { keys, before, after, outcome };
};

/** On a chain, a run that failed before its fee was taken leaves no trace. */
export const isCharged = ({ before, after }: Run): boolean => before[0]?.lamports !== after[0]?.lamports;

export const takeBack = (runtime: Runtime, { keys, before }: Run): void => {
  for (const [index, { key, writable }] of keys.entries()) {
    const old = before[index]?.account ?? null;
    if (writable && !sameAccount(old, runtime.read(key))) runtime.write(key, old);
  }
};

export const writesOf = ({ keys, before, after }: Run): AccountWrite[] =>
  keys.flatMap(({ key, writable }, index) => {
    const old = before[index]?.account ?? null;
    const fresh = after[index]?.account ?? null;
    if (!writable || sameAccount(old, fresh)) return [];
    return [{ address: key, before: old && encodeAccount(old), after: fresh && encodeAccount(fresh) }];
  });

/** Nodes charge for a transaction whose program cannot be run; the runtime leaves that to us. */
const chargeUnexecuted = (runtime: Runtime, err: TransactionError, message: Message): void => {
  const isUnexecuted = err === 'InvalidProgramForExecution' || err === 'ProgramAccountNotFound';
  const payer = message.keys[0];
  const account = isUnexecuted && payer ? runtime.read(payer) : null;
  if (!account || !payer) return;
  runtime.write(payer, { ...account, lamports: account.lamports - BigInt(feeOf(message)) });
};
