// The reference at the beginning of a life: the limits, the group and the keys of the template, in its own words.
import { agentIds, firstKeys, firstPolicyOf, teamId, teamLimits } from '../keys.ts';
import {
  createReference,
  everything,
  nodeOfGroup,
  nodeOfKey,
  noRules,
  type Reference,
  type Rules,
} from './reference.ts';

const firstRules = (agentId: string): Rules => {
  const { dailyBudget, weeklyBudget, maxPerPayment, approveAbove, approvalMinutes } = firstPolicyOf(agentId);
  const approvalMs = approvalMinutes * 60_000;
  return { ...noRules, dailyBudget, weeklyBudget, maxPerPayment, approveAbove, approvalMs };
};

/** @param begin of the life, in Unix milliseconds */
export const firstReference = (begin: number): Reference => {
  const { dailyBudget, weeklyBudget } = teamLimits;
  const reference = createReference(
    new Map([
      ...agentIds.map((agentId) => [agentId, firstRules(agentId)] as const),
      [nodeOfGroup(teamId), { ...noRules, dailyBudget, weeklyBudget }] as const,
      [everything, noRules] as const,
    ]),
    new Map(agentIds.map((agentId) => [agentId, teamId])),
  );
  for (const { id, parent, level, ms, limits } of firstKeys) {
    const key = { agentId: 'ann', parent, level, endsAt: begin + ms, isEnded: false };
    reference.keys.set(id, key);
    reference.change(nodeOfKey(key, id), limits);
  }
  return reference;
};
