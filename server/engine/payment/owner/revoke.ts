// Revokes API keys at once, and with them the approvals that they asked for, which are no longer wanted.
import { announceApproval, refuseApproval } from './approval.ts';
import type { Context } from '../context.ts';
import type { AgentKey, Approval, Store } from '../../ports.ts';

/** With all keys that they delegated, and those that these delegated. */
export const withDescendants = ({ keys }: Pick<Store, 'keys'>, parents: readonly AgentKey[]): AgentKey[] =>
  parents.flatMap((parent) => [parent, ...withDescendants({ keys }, keys.children(parent.id))]);

/**
 * Revokes the keys that are in force. Call it inside a transaction. Returns the approvals that end with the API keys;
 * announce them after the commit.
 */
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

/** Call it after the commit: it ends the waits, and the event streams, of callers with a revoked API key. */
export const announceRevoked = (
  context: Pick<Context, 'store' | 'publish' | 'outcomes'>,
  keys: readonly AgentKey[],
  cancelled: readonly Approval[],
): void => {
  for (const { id } of cancelled) announceApproval(context, id);
  for (const { id } of keys) context.outcomes.endWaitsOf(id);
  for (const agentId of new Set(keys.map((key) => key.agentId))) context.publish({ type: 'agent', agentId });
};
