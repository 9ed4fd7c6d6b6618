// Examples of requests and replies about groups of agents and limits over all agents.
import type { RouteName } from '../contract/routes.ts';
import { at, group, groupId, treasuryLimits } from './openapi-values.ts';

export const groupExamples = {
  listGroups: { reply: { groups: [group] } },
  createGroup: { request: { name: 'Research', limits: { dailyBudget: '5.00' } }, reply: group },
  getGroup: { reply: group },
  renameGroup: { request: { name: 'Science' }, reply: { ...group, name: 'Science' } },
  setGroupLimits: {
    request: { monthlyBudget: '60.00', maxPerPayment: null },
    reply: { ...group, limits: { ...group.limits, monthlyBudget: '60.00' } },
  },
  archiveGroup: { reply: { groupId, archived: true } },
  stopGroup: { reply: { ...group, stoppedAt: at } },
  resumeGroup: { reply: group },
  setAgentGroup: { request: { groupId }, reply: { agentId: 'scout', groupId } },
  getTreasuryLimits: { reply: treasuryLimits },
  setTreasuryLimits: { request: { monthlyBudget: '100.00' }, reply: treasuryLimits },
} as const satisfies Partial<Record<RouteName, object>>;
