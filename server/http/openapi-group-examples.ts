// Examples of requests and replies about groups of agents and limits over all agents.
import type { RouteName } from '../contract/routes.ts';

const at = '2030-01-31T12:00:00.000Z';
const noLimits = {
  dailyBudget: null,
  weeklyBudget: null,
  monthlyBudget: null,
  totalBudget: null,
  maxPerPayment: null,
  cooldownSeconds: null,
  allowedServices: null,
  paymentsPerHour: null,
  paymentsPerDay: null,
  activeHours: null,
  expiresAt: null,
};
const groupId = 'grp_0mwtgw0wmafc15a8b893';
const group = {
  groupId,
  name: 'Research',
  createdAt: at,
  stoppedAt: null,
  agents: ['scout', 'planner'],
  spentToday: '1.20',
  limits: { ...noLimits, dailyBudget: '5.00' },
  used: {
    budgets: [{ field: 'dailyBudget', limit: '5.00', used: '1.20', left: '3.80', freeAt: null }],
    rates: [],
    opensAt: null,
    expiresAt: null,
  },
};
const treasuryLimits = {
  limits: { ...noLimits, monthlyBudget: '100.00' },
  used: {
    budgets: [{ field: 'monthlyBudget', limit: '100.00', used: '37.50', left: '62.50', freeAt: null }],
    rates: [],
    opensAt: null,
    expiresAt: null,
  },
};

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
