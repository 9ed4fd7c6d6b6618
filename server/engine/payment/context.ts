// The context that every part of the engine gets, and the stops that every transfer obeys.
import { AppError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type {
  AgentKey,
  AnswerLimits,
  Chain,
  Disk,
  EngineEvent,
  Freeze,
  Keys,
  Network,
  Receipts,
  Seals,
  StopMarker,
  Store,
  Transfer,
} from '../ports.ts';
import type { Outcomes } from './machine/outcomes.ts';
import type { Calendar } from '../limits/calendar.ts';
import type { Attended } from './machine/attended.ts';
import type { Burst } from './decision/burst.ts';
import { drawingStopped } from '../domain/cold.ts';
import { reconciliationMark } from '../domain/reconciliation-mark.ts';
import type { Time } from '../domain/time.ts';
import { leastFreeBytes } from '../../lib/files/free-space.ts';
import { waitingForNetwork, type NetworkGate } from '../../lib/net/network-gate.ts';
import type { OwnOrigins } from '../../lib/net/public-url.ts';
import type { Turns } from '../../lib/turns.ts';

export interface Settings {
  network: Network;
  /** The treasury's address, which is the owner's. */
  owner: string;
  /** Lamports of network fees that one agent may cause in 24 h; null: no limit. */
  feeLimit: bigint | null;
  /** Lamports of rent for payees' token accounts in 24 h; null: no limit. */
  rentLimit: bigint | null;
  /** How long a reservation may wait for its signature. */
  reservationMs: number;
  pollMs: number;
  resendMs: number;
  /** How long a request through the proxy is held for the owner and the chain. */
  proxyHoldMs: number;
  /** Upper limits on the answer of a paid API; `streamBytes`: on one that is sent on while it arrives. */
  answers: AnswerLimits & { streamBytes: number };
  /** The origins of this host: `http://127.0.0.1:PORT`, and the public one while there is one. */
  ownOrigins: OwnOrigins;
  /** The command that an MCP host starts for an agent from now on; the part that all agents share. */
  bridge: () => { command: string; args: readonly string[]; env: Readonly<Record<string, string>> };
}

/** Refusals that are only counted; folding.ts decides which. */
interface Folding {
  /** By agent: refusals that get a row of their own. */
  inFull: Burst;
  /** By agent: rows that begin to count. */
  begun: Burst;
  /** Rows that count, by principal and reason. Lost with the process; then new rows begin to count. */
  counting: Map<string, { transferId: string; since: number }>;
}

export interface Context {
  settings: Settings;
  store: Store;
  stopMarker: StopMarker;
  chain: Chain;
  keys: Keys;
  receipts: Receipts;
  seals: Seals;
  time: Time;
  calendar: Calendar;
  disk: Disk;
  outcomes: Outcomes;
  turns: Turns;
  /** A new id, such as `pay_`, the time and 20 random hex digits. */
  newId(prefix: string): string;
  /** Called after the commit. */
  publish(event: EngineEvent): void;
  log: Log;
  /** Purchases whose requests this process holds, so that it can send their signed bytes to the seller. */
  carried: { has(id: string): boolean };
  /** Transfers that some call waits for now. */
  attended: Attended;
  folding: Folding;
  /** Words from phones: nothing is reserved, signed or sent before those that wait at a start were read. */
  remoteWords: { unread(): boolean };
  /** Ids of link sessions opened by callers that this host knows. */
  knownLinks: Set<string>;
  /** Pages on which the allowance of the cold treasury is being changed, and until when each keeps draws from being made. */
  pauses: Map<string, number>;
  /** Set once, when the disk fails. */
  halted: { reason: string | null };
  /** Nothing is reserved, signed or sent before it is open. */
  network: NetworkGate;
}

/** @throws AppError `halted`, `locked`, or `chain_unreachable` before the chain was checked: nothing at all may be signed */
export const refuseWhenUnable = ({
  halted,
  keys,
  network,
}: Pick<Context, 'halted' | 'keys' | 'network'>): void => {
  if (halted.reason !== null) {
    throw new AppError(
      'halted',
      `The treasury has stopped: ${halted.reason}. Fix the cause, then restart it.`,
    );
  }
  if (keys.locked()) {
    throw new AppError(
      'locked',
      'The treasury is locked. Its owner has to unlock it before anything is paid.',
    );
  }
  const waiting = waitingForNetwork(network);
  if (waiting !== null) throw waiting;
};

/** @throws AppError `disk_low` for a transfer that a freeze would bind */
export const refuseWhenDiskLow = (
  { disk }: Pick<Context, 'disk'>,
  transfer: Pick<Transfer, 'kind' | 'agentId'>,
): void => {
  if (!boundByFreeze(transfer) || disk.freeBytes() >= leastFreeBytes) return;
  throw new AppError(
    'disk_low',
    'The disk that holds the treasury’s records has less than 64 MiB left, so nothing is paid. Its owner has to free some space. Stopping, recalling and withdrawing still work.',
  );
};

/** The owner's recall and withdrawal, and refunds, go on under a freeze. */
export const boundByFreeze = ({ kind }: Pick<Transfer, 'kind'>): boolean =>
  kind === 'payment' || kind === 'charge' || kind === 'allocation' || kind === 'anchor';

/** The committed freeze, or the stop that the database did not take. */
export const frozenBy = ({ store, stopMarker }: Pick<Context, 'store' | 'stopMarker'>): Freeze | null =>
  store.freeze.get() ?? stopMarker.get();

/**
 * Why a transfer of this kind may not be reserved, signed or sent for the first time now; null when it may.
 * Call it inside the transaction of the step: freeze and suspension are committed before they are confirmed.
 */
export const stopFor = (
  context: Pick<Context, 'store' | 'stopMarker' | 'time' | 'remoteWords' | 'network'>,
  transfer: Pick<Transfer, 'kind' | 'agentId'> & Partial<Pick<Transfer, 'source'>>,
): AppError | null => {
  const { store, time, remoteWords } = context;
  const waiting = waitingForNetwork(context.network);
  if (waiting !== null) return waiting;
  if (!boundByFreeze(transfer)) return reconciliationMark(store) === null ? null : beforeReconciliation();
  const freeze = frozenBy(context);
  if (freeze !== null) {
    return new AppError(
      'frozen',
      `The owner stopped all payments: ${freeze.reason}. Only the owner can lift this.`,
      {
        since: new Date(freeze.since).toISOString(),
      },
    );
  }
  if (transfer.kind === 'anchor' && !store.books.isAnchoring())
    return new AppError('conflict', 'The owner has switched anchoring off.');
  if (transfer.source != null && store.cold.get()?.stoppedAt != null)
    return new AppError('conflict', drawingStopped);
  const agent = transfer.agentId === null ? undefined : store.agents.get(transfer.agentId);
  if (agent?.status === 'suspended') {
    const why = agent.statusReason === null ? '' : ` (${agent.statusReason})`;
    return new AppError(
      'suspended',
      `The agent ${agent.agentId} is suspended${why}. Only the owner can resume it.`,
    );
  }
  if (remoteWords.unread()) {
    return new AppError(
      'chain_unreachable',
      'The owner’s words from phones could not be read since the start, and one of them may be a stop. Try again in a moment.',
    );
  }
  const doubt = time.doubt();
  if (doubt !== null) {
    return new AppError('clock_unsafe', `Payments wait because ${doubt}. The owner has to confirm the time.`);
  }
  return null;
};

/** The owner's own transfers wait as well: debits of the wallets are not known yet. */
const beforeReconciliation = (): AppError =>
  new AppError(
    'frozen',
    'The treasury is comparing its records with the chain. Try again once the reason of the freeze shows the result.',
  );

/** @throws AppError `key_ended` for a delegated key that was ended or has expired. @param now Unix milliseconds */
export const refuseEnded = ({ revokedAt, expiresAt }: AgentKey, now: number): void => {
  if (revokedAt === null && (expiresAt === null || expiresAt > now)) return;
  throw new AppError(
    'key_ended',
    'This delegated key has ended, so nothing is paid with it. Ask the agent that delegated it for another.',
  );
};

/**
 * Call it inside the transaction of the step, as `stopFor`.
 * @throws AppError `unauthorized` for a revoked API key, `key_ended` for a delegated key that has ended
 */
export const refuseRevoked = (
  { store, time }: Pick<Context, 'store' | 'time'>,
  keyId: string | null,
): void => {
  if (keyId === null) return;
  const key = store.keys.get(keyId);
  if (key !== undefined && key.delegated !== null) refuseEnded(key, time.now());
  if (store.keys.isRevoked(keyId))
    throw new AppError('unauthorized', 'This API key was revoked. Nothing was paid.');
};

/** Call it inside the transaction that makes the transfer. @throws AppError `halted`, `locked` or that of `stopFor` */
export const refuseWhenStopped = (
  context: Pick<Context, 'halted' | 'keys' | 'store' | 'stopMarker' | 'time' | 'remoteWords' | 'network'>,
  transfer: Pick<Transfer, 'kind' | 'agentId'>,
): void => {
  refuseWhenUnable(context);
  const stop = stopFor(context, transfer);
  if (stop !== null) throw stop;
};
