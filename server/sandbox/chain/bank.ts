// How a transaction lands. It runs once; what it changed, what it said and who took part are on disk before anybody
// hears of it. Accepted is what real nodes accept: signed, under a blockhash of the queue, and not seen before.
import { hash } from 'node:crypto';
import bs58 from 'bs58';

import type { Log } from '../../log.ts';
import { encodeAccount, programs, sameAccount, sameKey } from './account.ts';
import type { Blockhashes } from './blockhashes.ts';
import { blockhashAge } from './blockhashes.ts';
import type { ChainClock, Commitment } from './clock.ts';
import { heightOf, isSkipped } from './clock.ts';
import { feeOf } from './fee.ts';
import type { LoadedKey } from './keys.ts';
import { loadKeys } from './keys.ts';
import type { AccountWrite, Ledger } from './ledger.ts';
import { memoOf } from './memo.ts';
import type { Observation } from './meta.ts';
import { observe, storedMeta } from './meta.ts';
import type { Outcome, Runtime, Simulation } from './runtime.ts';
import type { TransactionError } from './transaction-error.ts';
import type { Message, Transaction } from './wire.ts';

export interface Landed {
  readonly signature: Uint8Array;
  readonly slot: number;
  readonly atMs: number;
  readonly err: TransactionError | null;
  readonly logs: readonly string[];
  readonly keys: readonly LoadedKey[];
}

export interface SimulateOptions {
  verifySignatures: boolean;
  checkBlockhash: boolean;
  commitment: Commitment;
}

export interface Bank {
  /** Runs and keeps a transaction; a refusal comes back as an outcome with an error, and nothing has happened. */
  submit(transaction: Transaction, preflight: Commitment | null): Outcome;
  simulate(transaction: Transaction, options: SimulateOptions): Simulation;
  latestBlockhash(commitment: Commitment): { blockhash: Uint8Array; lastValidBlockHeight: number };
  isBlockhashValid(blockhash: Uint8Array, commitment: Commitment): boolean;
  /** Null when the message's blockhash is not valid. */
  fee(message: Message, commitment: Commitment): number | null;
  /** Called after a transaction has been written, before its sender has the answer. */
  onLanded(listener: (landed: Landed) => void): void;
}

export interface BankDeps {
  runtime: Runtime;
  ledger: Ledger;
  clock: ChainClock;
  blockhashes: Blockhashes;
  log: Log;
}

