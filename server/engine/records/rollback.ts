// Records that are found to be older than what they were: nothing is paid by them until reconcile.ts has read the chain.
//
// What an older copy says of keys and standing grants may have been taken back since, and the Idempotency-Keys of what
// was paid since are lost with it: an agent that repeats a request would pay twice. So its keys and grants end.
import type { Context } from '../payment/context.ts';
import {
  nothingFound,
  reconciliationMark,
  setOlderUntil,
  setReconciliationMark,
  type ReconciliationMark,
} from '../domain/reconciliation-mark.ts';
import { freeze } from '../payment/stop.ts';

export const rolledBack = 'these records are an older copy';
export const missing = 'a movement of money was not in these records';
/** Ends the reason of a freeze until reconcile.ts is done. */
export const beingCompared = '; it is being compared with the chain';

/** Freezes everything, marks the ledger, and ends what an older copy must not bring back. Twice is once. */
export const beginReconciliation = (
  context: Context,
  kind: ReconciliationMark['kind'],
  why: string,
): void => {
  const { store, time, outcomes, log } = context;
  log.error({ why }, 'the records lack what the chain knows: frozen until it is read');
  // The mark first: a start that finds it freezes again.
  const ended = store.atomically(() => {
    const mark = reconciliationMark(store);
    if (mark?.kind !== 'older') setReconciliationMark(store, { ...nothingFound, ...mark, kind });
    if (kind !== 'older') return [];
    setOlderUntil(store);
    for (const { id } of store.grants.list())
      store.grants.end(id, time.now(), 'The records were an older copy.');
    const keys = store.agents.list().flatMap(({ agentId }) => store.keys.list(agentId));
    const inForce = keys.filter(({ revokedAt }) => revokedAt === null);
    for (const { id } of inForce) store.keys.end(id, { revokedAt: time.now() });
    return inForce;
  });
  freeze(context, `${why}${beingCompared}`);
  for (const { id } of ended) outcomes.endWaitsOf(id);
};
