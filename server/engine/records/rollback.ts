// Rolled-back copies of the records: nothing is paid until reconciliation.ts has read the chain.
//
// The API keys and standing approvals of a rolled-back copy may have been revoked since. The idempotency keys of later
// payments are lost: an agent that repeats a request would pay twice. A phone may have been lost since, or its limits
// lowered. So all its API keys, standing approvals and phones end.
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
/** Ends the reason of a freeze until reconciliation.ts is done. */
export const beingCompared = '; it is being compared with the chain';

/** Freezes everything, marks the records, and ends all that a rolled-back copy must not bring back. Idempotent. */
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
    for (const wallet of store.phones.wallets()) store.phones.put({ ...wallet, removedAt: time.now() });
    const keys = store.agents.list().flatMap(({ agentId }) => store.keys.list(agentId));
    const inForce = keys.filter(({ revokedAt }) => revokedAt === null);
    for (const { id } of inForce) store.keys.end(id, { revokedAt: time.now() });
    return inForce;
  });
  freeze(context, `${why}${beingCompared}`);
  for (const { id } of ended) outcomes.endWaitsOf(id);
};
