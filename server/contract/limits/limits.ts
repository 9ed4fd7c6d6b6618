// Limits of agents, groups and the treasury; boosts and refills.
import { anyKey, owner, thisAgent, type Route } from '../route.ts';

export const limitRoutes = {
  getPolicy: thisAgent('GET /v1/agents/:agentId/policy', 'The policy in force'),
  setPolicy: thisAgent('POST /v1/agents/:agentId/policy', 'Change the policy; only sent fields change'),
  getLimits: anyKey('GET /v1/agents/:agentId/limits', 'What is used of its budgets and numbers'),
  previewPolicy: owner(
    'POST /v1/agents/:agentId/policy/preview',
    'The effect that a changed policy would have had on the payments of the last 30 days; changes nothing',
  ),
  listGroups: owner('GET /v1/groups', 'The groups, with their agents, limits and what is used of them'),
  createGroup: owner('POST /v1/groups', 'Create a group'),
  getGroup: owner('GET /v1/groups/:groupId', 'One group'),
  renameGroup: owner('POST /v1/groups/:groupId/rename', 'Change its name'),
  setGroupLimits: owner(
    'POST /v1/groups/:groupId/limits',
    'Change what its agents may spend together; only sent fields change',
  ),
  archiveGroup: owner('POST /v1/groups/:groupId/archive', 'Hide a group that has no agents'),
  stopGroup: owner('POST /v1/groups/:groupId/stop', 'Suspend all its agents'),
  resumeGroup: owner('POST /v1/groups/:groupId/resume', 'Resume the agents that its stop suspended'),
  setAgentGroup: owner('POST /v1/agents/:agentId/group', 'Put the agent into a group, or into none'),
  getCeiling: owner('GET /v1/treasury/policy', 'The owner’s daily limit for all agents'),
  setCeiling: owner('POST /v1/treasury/policy', 'Set the daily limit for all agents, or null for none'),
  getTreasuryLimits: owner(
    'GET /v1/treasury/limits',
    'All limits for all agents, the daily limit among them',
  ),
  setTreasuryLimits: owner(
    'POST /v1/treasury/limits',
    'Change what all agents may spend together; only sent fields change',
  ),
  getTimeZone: owner('GET /v1/treasury/time-zone', 'The time zone by whose calendar monthly budgets count'),
  setTimeZone: owner(
    'POST /v1/treasury/time-zone',
    'Set the time zone; the running month counts by its clock',
  ),
  listBoosts: owner('GET /v1/boosts', 'The boosts in force'),
  endBoost: owner('DELETE /v1/boosts/:boostId', 'End a boost; what was spent still counts'),
  boostAgent: owner(
    'POST /v1/agents/:agentId/boost',
    'Raise its budgets of day, week and month until a time; an amount of 0 ends that',
  ),
  boostGroup: owner('POST /v1/groups/:groupId/boost', 'The same for the budgets of a group'),
  boostTreasury: owner('POST /v1/treasury/boost', 'The same for the budgets over all agents'),
  getRefill: owner('GET /v1/agents/:agentId/refill', 'Whether, and when, the treasury refills its wallet'),
  setRefill: owner(
    'POST /v1/agents/:agentId/refill',
    'Allocate to it by itself whenever its wallet falls under an amount, or null for never',
  ),
  foreseeBoost: owner(
    'GET /v1/transfers/:transferId/boost',
    'Every node that a boost has to raise so that a refused payment would pass; changes nothing',
  ),
  boostFor: owner(
    'POST /v1/transfers/:transferId/boost',
    'Raise all of them, or none, so that the payment passes when the agent asks again',
  ),
} as const satisfies Record<string, Route>;
