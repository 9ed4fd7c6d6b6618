// The watch, for the owner alone: its choice for each agent, what it saw, and the owner's word on that.
import type { Reply } from '../../../contract/schemas.ts';
import { AppError, fieldError } from '../../../errors.ts';
import { agentNamed, done, type EngineContext } from '../../calls/call.ts';
import { iso } from '../../calls/views.ts';
import type { SomeOperations, WatchMode, WatchMute, WatchTrip, Watched } from '../../ports.ts';

const muteDays = 30;
/** With the reply to the owner's word come the newest trips. */
const newest = { limit: 50 };

export const watchOperations = (context: EngineContext) => {
  const { store, time, publish } = context;
  const { watch } = store;

  const view = (agentId: string, page: { limit: number; before?: number }): Reply<'getWatch'> => ({
    agentId,
    ...standingOf(context, agentId),
    mutes: watch.mutes(agentId, time.now()).map(muteView),
    trips: watch.trips({ agentId, ...page }).map(tripView),
  });
  /** One change of the owner's, in one transaction. */
  const change = (agentId: string, make: (watched: Watched, now: number) => Watched) => {
    store.atomically(() => {
      const before = watch.get(agentId);
      const after = make(before, time.now());
      if (after !== before) watch.set(agentId, after);
    });
    publish({ type: 'agent', agentId });
    return done(view(agentId, newest));
  };

  return {
    listWatch({ query }) {
      const agents = store.agents.list().filter(({ archivedAt }) => archivedAt === null);
      return done({
        agents: agents.map(({ agentId, status }) => ({ agentId, status, ...standingOf(context, agentId) })),
        trips: watch.trips(pageOf(query)).map(tripView),
      });
    },

    getWatch: ({ params, query }) => done(view(agentNamed(store, params.agentId).agentId, pageOf(query))),

    setWatch({ params, body: { mode } }) {
      const { agentId } = agentNamed(store, params.agentId);
      return change(agentId, (watched) => withMode(watched, mode));
    },

    watchNormal({ params, body }) {
      const { agentId } = agentNamed(store, params.agentId);
      return change(agentId, (watched, now) => {
        const { rule, about } = tripMeant(context, agentId, body.tripId ?? watched.asking?.tripId);
        watch.mute({ agentId, rule, about, since: now, until: now + muteDays * 86_400_000 });
        return withoutAsking(watched);
      });
    },

    watchUsual({ params }) {
      const { agentId } = agentNamed(store, params.agentId);
      return change(agentId, withoutAsking);
    },

    endWatchMute({ params, body: { rule, service } }) {
      const { agentId } = agentNamed(store, params.agentId);
      return change(agentId, (watched, now) => {
        if (!watch.endMute({ agentId, rule, about: service }, now))
          throw new AppError('not_found', `There is no mute of ${rule} for this agent and service.`);
        return watched;
      });
    },
  } satisfies SomeOperations;
};

/** Only `ask` makes an agent ask. */
const withMode = (watched: Watched, mode: WatchMode): Watched =>
  mode === watched.mode ? watched : { mode, asking: mode === 'ask' ? watched.asking : null };

const withoutAsking = (watched: Watched): Watched =>
  watched.asking === null ? watched : { ...watched, asking: null };

/** @throws AppError `not_found` */
const tripMeant = (
  { store: { watch } }: Pick<EngineContext, 'store'>,
  agentId: string,
  tripId: string | undefined,
): WatchTrip => {
  const trip = tripId === undefined ? watch.trips({ agentId, limit: 1 })[0] : watch.trip(tripId);
  if (trip?.agentId === agentId) return trip;
  throw fieldError('tripId', 'this agent has no such alert', 'not_found');
};

const standingOf = ({ store: { watch } }: Pick<EngineContext, 'store'>, agentId: string) => {
  const { mode, asking } = watch.get(agentId);
  const trip = asking === null ? undefined : watch.trip(asking.tripId);
  const isAsking = asking !== null && trip !== undefined;
  return { mode, asking: isAsking ? { since: iso(asking.since), trip: tripView(trip) } : null };
};

const pageOf = ({ limit, before }: { limit: number; before?: number | undefined }) => ({
  limit,
  ...(before === undefined ? {} : { before }),
});

const tripView = (trip: WatchTrip): Reply<'getWatch'>['trips'][number] => ({
  id: trip.id,
  agentId: trip.agentId,
  at: iso(trip.at),
  rule: trip.rule,
  service: trip.about,
  sentence: trip.sentence,
  numbers: { ...trip.numbers },
  paymentId: trip.transferId,
  did: trip.did,
  cursor: trip.seq,
});

const muteView = ({ rule, about, since, until }: WatchMute): Reply<'getWatch'>['mutes'][number] => ({
  rule,
  service: about,
  since: iso(since),
  until: iso(until),
});
