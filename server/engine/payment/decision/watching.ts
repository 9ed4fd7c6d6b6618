// The watch in T1. `watchRequest` says what it does about a request; it reads alone, so that a dry run asks it too.
// `noteForWatch` keeps the request in mind, records what tripped, and asks or pauses, in the transaction that decides the
// request: no payment slips in between. The owner's own requests pass it by.
import { unreachable } from '../../../errors.ts';
import { addNotice } from '../../notices/add-notice.ts';
import {
  watchRules,
  type Trip,
  type WatchDeed,
  type Watched,
  type Watching,
  type WatchRule,
} from '../../domain/watch.ts';
import {
  burstsBegun,
  noteBursts,
  notePayment,
  noteRefusal,
  type Asked,
  type Memory,
} from '../../watch/memory.ts';
import { baselineDays, dayOf, furtherMs, spans } from '../../watch/pace.ts';
import { refusalTrip, tripsOf } from '../../watch/rules.ts';
import type { AgentKey, Store, Transfer } from '../../ports.ts';
import { revokeKeys, withDescendants } from '../owner/revoke.ts';
import type { Context } from '../context.ts';
import { announceStop, suspendWithin, type Stopped, type Stopping } from '../owner/stop.ts';
import { agentMemoryOf, askedOf, isWatched, memoryOf, type WatchedPayment } from './watch-notes.ts';

type Has<T extends keyof Context> = Pick<Context, T>;

const modelRules: readonly WatchRule[] = ['fast_spending', 'steady_spending'];
const nothing: Watching = { trips: [], does: 'nothing', because: null };

export const watchRequest = ({ store }: Has<'store'>, payment: WatchedPayment, now: number): Watching =>
  findingOf(store, payment, askedOf(store, payment, now));

/** The same for a request to a language model, by the rules about spending alone: it counts once it is settled. */
export const watchModelRequest = (
  { store }: Has<'store'>,
  of: Pick<WatchedPayment, 'agentId' | 'serviceId'>,
  now: number,
): Watching => {
  const asked = { now, serviceId: of.serviceId, payee: '', amount: 0, isNewPayee: false };
  return findingOf(store, of, asked, modelRules);
};

const findingOf = (
  store: Store,
  { agentId, serviceId }: Pick<WatchedPayment, 'agentId' | 'serviceId'>,
  asked: Asked,
  rules: readonly WatchRule[] = watchRules,
): Watching => {
  const { now } = asked;
  const watched = store.watch.get(agentId);
  if (watched.mode === 'off') return nothing;
  const memory = memoryOf(store, agentId, serviceId);
  const { dailyBudget } = store.policies.get(agentId);
  const found = tripsOf({ ...memory, asked, dailyBudget }).filter(({ rule }) => rules.includes(rule));
  const trips = unmuted(store, agentId, found, now);
  const deed = deedOf(watched, burstsBegun(memory.agent, trips, now), now);
  const [first] = trips;
  switch (watched.mode) {
    case 'tell':
      return { ...nothing, trips };
    case 'pause':
      return first === undefined ? nothing : { trips, does: 'pause', because: first };
    case 'ask': {
      const begun = watched.asking === null ? undefined : store.watch.trip(watched.asking.tripId);
      const because = first ?? begun ?? null;
      if (because === null) return nothing;
      return { trips, does: deed === 'paused' ? 'pause' : 'ask', because };
    }
    default:
      return unreachable(watched.mode);
  }
};

/** A further burst within half an hour of the one that made it ask pauses the agent. */
const deedOf = ({ mode, asking }: Watched, begun: readonly Trip[], now: number): WatchDeed => {
  if (mode === 'pause') return 'paused';
  if (mode !== 'ask') return 'told';
  return asking !== null && asking.since > now - furtherMs && begun.length > 0 ? 'paused' : 'asked';
};

const unmuted = (
  { watch }: Pick<Store, 'watch'>,
  agentId: string,
  trips: readonly Trip[],
  now: number,
): Trip[] => {
  if (trips.length === 0) return [];
  const mutes = watch.mutes(agentId, now);
  return trips.filter(({ rule, about }) => !mutes.some((one) => one.rule === rule && one.about === about));
};

/** The watch's finding and act, and the work that a pause ended. */
export interface Seen {
  agentId: string;
  stopped: Stopped | null;
}

type Noting = Stopping & Has<'newId'>;

/**
 * Call it in the transaction that opened the row. The owner's own requests pass the watch by.
 * @param watching what `watchRequest` said in the same transaction; null where it was not asked
 * @returns what it saw, to be announced after the commit; null when that is nothing new
 */
export const noteForWatch = (
  context: Noting,
  row: Transfer,
  keyId: string | null,
  { watching, now }: { watching: Watching | null; now: number },
): Seen | null => {
  if (keyId === null || watching === null || !isWatched(row)) return null;
  const isRefusedByPolicy = row.state === 'denied' && row.refusal?.details['because'] !== 'watch';
  return isRefusedByPolicy
    ? noteRefused(context, { agentId: row.agentId, keyId, transferId: row.id }, now)
    : noteRequest(context, { ...row, keyId }, watching, now);
};

