// The owner's groups of agents.
import type { Reply } from '../../../../server/contract/schemas.ts';
import { useOwner } from '../../../stores/queries.ts';
import { useTreasury, type AgentSummary } from '../../../stores/treasury.ts';

export type AgentGroup = Reply<'getGroup'>;

const noGroups: readonly AgentGroup[] = [];
const noAgents: readonly AgentSummary[] = [];

/** In the order of their creation; empty until they are read. */
export const useGroups = (): readonly AgentGroup[] => useOwner('listGroups').data?.groups ?? noGroups;

/** Undefined for an agent that is in none. */
export const groupOf = (groups: readonly AgentGroup[], agentId: string): AgentGroup | undefined =>
  groups.find(({ agents }) => agents.includes(agentId));

export const useMembers = ({ agents: ids }: AgentGroup): AgentSummary[] =>
  (useTreasury(({ snapshot }) => snapshot?.agents) ?? noAgents).filter(({ agentId }) =>
    ids.includes(agentId),
  );

export const pathOfGroup = ({ groupId }: { groupId: string }): string =>
  `/agents/group/${encodeURIComponent(groupId)}`;
