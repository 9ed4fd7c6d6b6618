// The owner's groups of agents.
import type { Reply } from '../../../../server/contract/schemas.ts';
import { useOwner } from '../../../stores/queries.ts';
import { useAgents, type AgentSummary } from '../../../stores/treasury.ts';

export type AgentGroup = Reply<'getGroup'>;

const noGroups: readonly AgentGroup[] = [];

/** In the order of their creation; empty until they are read. */
export const useGroups = (): readonly AgentGroup[] => useOwner('listGroups').data?.groups ?? noGroups;

/** Undefined for an agent that is in none. */
export const groupOf = (groups: readonly AgentGroup[], agentId: string): AgentGroup | undefined =>
  groups.find(({ agents }) => agents.includes(agentId));

export const useMembers = ({ agents: ids }: AgentGroup): AgentSummary[] =>
  useAgents().filter(({ agentId }) => ids.includes(agentId));

export const pathOfGroup = ({ groupId }: { groupId: string }): string =>
  `/agents/group/${encodeURIComponent(groupId)}`;
