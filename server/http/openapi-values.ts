// Values that several examples of requests and replies share.

export const at = '2030-01-31T12:00:00.000Z';
export const wallet = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
export const txSignature =
  '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';
export const paymentId = 'pay_0mwtgw0wmafc15a8b890';
export const approvalId = 'apr_0mwtgw0wmafc15a8b891';
export const asked = { approvalId, status: 'pending', expiresAt: at };
export const policy = {
  dailyBudget: '5.00',
  maxPerPayment: '0.50',
  cooldownSeconds: 0,
  allowedServices: [],
  weeklyBudget: null,
  monthlyBudget: '60.00',
  totalBudget: null,
  paymentsPerHour: 60,
  paymentsPerDay: null,
  serviceLimits: { 'web-search': { dailyBudget: '1.00', maxPerPayment: '0.10' } },
  activeHours: { days: [1, 2, 3, 4, 5], from: '08:00', to: '19:00' },
  expiresAt: null,
  approveAbove: '0.25',
  newPayees: 'allow',
  approvalMinutes: 15,
};
export const watched = {
  agentId: 'scout',
  mode: 'ask',
  asking: null,
  mutes: [{ rule: 'price_jump', service: 'web-search', since: at, until: at }],
  trips: [
    {
      id: 'wch_0mwtgw0wmafc15a8b893',
      agentId: 'scout',
      at,
      rule: 'not_delivered',
      service: 'sandbox-weather',
      sentence: 'sandbox-weather was paid 5 times in a row, 0.05 USDC in all, and delivered nothing.',
      numbers: { purchases: 5, paid: '0.05' },
      paymentId,
      did: 'asked',
      cursor: 3,
    },
  ],
};
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
  serviceLimits: null,
  activeHours: null,
  expiresAt: null,
};
export const groupId = 'grp_0mwtgw0wmafc15a8b893';
export const group = {
  groupId,
  name: 'Research',
  createdAt: at,
  stoppedAt: null,
  agents: ['scout', 'planner'],
  spentToday: '1.20',
  limits: { ...noLimits, dailyBudget: '5.00' },
  unknownServices: [],
  used: {
    budgets: [{ field: 'dailyBudget', limit: '5.00', used: '1.20', left: '3.80', freeAt: null }],
    rates: [],
    services: [],
    opensAt: null,
    expiresAt: null,
    boost: null,
  },
};
export const treasuryLimits = {
  limits: { ...noLimits, monthlyBudget: '100.00' },
  unknownServices: [],
  used: {
    budgets: [{ field: 'monthlyBudget', limit: '100.00', used: '37.50', left: '62.50', freeAt: null }],
    rates: [],
    services: [],
    opensAt: null,
    expiresAt: null,
    boost: null,
  },
};
export const moved = {
  transferId: 'trf_0mwtgw0wmafc15a8b892',
  agentId: 'scout',
  amount: '10.00',
  currency: 'USDC',
  txSignature,
  status: 'confirmed',
  timestamp: at,
  balance: '10.00',
};

const channelId = 'chn_0mwtgw0wmafc15a8b893';
export const channel = {
  channelId,
  name: 'Webhook',
  place: { kind: 'webhook', url: 'https://hooks.example.com/treasury', allowPrivate: false },
  kinds: ['approval', 'frozen', 'halted'],
  hasPhoneLinks: false,
  trouble: null,
  createdAt: at,
};
export const notice = {
  noticeId: 'ntc_0mwtgw0wmafc15a8b894',
  kind: 'approval',
  agentId: 'scout',
  subject: approvalId,
  title: 'Research Scout needs your approval',
  text: 'A payment of 0.40 USDC to Sandbox Weather. Open Agent Treasury to decide.',
  count: 1,
  timestamp: at,
  dueAt: at,
  deliveries: [
    {
      channelId,
      channel: 'Webhook',
      state: 'delivered',
      attempts: 1,
      nextAt: null,
      endedAt: at,
      answer: 'HTTP 200',
    },
  ],
  cursor: 17,
};
