// Agents by the names that the owner knows. An agent can rename itself: where two names could be mistaken for each other,
// the id is added.
import { useMemo } from 'react';
import { useOwner } from '../stores/queries.ts';
import { useTreasury } from '../stores/treasury.ts';

interface Named {
  agentId: string;
  displayName: string;
}

const sounds = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s._-]+/g, '');

/** A name for each agent. */
export const namesOf = (agents: readonly Named[]): ReadonlyMap<string, string> => {
  const owners = Map.groupBy(
    agents.flatMap(({ agentId, displayName }) => [
      { agentId, said: sounds(displayName) },
      { agentId, said: sounds(agentId) },
    ]),
    ({ said }) => said,
  );
  const isAlone = ({ agentId, displayName }: Named): boolean =>
    (owners.get(sounds(displayName)) ?? []).every((other) => other.agentId === agentId);
  return new Map(
    agents.map((agent) => {
      const { agentId, displayName } = agent;
      return [agentId, isAlone(agent) ? displayName : `${displayName} (${agentId})`];
    }),
  );
};

const none: readonly Named[] = [];

/** Names an agent by its id. Archived agents are looked up once one of `ids` is not in use. */
export const useAgentNames = (ids: readonly string[]): ((agentId: string) => string) => {
  const inUse = useTreasury(({ snapshot }) => snapshot?.agents) ?? none;
  const isArchived = ids.some((id) => id !== '' && inUse.every(({ agentId }) => agentId !== id));
  const listed = useOwner('listAgents', {}, { enabled: isArchived }).data?.agents ?? none;
  const names = useMemo(() => {
    const archived = listed.filter(({ agentId }) => inUse.every((agent) => agent.agentId !== agentId));
    return namesOf([...inUse, ...archived]);
  }, [inUse, listed]);
  return (agentId) => names.get(agentId) ?? agentId;
};

export const useAgentName = (agentId: string): string => useAgentNames([agentId])(agentId);
