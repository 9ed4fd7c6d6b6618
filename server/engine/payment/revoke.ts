// Ending API keys: at once, with what they asked for, since it is no longer wanted.
import { announceApproval, refuseApproval } from './approval.ts';
import type { Context } from './context.ts';
import type { AgentKey, Approval } from '../ports.ts';

/** Inside a transaction. Returns the approvals that end with the keys, to be announced after its commit. */
export const revokeKeys = (
  context: Pick<Context, 'store' | 'time'>,
  keys: readonly AgentKey[],
): Approval[] => {
  const { store, time } = context;
  const ended = new Set(keys.map(({ id }) => id));
  for (const { id, revokedAt } of keys) if (revokedAt === null) store.keys.end(id, { revokedAt: time.now() });
  const unwanted = store.approvals.pending().filter(({ keyId }) => keyId !== null && ended.has(keyId));
  for (const approval of unwanted) refuseApproval(context, approval, 'cancelled');
  return unwanted;
};

/** After the commit: nobody waits any longer for what a revoked key asked. */
export const announceRevoked = (
  context: Pick<Context, 'store' | 'publish' | 'outcomes'>,
  keys: readonly AgentKey[],
  cancelled: readonly Approval[],
): void => {
  for (const { id } of cancelled) announceApproval(context, id);
  for (const { id } of keys) context.outcomes.endWaitsOf(id);
};