export const createBank = ({ runtime, ledger, clock, blockhashes, log }: BankDeps): Bank => {
  const listeners: ((landed: Landed) => void)[] = [];
  const keepsBefore = clock.lagMs.finalized > 0;
  let timeOfSlot = -1;

  /** Programs see the time and the recent slots of the block they run in. */
  const enterSlot = (slot: number, message: Message): void => {
    if (slot !== timeOfSlot) runtime.setTime(slot, clock.blockTime(slot));
    timeOfSlot = slot;
    if (message.keys.some((key) => sameKey(key, programs.lookupTable))) {
      runtime.setSlotHashes(
        recentSlots(slot).map((old) => ({ slot: BigInt(old), hash: bs58.encode(blockhashes.ofSlot(old)) })),
      );
    }
  };

  const refusal = (
    transaction: Transaction,
    messageHash: Uint8Array,
    bankSlot: number,
  ): TransactionError | null => {
    if (ledger.isKnown(signatureOf(transaction), messageHash)) return 'AlreadyProcessed';
    return blockhashes.find(transaction.message.blockhash, bankSlot) === null ? 'BlockhashNotFound' : null;
  };

  const submit = (transaction: Transaction, preflight: Commitment | null): Outcome => {
    const atMs = clock.now();
    const slot = clock.slotAt(atMs);
    const messageHash = hash('sha256', transaction.message.bytes, 'buffer');
    enterSlot(slot, transaction.message);
    const refused =
      (preflight && refusal(transaction, messageHash, clock.slot(preflight))) ??
      refusal(transaction, messageHash, slot);
    if (refused) {
      const isForged = runtime.simulate(transaction.wire, true).err === 'SignatureFailure';
      return nothing(isForged ? 'SignatureFailure' : refused);
    }
    const { outcome, keys, before, after } = run(transaction);
    const { err } = outcome;
    // One run stands for preflight and execution: a failure that preflight would have caught is taken back.
    if (err !== null && preflight) restore(runtime, keys, before);
    if (err !== null && (preflight || before[0]?.lamports === after[0]?.lamports)) return outcome;
    try {
      const entry = {
        signature: signatureOf(transaction),
        messageHash,
        slot,
        atMs,
        err: err === null ? null : JSON.stringify(err),
        memo: memoOf(transaction.message),
        wire: transaction.wire,
        meta: JSON.stringify(storedMeta(runtime, keys, before, after, outcome)),
        addresses: keys.map(({ key }) => key),
        writes: changes(keys, before, after),
      };
      ledger.land(entry, keepsBefore ? clock.horizon('finalized') : null);
    } catch (error) {
      restore(runtime, keys, before);
      throw error;
    }
    tell({ signature: signatureOf(transaction), slot, atMs, err, logs: outcome.logs, keys });
    return outcome;
  };

  const run = ({ message, wire }: Transaction): Run => {
    const keys = loadKeys(runtime, message);
    const before = keys.map((key) => observe(runtime, key));
    const outcome = runtime.execute(wire);
    if (outcome.err !== null) chargeUnexecuted(outcome.err, message);
    return { keys, before, outcome, after: keys.map((key) => observe(runtime, key)) };
  };

  /** Nodes charge for a transaction whose program cannot be run; the runtime leaves that to us. */
  const chargeUnexecuted = (err: TransactionError, message: Message): void => {
    const payer = message.keys[0];
    if (payer === undefined || (err !== 'InvalidProgramForExecution' && err !== 'ProgramAccountNotFound'))
      return;
    const account = runtime.read(payer);
    if (account) runtime.write(payer, { ...account, lamports: account.lamports - BigInt(feeOf(message)) });
  };

  const tell = (landed: Landed): void => {
    for (const listener of listeners) {
      try {
        listener(landed);
      } catch (error) {
        log.error({ err: error }, 'a listener of landed transactions failed');
      }
    }
  };

  return {
    submit,
    simulate: (transaction, { verifySignatures, checkBlockhash, commitment }) => {
      const messageHash = hash('sha256', transaction.message.bytes, 'buffer');
      const slot = clock.slot(commitment);
      enterSlot(clock.slot('processed'), transaction.message);
      const refused = checkBlockhash ? refusal(transaction, messageHash, slot) : null;
      const outcome = runtime.simulate(transaction.wire, verifySignatures);
      if (refused === null || outcome.err === 'SignatureFailure') return outcome;
      return { ...nothing(refused), written: [] };
    },
    latestBlockhash: (commitment) => {
      const slot = clock.slot(commitment);
      return { blockhash: blockhashes.ofSlot(slot), lastValidBlockHeight: heightOf(slot) + blockhashAge };
    },
    isBlockhashValid: (blockhash, commitment) => blockhashes.find(blockhash, clock.slot(commitment)) !== null,
    fee: (message, commitment) =>
      blockhashes.find(message.blockhash, clock.slot(commitment)) === null ? null : feeOf(message),
    onLanded: (listener) => void listeners.push(listener),
  };
};

const nothing = (err: TransactionError): Outcome => ({ err, logs: [], units: 0, inner: [], returned: null });

export const signatureOf = ({ signatures }: Transaction): Uint8Array => {
  const [first] = signatures;
  if (!first) throw new Error('A decoded transaction has a signature.');
  return first;
};

interface Run {
  readonly keys: readonly LoadedKey[];
  readonly before: readonly Observation[];
  readonly after: readonly Observation[];
  readonly outcome: Outcome;
}

/** Puts accounts back to what they were before a run. */
const restore = (runtime: Runtime, keys: readonly LoadedKey[], before: readonly Observation[]): void => {
  for (const [index, { key, writable }] of keys.entries()) {
    const old = before[index]?.account ?? null;
    if (writable && !sameAccount(old, runtime.read(key))) runtime.write(key, old);
  }
};

const changes = (
  keys: readonly LoadedKey[],
  before: readonly Observation[],
  after: readonly Observation[],
): AccountWrite[] =>
  keys.flatMap(({ key, writable }, index) => {
    const old = before[index]?.account ?? null;
    const fresh = after[index]?.account ?? null;
    if (!writable || sameAccount(old, fresh)) return [];
    return [{ address: key, before: old && encodeAccount(old), after: fresh && encodeAccount(fresh) }];
  });

const recentSlots = (slot: number): number[] =>
  Array.from({ length: 512 }, (_, age) => slot - 1 - age).filter((old) => old >= 0 && !isSkipped(old));
