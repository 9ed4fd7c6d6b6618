// Lands transactions. Each runs once; its changes, logs and participants are on disk before anybody learns of it. It
// accepts what real nodes accept: signed, under a blockhash of the queue, and not seen before.
import { hash } from 'node:crypto';
import bs58 from 'bs58';

import type { Log } from '../../log.ts';
import { programs, sameKey } from './account.ts';
import { blockhashAge, type Blockhashes } from './blockhashes.ts';
import { heightOf, isSkipped, type ChainClock, type Commitment } from './clock.ts';
import { isCharged, runTransaction, takeBack, writesOf, type Run } from './execution.ts';
import { feeOf } from './fee.ts';
import type { LoadedKey } from './keys.ts';
import type { Landing, Ledger } from './ledger.ts';
import { memoOf } from './memo.ts';
import { storedMeta } from './meta.ts';
import type { Outcome, Runtime, Simulation } from './runtime.ts';
import type { TransactionError } from './transaction-error.ts';
import type { Message, Transaction } from '../../lib/solana/wire.ts';

export interface Landed {
  readonly signature: Uint8Array;
  readonly slot: number;
  readonly atMs: number;
  readonly err: TransactionError | null;
  readonly logs: readonly string[];
  readonly keys: readonly LoadedKey[];
}

interface SimulateOptions {
  verifySignatures: boolean;
  checkBlockhash: boolean;
  commitment: Commitment;
}

export interface Bank {
  /** Runs and keeps a transaction. A refusal is an outcome with an error, and then nothing has happened. */
  submit(transaction: Transaction, preflight: Commitment | null): Outcome;
  simulate(transaction: Transaction, options: SimulateOptions): Simulation;
  latestBlockhash(commitment: Commitment): { blockhash: Uint8Array; lastValidBlockHeight: number };
  isBlockhashValid(blockhash: Uint8Array, commitment: Commitment): boolean;
  /** Null when the message's blockhash is not valid. */
  fee(message: Message, commitment: Commitment): number | null;
  /** Called after a transaction is written, before its sender has the answer. */
  onLanded(listener: (landed: Landed) => void): void;
}

interface BankDeps {
  runtime: Runtime;
  ledger: Ledger;
  clock: ChainClock;
  blockhashes: Blockhashes;
  log: Log;
}

type Listener = (landed: Landed) => void;

interface State extends BankDeps {
  listeners: Listener[];
  /** The slot whose time the runtime has now. */
  timeOfSlot: number;
}

/** When a transaction lands, and by which hash it is known. */
interface Arrival {
  messageHash: Uint8Array;
  slot: number;
  atMs: number;
}

export const createBank = (deps: BankDeps): Bank => {
  const state: State = { ...deps, listeners: [], timeOfSlot: -1 };
  const { clock, blockhashes } = deps;
  return {
    submit: (transaction, preflight) => submit(state, transaction, preflight),
    simulate: (transaction, options) => simulate(state, transaction, options),
    latestBlockhash: (commitment) => {
      const slot = clock.slot(commitment);
      return { blockhash: blockhashes.ofSlot(slot), lastValidBlockHeight: heightOf(slot) + blockhashAge };
    },
    isBlockhashValid: (blockhash, commitment) => blockhashes.find(blockhash, clock.slot(commitment)) !== null,
    fee: (message, commitment) =>
      blockhashes.find(message.blockhash, clock.slot(commitment)) === null ? null : feeOf(message),
    onLanded: (listener) => void state.listeners.push(listener),
  };
};

