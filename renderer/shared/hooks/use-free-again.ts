// Until when a limit of 24 hours that is used up lets nothing be paid: asked of the treasury's own dry run.
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api/owner.ts';
import { useTreasury } from '../../stores/treasury.ts';

type Rule = 'dailyBudget' | 'ownerCeiling';

const least = '0.000001';
/** Each agent has limits of its own, which may refuse first and hide the ceiling. */
const mostAsked = 5;

/** A service that the agent may pay. */
const serviceOf = async (agentId: string): Promise<string | undefined> => {
  const { policy } = await ask('getPolicy', { params: { agentId } });
  if (policy.allowedServices[0] !== undefined) return policy.allowedServices[0];
  const { results } = await ask('searchServices', { query: { q: '', limit: '20' } });
  return results.find(({ source }) => source !== 'model-registry')?.id;
};

const retryAtOf = async (agentId: string, rule: Rule): Promise<string | null> => {
  const service = await serviceOf(agentId);
  if (service === undefined) return null;
  const { details } = await ask('explainPolicy', { params: { agentId }, body: { service, amount: least } });
  return details['rule'] === rule && typeof details['retryAt'] === 'string' ? details['retryAt'] : null;
};

const firstRetryAt = async (agentIds: readonly string[], rule: Rule): Promise<string | null> => {
  for (const agentId of agentIds) {
    const retryAt = await retryAtOf(agentId, rule).catch(() => null);
    if (retryAt !== null) return retryAt;
  }
  return null;
};

/**
 * ISO 8601; null when that is not known, and while `isOver` is false.
 * @param agentId null for the ceiling of all agents
 * @param state changes when the answer may have changed
 */
export const useFreeAgain = (agentId: string | null, isOver: boolean, state: string): string | null => {
  const agents = useTreasury(({ snapshot }) => snapshot?.agents);
  const active = (agents ?? []).filter(({ status }) => status === 'active').map((agent) => agent.agentId);
  const asked = agentId === null ? active.slice(0, mostAsked) : [agentId];
  const rule = agentId === null ? 'ownerCeiling' : 'dailyBudget';
  const { data } = useQuery({
    queryKey: ['explainPolicy', rule, asked, state],
    queryFn: () => firstRetryAt(asked, rule),
    enabled: isOver,
  });
  return isOver ? (data ?? null) : null;
};
