// Keeps the sums that limits in force need, and no others. A sum of a long past is made in slices between which payments
// go on, before the limit is put in force.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Limits, Scope } from '../domain/limits.ts';
import type { MeterKey, Store } from '../ports.ts';
import { nodeOf, type Sums } from './path.ts';
import { edgeOf, metersOf } from './windows.ts';

interface Kept {
  scope: Scope;
  limits: Limits;
  /** Unix milliseconds. */
  totalSince: number;
}

/** Sums the past that these limits will count. Call it before they are put in force. */
export const prepareMeters = async (sums: Sums, kept: Kept, now: number): Promise<void> => {
  for (const slices of building(sums, kept, now)) for (const _ of slices) await nextTurn();
};

/** Call it in the transaction that puts the limits in force. */
export const keepMeters = (sums: Sums, kept: Kept, now: number): void => {
  for (const slices of building(sums, kept, now)) Array.from(slices);
  sums.store.spend.meterOnly(kept.scope, metersOf(kept.scope, kept.limits));
};

/** Of a node that is new: nothing was spent there, so no row is read. */
export const beginMeters = (sums: Sums, kept: Kept, now: number): void => {
  for (const [key, edge] of neededBy(sums, kept, now)) sums.store.spend.meterFromZero(key, edge);
};

const building = (sums: Sums, kept: Kept, now: number): Iterable<void>[] =>
  neededBy(sums, kept, now).map(([key, edge]) => sums.store.spend.meter(key, edge));

const neededBy = (
  { calendar }: Sums,
  { scope, limits, totalSince }: Kept,
  now: number,
): [key: MeterKey, edge: number][] => {
  const moment = { now, month: calendar.monthAt(now), totalSince };
  return metersOf(scope, limits).map((key) => [key, edgeOf(key.name, moment)]);
};

interface Starting extends Sums {
  store: Sums['store'] & Pick<Store, 'atomically'>;
}

/** Compares the sums with their rows, at a start, and makes those again that limits in force lack. An ended key needs none. */
export const recountSums = (sums: Starting, now: number): void => {
  const { agents, keys, policies, limits: nodes, spend, atomically } = sums.store;
  const live = new Set(keys.delegated(null, now).map(({ id }) => id));
  const isEnded = (scope: Scope): boolean => {
    const { kind, id } = nodeOf(sums.store, scope);
    return kind === 'key' && !live.has(id);
  };
  const known = nodes.list();
  // One commit for all: an agent may have ended thousands of keys, and nothing is paid before the start is done.
  atomically(() => {
    for (const { scope } of known) if (isEnded(scope)) spend.meterOnly(scope, []);
  });
  spend.recount();
  const inForce = [
    ...agents.list().map(({ agentId }) => ({ scope: agentId, ...policies.get(agentId) })),
    ...known.filter(({ scope }) => !isEnded(scope)),
  ];
  for (const { scope, totalSince, ...limits } of inForce)
    keepMeters(sums, { scope, limits, totalSince }, now);
};
