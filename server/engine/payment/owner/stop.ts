// Stops one agent, or everything. A stop is on disk before it is confirmed. If the database does not take a stop, for
// whatever reason, the stop marker beside it keeps the stop, and everything is stopped.
import { AppError } from '../../../errors.ts';
import { addFreezeNotice } from '../../notices/add-notice.ts';
import { refuseApproval } from './approval.ts';
import { boundByFreeze, type Context } from '../context.ts';
import { announceRevoked, revokeKeys } from './revoke.ts';
import { neverSent } from '../machine/steps.ts';
import type { Agent, AgentGroup, AgentKey, Approval, Freeze, Transfer } from '../../ports.ts';
import { setKnown } from '../../domain/foreign-debits.ts';
import { refuseBeforeReconciliation } from '../../domain/reconciliation-mark.ts';

export type Stopping = Pick<
  Context,
  'store' | 'stopMarker' | 'halted' | 'time' | 'publish' | 'outcomes' | 'log'
>;

/** `standing` is asked for by a request to a language model, and lets its agent spend. */
const movesMoney = ({ kind }: Approval): boolean =>
  kind === 'payment' || kind === 'allocate' || kind === 'standing';

/** A freeze cancels all pending approvals; a suspension, those that would move that agent's money. */
const cancelPending = (context: Stopping, agentId?: string): Approval[] => {
  const pending = context.store.approvals
    .pending(agentId)
    .filter((it) => agentId === undefined || movesMoney(it));
  for (const approval of pending) refuseApproval(context, approval, 'cancelled');
  return pending;
};

/** Signed bytes that may not have left yet are never sent from here on, even once the stop is lifted. */
const abandonSigned = ({ store }: Stopping, agentId?: string): Transfer[] =>
  store.transfers
    .open()
    .filter((row) => row.state === 'signed' && boundByFreeze(row))
    .filter((row) => agentId === undefined || row.agentId === agentId)
    .map((row) => store.transfers.move(row.id, 'signed', 'unknown', neverSent));

export const announceStop = (context: Stopping, { approvals, transfers, keys }: Stopped): void => {
  announceRevoked(context, keys, approvals);
  for (const transfer of transfers) context.publish({ type: 'transfer', transfer });
};

/** To be announced after the commit. */
export interface Stopped {
  approvals: Approval[];
  transfers: Transfer[];
  /** To language models, which end with the event of the stop. */
  requests: number;
  /** Delegated keys that ended. */
  keys: AgentKey[];
}

/** A stop ends delegated keys for good: lifting it revives none of them. */
const stopEverything = (context: Stopping, agentId?: string): Stopped => {
  const keys = context.store.keys.delegated(agentId ?? null, context.time.now());
  return {
    approvals: [...cancelPending(context, agentId), ...revokeKeys(context, keys)],
    transfers: abandonSigned(context, agentId),
    requests: context.store.modelRequests.held(agentId).length,
    keys,
  };
};

/**
 * Keeps a stop that the database did not take.
 * @throws AppError `halted` when the disk does not take it either; it still holds in this process
 */
const markStop = (context: Stopping, what: string, cause: unknown): Freeze => {
  const { stopMarker, halted, time, publish, log } = context;
  const how = halted.reason === null ? 'while the records could not be written' : 'while the disk failed';
  const stop = stopMarker.get() ?? { since: time.now(), reason: `${what} ${how}` };
  log.error({ err: cause }, 'a stop could not be committed: everything is stopped by the stop marker');
  try {
    stopMarker.set(stop);
  } catch (error) {
    log.fatal({ err: error }, 'a stop could not be recorded: a restart would forget it');
    throw new AppError('halted', notRecorded, { recorded: false }, { cause: error });
  } finally {
    publish({ type: 'freeze', frozen: true, reason: stop.reason });
  }
  return stop;
};

const notRecorded =
  'The stop was not recorded, since the disk takes no writes. Nothing is paid while this program runs, but a restart would forget the stop: end the program, and do not start it before you have freed space or repaired the disk. Then stop it again at once.';

/** Call it at start, before anything is signed or sent: the database then holds the marker's stop as well. */
export const obeyMarker = (context: Stopping): void => {
  const stop = context.stopMarker.get();
  if (stop !== null) freeze(context, stop.reason, stop.since);
};

const nothingStopped: Stopped = { approvals: [], transfers: [], requests: 0, keys: [] };

/** Suspends an agent in the transaction of the caller; announce what it ended after the commit. */
export const suspendWithin = (context: Stopping, agentId: string, change: Suspension): Stopped => {
  const { store } = context;
  const agent = store.agents.get(agentId);
  if (agent === undefined) return nothingStopped;
  if (agent.status === 'suspended') {
    // A later stop outlasts that of a group: the group's resumption does not lift it.
    if (agent.stoppedWith !== null && agent.stoppedWith !== change.stoppedWith)
      store.agents.update(agentId, change);
    return nothingStopped;
  }
  store.agents.update(agentId, { status: 'suspended', ...change });
  return stopEverything(context, agentId);
};

type Suspension = Pick<Agent, 'statusReason' | 'stoppedWith'>;

/**
 * Commits the suspensions, or stops everything instead. Returns what they ended for good.
 * @throws AppError `halted` when they could not be committed
 */
