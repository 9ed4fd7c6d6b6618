// Records that lack a payment which the chain shows, as a rolled-back copy does: nothing is paid until reconciliation.ts has
// read the chain.
//
// The API keys and standing approvals of a rolled-back copy may have been revoked since. The idempotency keys of later
// payments are lost: an agent that repeats a request would pay twice. A phone may have been lost since, or its limits
// lowered. So all its API keys, standing approvals and phones end. Nothing repairs what was used of language models since: their
// suppliers are off until the owner has entered it (catalog/used-since.ts).
import type { Context } from '../payment/context.ts';
import {
  nothingFound,
  reconciliationMark,
  setOlderUntil,
  setReconciliationMark,
  type ReconciliationMark,
} from '../domain/reconciliation-mark.ts';
import { freeze } from '../payment/owner/stop.ts';
import type { AgentKey } from '../ports.ts';

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
  const { store, log } = context;
  log.error({ why }, 'the records lack what the chain knows: frozen until it is read');
  // The mark first: a start that finds it freezes again.
  const ended = store.atomically(() => {
    const mark = reconciliationMark(store);
    if (mark?.kind !== 'older') setReconciliationMark(store, { ...nothingFound, ...mark, kind });
    return kind === 'older' ? endCredentials(context, null) : [];
  });
  freeze(context, `${why}${beingCompared}`);
  announceEnded(context, ended);
};

/**
 * Ends what could pay again what these records lack: the API keys and standing approvals of an agent, or of all (null) with
 * the phones. Call it in the transaction that enters what was lacking, and announce what it returns after the commit.
 */
export const endCredentials = (
  { store, time }: Pick<Context, 'store' | 'time'>,
  agentId: string | null,
  why = 'The records were an older copy.',
): AgentKey[] => {
  const isAll = agentId === null;
  if (isAll) {
    setOlderUntil(store, time.now());
    for (const supplier of store.modelSuppliers.list())
      if (supplier.enabled) store.modelSuppliers.set({ ...supplier, enabled: false });
    for (const wallet of store.phones.wallets()) store.phones.put({ ...wallet, removedAt: time.now() });
  }
  for (const grant of store.grants.list())
    if (isAll || grant.agentId === agentId) store.grants.end(grant.id, time.now(), why);
  const agents = isAll ? store.agents.list().map((agent) => agent.agentId) : [agentId];
  const inForce = agents.flatMap((id) => store.keys.list(id)).filter(({ revokedAt }) => revokedAt === null);
  for (const { id } of inForce) store.keys.end(id, { revokedAt: time.now() });
  return inForce;
};

export const announceEnded = ({ outcomes }: Pick<Context, 'outcomes'>, ended: readonly AgentKey[]): void => {
  for (const { id } of ended) outcomes.endWaitsOf(id);
};