const noteRequest = (
  context: Noting,
  row: Transfer & WatchedPayment & { keyId: string },
  watching: Watching,
  now: number,
): Seen | null => {
  const { store } = context;
  const { agentId, serviceId, keyId } = row;
  const memory = memoryOf(store, agentId, serviceId);
  if (row.state === 'reserved') {
    forgetOld(store, agentId, memory, now);
    notePayment(memory, askedOf(store, row, now));
    store.watch.keepService(agentId, serviceId, memory.service, now);
  }
  return record(context, { agentId, keyId, memory, transferId: row.id }, watching.trips, now);
};

/** Notes a request that was refused. `transferId`: of its row; null where it has none. */
export const noteRefused = (
  context: Noting,
  { agentId, keyId, transferId }: { agentId: string; keyId: string; transferId: string | null },
  now: number,
): Seen | null => {
  const { store } = context;
  const memory = { agent: agentMemoryOf(store, agentId) };
  noteRefusal(memory.agent, keyId, now);
  const trip = refusalTrip(memory.agent, keyId, now);
  const isOff = store.watch.get(agentId).mode === 'off';
  const trips = trip === null || isOff ? [] : unmuted(store, agentId, [trip], now);
  return record(context, { agentId, keyId, memory, transferId }, trips, now);
};

/** Records what a request to a language model tripped, in the transaction that decides it. */
export const noteTrips = (
  context: Noting,
  { agentId, keyId }: Pick<Of, 'agentId' | 'keyId'>,
  trips: readonly Trip[],
  now: number,
): Seen | null => {
  if (trips.length === 0) return null;
  const memory = { agent: agentMemoryOf(context.store, agentId) };
  return record(context, { agentId, keyId, memory, transferId: null }, trips, now);
};

/** The first payment of a day forgets services that were not paid for as long as the baseline reaches. */
const forgetOld = ({ watch }: Store, agentId: string, { agent }: Memory, now: number): void => {
  if (agent.payments.at(-1)?.[0] !== dayOf(now)) watch.forget(agentId, now - (baselineDays + 1) * spans.day);
};

interface Of {
  agentId: string;
  /** The API key that made the request. */
  keyId: string;
  memory: Pick<Memory, 'agent'>;
  transferId: string | null;
}

const record = (
  context: Noting,
  { agentId, keyId, memory, transferId }: Of,
  trips: readonly Trip[],
  now: number,
): Seen | null => {
  const { store, newId } = context;
  const watched = store.watch.get(agentId);
  const begun = burstsBegun(memory.agent, trips, now);
  noteBursts(memory.agent, begun, now);
  store.watch.keepAgent(agentId, memory.agent, now);
  const culprit = store.keys.get(keyId);
  const isDelegated = culprit !== undefined && culprit.delegated !== null;
  const due = deedOf(watched, begun, now);
  const did = isDelegated && due !== 'told' ? 'ended_key' : due;
  const beginsToAsk = did === 'asked' && watched.asking === null;
  // A burst is recorded once, but for each time that it is acted on.
  const recorded = (did === 'paused' || did === 'ended_key' || beginsToAsk ? trips : begun).map((trip) => ({
    ...trip,
    id: newId('wch'),
    agentId,
    at: now,
    transferId,
    did,
  }));
  for (const trip of recorded) store.watch.insertTrip(trip);
  const [first] = recorded;
  if (first === undefined) return null;
  if (beginsToAsk) store.watch.set(agentId, { ...watched, asking: { since: now, tripId: first.id } });
  const stopped = stopOf(context, { did, agentId, culprit, sentence: first.sentence });
  addNotice(context, {
    kind: 'unusual',
    agentId,
    sentence: `${first.sentence}${deeds[did]}`,
    subject: first.id,
  });
  return { agentId, stopped };
};

/** A delegated key ends before its agent has to bear anything. */
const stopOf = (
  context: Noting,
  {
    did,
    agentId,
    culprit,
    sentence,
  }: { did: WatchDeed; agentId: string; culprit: AgentKey | undefined; sentence: string },
): Stopped | null => {
  if (did === 'paused') {
    const statusReason = `paused by the watch: ${sentence}`;
    return suspendWithin(context, agentId, { statusReason, stoppedWith: null });
  }
  if (did !== 'ended_key' || culprit === undefined) return null;
  const keys = withDescendants(context.store, [culprit]);
  return { approvals: revokeKeys(context, keys), transfers: [], requests: 0, keys };
};

/** Call it after the commit. */
export const announceSeen = (context: Stopping, { agentId, stopped }: Seen): void => {
  if (stopped !== null) announceStop(context, stopped);
  context.publish({ type: 'agent', agentId });
};

const deeds: Record<WatchDeed, string> = {
  told: '',
  asked: ' From now on it asks you before each payment.',
  paused: ' It is paused.',
  ended_key: ' The delegated key that did it has ended.',
};
