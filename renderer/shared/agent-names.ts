// Agents by the names that the owner knows, in the page.
import { useMemo } from 'react';
import { namesOf, type Named } from '../../server/contract/agents/agent-names.ts';
import { useOwner } from '../stores/queries.ts';
import { useAgents } from '../stores/treasury.ts';

const none: readonly Named[] = [];

/** Names an agent by its id. Archived agents are looked up once one of `ids` is not in use. */
export const useAgentNames = (ids: readonly string[]): ((agentId: string) => string) => {
  const inUse = useAgents();
  const isArchived = ids.some((id) => id !== '' && inUse.every(({ agentId }) => agentId !== id));
  const listed = useOwner('listAgents', {}, { enabled: isArchived }).data?.agents ?? none;
  const names = useMemo(() => {
    const archived = listed.filter(({ agentId }) => inUse.every((agent) => agent.agentId !== agentId));
    return namesOf([...inUse, ...archived]);
  }, [inUse, listed]);
  return (agentId) => names.get(agentId) ?? agentId;
};

/** The address of its page, or of one of its tabs. */
export const pathOfAgent = (agentId: string, tab = ''): string =>
  `/agents/${encodeURIComponent(agentId)}${tab === '' ? '' : `/${tab}`}`;

export const useAgentName = (agentId: string): string => useAgentNames([agentId])(agentId);