const suspendAll = (context: Stopping, what: string, stop: () => Stopped[]): Stopped => {
  let stopped: Stopped[];
  try {
    stopped = context.store.atomically(stop);
  } catch (error) {
    const { reason } = markStop(context, what, error);
    throw new AppError('halted', everythingInstead, { recorded: true, reason }, { cause: error });
  }
  for (const one of stopped) announceStop(context, one);
  return {
    approvals: stopped.flatMap(({ approvals }) => approvals),
    transfers: stopped.flatMap(({ transfers }) => transfers),
    requests: stopped.reduce((sum, { requests }) => sum + requests, 0),
    keys: stopped.flatMap(({ keys }) => keys),
  };
};

/**
 * Suspends an agent (no change if it is, unless by a group's stop). Null, for the treasury's own wallet, freezes everything.
 * @throws AppError `halted` when that could not be committed; then everything is stopped instead
 */
export const suspend = (context: Stopping, agentId: string | null, reason: string | null): Stopped => {
  if (agentId === null) return freeze(context, reason ?? 'the treasury’s wallet is stopped');
  const why = reason === null ? '' : ` (${reason})`;
  const stopped = suspendAll(context, `the agent ${agentId} was stopped${why}`, () => [
    suspendWithin(context, agentId, { statusReason: reason, stoppedWith: null }),
  ]);
  context.publish({ type: 'agent', agentId });
  return stopped;
};

/** The agents of a group that are not archived. */
export const membersOf = ({ store }: Pick<Stopping, 'store'>, groupId: string): Agent[] =>
  store.agents.list().filter((agent) => agent.groupId === groupId && agent.archivedAt === null);

/**
 * Suspends all agents of a group in one commit. @throws AppError `halted` as `suspend` does
 */
export const stopGroup = (context: Stopping, { id, name }: AgentGroup): Stopped => {
  const { store, time, publish } = context;
  const stopped = suspendAll(context, `the group ${name} was stopped`, () => {
    store.groups.update(id, { stoppedAt: store.groups.get(id)?.stoppedAt ?? time.now() });
    const change = { statusReason: `the group ${name} was stopped`, stoppedWith: id };
    return membersOf(context, id).map(({ agentId }) => suspendWithin(context, agentId, change));
  });
  for (const { agentId } of membersOf(context, id)) publish({ type: 'agent', agentId });
  publish({ type: 'ceiling' });
  return stopped;
};

/** Resumes the agents that the group's stop suspended, and no others. */
export const resumeGroup = (context: Stopping, { id }: AgentGroup): void => {
  const { store, publish } = context;
  const stopped = store.agents.list().filter(({ stoppedWith }) => stoppedWith === id);
  store.atomically(() => {
    store.groups.update(id, { stoppedAt: null });
    for (const { agentId } of stopped) {
      store.agents.update(agentId, active);
      setKnown(store, agentId);
    }
  });
  for (const { agentId } of stopped) publish({ type: 'agent', agentId });
  publish({ type: 'ceiling' });
};

const active = { status: 'active', statusReason: null, stoppedWith: null } as const;

const everythingInstead =
  'This could not be stopped alone, since the records could not be written. Everything is stopped instead, and stays so after a restart until the owner lifts the freeze.';

/** Ends an agent's suspension. Approvals that it canceled stay canceled. */
export const resume = ({ store, publish }: Stopping, agentId: string): Agent => {
  const agent = store.atomically(() => {
    setKnown(store, agentId);
    return store.agents.update(agentId, active);
  });
  publish({ type: 'agent', agentId });
  return agent;
};

/**
 * Commits the freeze, and returns what it ended for good; once it returns, nothing bound by it is reserved, signed or sent for the first time.
 * @throws AppError `halted` when both the database and the marker fail
 */
export const freeze = (context: Stopping, reason: string, since = context.time.now()): Stopped => {
  const { store, publish } = context;
  let done: { frozen: Freeze; stopped: Stopped };
  try {
    done = store.atomically(() => {
      const before = store.freeze.get();
      const frozen = before ?? { since, reason };
      store.freeze.set(frozen);
      if (before === null) addFreezeNotice(context, frozen);
      return { frozen, stopped: stopEverything(context) };
    });
  } catch (error) {
    markStop(context, reason, error);
    return nothingStopped;
  }
  announceStop(context, done.stopped);
  publish({ type: 'freeze', frozen: true, reason: done.frozen.reason });
  return done.stopped;
};

/**
 * Lifts the freeze, which also confirms that this machine's clock is right. Nothing else clears the marker.
 * @throws AppError `conflict` while a reconciliation is due, `halted` when the marker stays
 */
export const unfreeze = (context: Stopping): void => {
  const { store, stopMarker, time, publish } = context;
  const stopped = store.atomically(() => {
    refuseBeforeReconciliation(store);
    // A stop that never reached the records: lifting it must not resume anything that it stopped.
    const isCommitted = stopMarker.get() === null || store.freeze.get() !== null;
    store.freeze.set(null);
    setKnown(store, null);
    return isCommitted ? null : stopEverything(context);
  });
  if (stopped !== null) announceStop(context, stopped);
  try {
    stopMarker.clear();
  } catch (error) {
    throw new AppError('halted', markerStays, {}, { cause: error });
  }
  time.trust();
  publish({ type: 'freeze', frozen: false, reason: null });
};

const markerStays =
  'Everything stays stopped: the file stop.marker in the data folder could not be written. Check the disk, then lift the freeze again.';

/** Rows that were sent before the stop: they cannot be taken back, and may land until they expire. */
export const mayStillLand = ({ store }: Pick<Context, 'store'>): Transfer[] =>
  store.transfers.open().filter((row) => boundByFreeze(row) && row.signed !== null && row.state !== 'seen');
