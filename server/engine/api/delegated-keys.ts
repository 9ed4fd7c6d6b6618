// API keys that an agent delegates to sub-agents and tasks. A slice is a cap, not money set aside: what it can spend now is
// what its wallet and every limit above it leave.
import type { Reply } from '../../contract/schemas.ts';
import { AppError, fieldError, invariant } from '../../errors.ts';
import { formatUsdc } from '../../money.ts';
import { agentNamed, done, type EngineContext } from '../calls/call.ts';
import { iso, isoOrNull } from '../calls/views.ts';
import { scopeOfKey } from '../domain/limits.ts';
import { nodeNow } from '../limits/path.ts';
import { keyPathOf } from '../payment/decision/charge-path.ts';
import { refuseWhenStopped } from '../payment/context.ts';
import { createChangeLimit } from '../payment/decision/burst.ts';
import { announceRevoked, revokeKeys, withDescendants } from '../payment/owner/revoke.ts';
import type { AgentKey, Caller, SomeOperations } from '../ports.ts';
import { issueKey } from './credentials.ts';
import { beginLimits, limitsTold } from './limits/limit-changes.ts';
import { usedOf } from './limits/limits.ts';
import { delegatedKeyNamed } from './path.ts';
import { spendableBy } from './spendable.ts';

const longestMs = 30 * 86_400_000;
const mostLevels = 3;
const mostLive = 100;

/** Ends these keys and all that they delegated. */
export const endKeys = (context: EngineContext, keys: readonly AgentKey[]): void => {
  const ended = withDescendants(context.store, keys);
  const cancelled = context.store.atomically(() => revokeKeys(context, ended));
  announceRevoked(context, ended, cancelled);
};

const view = (context: EngineContext, key: AgentKey): Reply<'endDelegatedKey'> => {
  const { lastSeen, time } = context;
  const { id, agentId, label, delegated, createdAt, expiresAt, revokedAt } = key;
  invariant(delegated !== null && expiresAt !== null, 'a delegated key has a parent and an end');
  const scope = scopeOfKey(delegated.level, id);
  return {
    keyId: id,
    label,
    parentId: delegated.parentId,
    level: delegated.level,
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt),
    endedAt: isoOrNull(revokedAt),
    lastSeenAt: isoOrNull(lastSeen.of(id)),
    ...limitsTold(context, scope),
    used: usedOf(nodeNow(context, scope, time.now())),
    spendable: formatUsdc(spendableBy(context, agentId, id)),
  };
};

/** Where a new key hangs: under the key that mints it, or under the agent when the owner does. @throws AppError `forbidden` */
const placeFor = ({ store }: EngineContext, caller: Caller, agentId: string) => {
  if (caller.role !== 'agent') return { parent: null, delegated: { parentId: agentId, level: 1 } };
  if (!agentNamed(store, agentId).mayDelegate)
    throw new AppError('forbidden', 'The owner has not let this agent delegate. Ask the owner to allow it.');
  const parent = store.keys.get(caller.keyId);
  invariant(parent !== undefined, 'the key of a caller exists');
  const level = caller.keyLevel + 1;
  if (level > mostLevels)
    throw new AppError('forbidden', `Keys are delegated ${mostLevels} times at most. This one is the last.`);
  return { parent, delegated: { parentId: parent.id, level } };
};

export const delegatedKeyOperations = (context: EngineContext) => {
  const { store, time, publish } = context;
  const mints = createChangeLimit('delegate keys');

  return {
    delegateKey({ caller, params, body: { label, expiresAt, ...limits } }) {
      const { agentId } = agentNamed(store, params.agentId);
      const now = time.now();
      mints.count(caller, now);
      const issued = store.atomically(() => {
        // A key that is minted under a stop would outlive it.
        refuseWhenStopped(context, { kind: 'payment', agentId });
        const { parent, delegated } = placeFor(context, caller, agentId);
        const latest = Math.min(now + longestMs, parent?.expiresAt ?? Infinity);
        if (expiresAt <= now || expiresAt > latest)
          throw fieldError('expiresAt', `must lie in the future, at ${iso(latest)} at the latest`);
        if (store.keys.delegated(agentId, now).length >= mostLive)
          throw new AppError('conflict', `This agent has ${mostLive} delegated keys. End one of them first.`);
        const key = issueKey(context, agentId, label, { delegated, expiresAt });
        const scope = scopeOfKey(delegated.level, key.keyId);
        beginLimits(context, scope, limits);
        return { ...key, unknownServices: limitsTold(context, scope).unknownServices };
      });
      publish({ type: 'agent', agentId });
      const spendable = formatUsdc(spendableBy(context, agentId, issued.keyId));
      return done({ ...issued, expiresAt: iso(expiresAt), spendable });
    },

    listDelegatedKeys({ caller, params }) {
      const { agentId, mayDelegate } = agentNamed(store, params.agentId);
      const isShown = ({ id }: AgentKey): boolean =>
        caller.role !== 'agent' ||
        caller.keyLevel === 0 ||
        keyPathOf(store, id).slice(0, -1).includes(caller.keyId);
      const live = store.keys.delegated(agentId, time.now()).filter(isShown);
      return done({ keys: live.map((key) => view(context, key)), mayDelegate });
    },

    endDelegatedKey({ caller, params: { agentId, delegatedKeyId } }) {
      endKeys(context, [delegatedKeyNamed(context, caller, agentId, delegatedKeyId)]);
      return done(view(context, delegatedKeyNamed(context, caller, agentId, delegatedKeyId)));
    },

    setDelegation({ params, body: { allowed } }) {
      const { agentId } = agentNamed(store, params.agentId);
      const ended = allowed ? [] : store.keys.delegated(agentId, time.now());
      const cancelled = store.atomically(() => {
        store.agents.update(agentId, { mayDelegate: allowed });
        return revokeKeys(context, ended);
      });
      announceRevoked(context, ended, cancelled);
      publish({ type: 'agent', agentId });
      return done({ agentId, mayDelegate: allowed });
    },
  } satisfies SomeOperations;
};
