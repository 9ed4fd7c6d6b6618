// A path of six nodes, each with two limits that no payment reaches.
import type { Engine } from '../../../../server/engine/engine.ts';
import { setLimits, type LimitsChange } from '../../../../server/engine/api/limits/limit-changes.ts';
import { scopeOfAll, scopeOfGroup, scopeOfKey } from '../../../../server/engine/domain/limits.ts';
import { agentId, plenty } from '../floors/bare-engine.ts';

const often = 1_000_000_000;
const groupId = 'grp_1';
const keyLimits: readonly LimitsChange[] = [
  { weeklyBudget: plenty, paymentsPerDay: often },
  { totalBudget: plenty, monthlyBudget: plenty },
  { dailyBudget: plenty, paymentsPerHour: often },
];

/** An API key of the agent. @param parentId the key, or the agent, that delegated it; null for one of the agent's own */
const insertKey = ({ context }: Engine, id: string, parentId: string | null, level: number): void => {
  const createdAt = context.time.now();
  const expiresAt = parentId === null ? null : createdAt + 86_400_000;
  const delegated = parentId === null ? null : { parentId, level };
  const rest = { label: id, createdAt, expiresAt, revokedAt: null, delegated };
  context.store.keys.insert({ id, agentId, hash: id, ...rest });
};

/**
 * The key that pays. The agent itself has a daily budget and a most for one payment.
 * @param levels of delegated keys above it; with any, its agent is in a group, which has limits as the treasury has
 */
export const plantPath = (engine: Engine, levels: number): string => {
  const { context } = engine;
  const { store } = context;
  return store.atomically(() => {
    insertKey(engine, 'key_0', null, 0);
    if (levels === 0) return 'key_0';
    const createdAt = context.time.now();
    store.groups.insert({ id: groupId, name: 'Group', createdAt, stoppedAt: null, archivedAt: null });
    store.agents.update(agentId, { groupId });
    setLimits(context, scopeOfGroup(groupId), { weeklyBudget: plenty, monthlyBudget: plenty });
    setLimits(context, scopeOfAll, { dailyBudget: plenty, monthlyBudget: plenty });
    for (const [at, limits] of keyLimits.slice(0, levels).entries()) {
      const level = at + 1;
      insertKey(engine, `key_${level}`, `key_${at}`, level);
      setLimits(context, scopeOfKey(level, `key_${level}`), limits);
    }
    return `key_${levels}`;
  });
};