const submit = (state: State, transaction: Transaction, preflight: Commitment | null): Outcome => {
  const { runtime, clock } = state;
  const atMs = clock.now();
  const slot = clock.slotAt(atMs);
  const messageHash = hash('sha256', transaction.message.bytes, 'buffer');
  enterSlot(state, slot, transaction.message);
  const slots = preflight ? [clock.slot(preflight), slot] : [slot];
  const refused = refusal(state, transaction, messageHash, slots);
  if (refused) {
    const isForged = runtime.simulate(transaction.wire, true).err === 'SignatureFailure';
    return nothing(isForged ? 'SignatureFailure' : refused);
  }
  const run = runTransaction(runtime, transaction);
  const { err, logs } = run.outcome;
  // One run serves as preflight and execution: a failure that preflight would have caught is rolled back.
  if (err !== null && preflight) takeBack(runtime, run);
  if (err !== null && (preflight || !isCharged(run))) return run.outcome;
  keep(state, transaction, { messageHash, slot, atMs }, run);
  tell(state, { signature: signatureOf(transaction), slot, atMs, err, logs, keys: run.keys });
  return run.outcome;
};

const simulate = (
  state: State,
  transaction: Transaction,
  { verifySignatures, checkBlockhash, commitment }: SimulateOptions,
): Simulation => {
  const { runtime, clock } = state;
  const messageHash = hash('sha256', transaction.message.bytes, 'buffer');
  const slot = clock.slot(commitment);
  enterSlot(state, clock.slot('processed'), transaction.message);
  const refused = checkBlockhash ? refusal(state, transaction, messageHash, [slot]) : null;
  const outcome = runtime.simulate(transaction.wire, verifySignatures);
  if (refused === null || outcome.err === 'SignatureFailure') return outcome;
  return { ...nothing(refused), written: [] };
};

/** Programs see the time and the recent slots of the block they run in. */
const enterSlot = (state: State, slot: number, message: Message): void => {
  const { runtime, clock, blockhashes } = state;
  if (slot !== state.timeOfSlot) runtime.setTime(slot, clock.blockTime(slot));
  state.timeOfSlot = slot;
  if (message.keys.some((key) => sameKey(key, programs.lookupTable))) {
    runtime.setSlotHashes(
      recentSlots(slot).map((old) => ({ slot: BigInt(old), hash: bs58.encode(blockhashes.ofSlot(old)) })),
    );
  }
};

/** Why a bank at each of these slots would refuse it. */
const refusal = (
  { ledger, blockhashes }: State,
  transaction: Transaction,
  messageHash: Uint8Array,
  slots: number[],
): TransactionError | null => {
  if (ledger.isKnown(signatureOf(transaction), messageHash)) return 'AlreadyProcessed';
  const { blockhash } = transaction.message;
  return slots.every((slot) => blockhashes.find(blockhash, slot) !== null) ? null : 'BlockhashNotFound';
};

const keep = (
  { runtime, ledger, clock }: State,
  transaction: Transaction,
  { messageHash, slot, atMs }: Arrival,
  run: Run,
): void => {
  const { err } = run.outcome;
  const landing: Landing = {
    signature: signatureOf(transaction),
    messageHash,
    slot,
    atMs,
    err: err === null ? null : JSON.stringify(err),
    memo: memoOf(transaction.message),
    wire: transaction.wire,
    meta: JSON.stringify(storedMeta(runtime, run)),
    addresses: run.keys.map(({ key }) => key),
    writes: writesOf(run),
  };
  try {
    ledger.land(landing, clock.lagMs.finalized > 0 ? clock.horizon('finalized') : null);
  } catch (error) {
    takeBack(runtime, run);
    throw error;
  }
};

const tell = ({ listeners, log }: State, landed: Landed): void => {
  for (const listener of listeners) {
    try {
      listener(landed);
    } catch (error) {
      log.error({ err: error }, 'a listener of landed transactions failed');
    }
  }
};

const nothing = (err: TransactionError): Outcome => ({ err, logs: [], units: 0, inner: [], returned: null });

export const signatureOf = ({ signatures }: Transaction): Uint8Array => {
  const [first] = signatures;
  if (!first) throw new Error('A decoded transaction has a signature.');
  return first;
};

const recentSlots = (slot: number): number[] =>
  Array.from({ length: 512 }, (_, age) => slot - 1 - age).filter((old) => old >= 0 && !isSkipped(old));
