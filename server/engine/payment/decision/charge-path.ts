// The nodes that a transfer is charged to beside its agent and the treasury, when it is asked for and when it is granted.
import { ownPath, type ChargePath } from '../../domain/limits.ts';
import { isSpending } from '../../domain/spending.ts';
import type { Intent, Store, Transfer } from '../../ports.ts';
import type { Context } from '../context.ts';

/** A delegated key and those above it, the agent's child first. Empty for one of the agent's own keys. */
export const keyPathOf = ({ keys }: Pick<Store, 'keys'>, keyId: string): string[] => {
  const key = keys.get(keyId);
  return key === undefined || key.delegated === null
    ? []
    : [...keyPathOf({ keys }, key.delegated.parentId), key.id];
};

/** The path of a payment that this agent asks for now. @param keyId the API key that asks; null for the owner */
export const pathNow = (
  { agents, keys }: Pick<Store, 'agents' | 'keys'>,
  agentId: string,
  keyId: string | null,
): ChargePath => ({
  keyPath: keyId === null ? [] : keyPathOf({ keys }, keyId),
  groupId: agents.get(agentId)?.groupId ?? null,
});

/** A refund is credited where its charge was charged; the owner's own transfers are charged to no other node. */
export const pathAsked = (
  { store }: Pick<Context, 'store'>,
  intent: Intent,
  keyId: string | null,
): ChargePath => {
  const charge =
    intent.kind !== 'refund' || intent.invoice === null ? undefined : store.transfers.get(intent.invoice);
  if (charge !== undefined) return { keyPath: charge.keyPath, groupId: charge.groupId };
  return intent.agentId === null || !isSpending(intent) ? ownPath : pathNow(store, intent.agentId, keyId);
};

/** A held payment is charged to the group that its agent is in when the owner grants it. */
export const pathAtGrant = (
  { store }: Pick<Context, 'store'>,
  { agentId, keyPath }: Pick<Transfer, 'agentId' | 'keyPath'>,
): ChargePath => ({
  keyPath,
  groupId: agentId === null ? null : (store.agents.get(agentId)?.groupId ?? null),
});
