// The routes of boosts and refills. Free of zod, as routes.ts is.
import { owner, type Route } from '../route.ts';

export const boostRoutes = {
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
