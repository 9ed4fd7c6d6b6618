// Where an example of a request or reply differs from the examples of its fields, or adds to them.
import type { RouteName } from '../contract/routes.ts';

/** What a route takes and gives, by the kind of the body. */
export interface Example {
  request?: unknown;
  reply?: unknown;
  accepted?: unknown;
}

const at = '2030-01-31T12:00:00.000Z';
const later = '2030-01-31T12:15:00.000Z';
const wallet = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const watched = { mutes: [{ rule: 'price_jump', service: 'web-search', until: '2030-03-02T12:00:00.000Z' }] };
const asked = { status: 'pending' };
const policy = {
  maxPerPayment: '0.50',
  cooldownSeconds: 0,
  monthlyBudget: '60.00',
  paymentsPerHour: 60,
  serviceLimits: { 'web-search': { dailyBudget: '1.00', maxPerPayment: '0.10' } },
  activeHours: { days: [1, 2, 3, 4, 5], from: '08:00', to: '19:00' },
  approveAbove: '0.25',
  approvalMinutes: 15,
};
const refilled = { refill: { below: '2.00', to: '10.00', perDay: '20.00' } };
const ceiling = { dailyBudget: '50.00' };
const used = { rates: [], services: [] };
const spent = { used: '1.20', left: '3.80' };
const group = { limits: { dailyBudget: '5.00' }, used: { ...used, budgets: [spent] } };
const treasuryLimits = {
  limits: { monthlyBudget: '100.00' },
  used: { ...used, budgets: [{ field: 'monthlyBudget', limit: '100.00', used: '37.50', left: '62.50' }] },
};
const webhook = { kind: 'webhook', url: 'https://hooks.example.com/treasury' };
const kinds = ['approval', 'frozen', 'halted'];
const channel = { place: { ...webhook, allowPrivate: false }, kinds };
const notice = { deliveries: [{ endedAt: at }] };
const closed = {
  state: 'closed',
  closedAt: at,
  entries: 1204,
  root: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
};
const none = { amount: '0.00', entries: 0 };
const noSol = { amount: '0', entries: 0 };
const quiet = { withdrawals: none, charges: none };
const rule = { serviceId: 'sandbox-weather', account: 'Expenses:Research', costCentre: 'R&D' };
const ofOneService = { payee: null, origin: null, agentId: null, groupId: null };

/** By route. */
export const exampleValues: Readonly<Partial<Record<RouteName, Example>>> = {
  health: { reply: { ok: true } },
  deploy: {
    request: { maxPerPayment: '0.50', displayName: 'Research Scout' },
    reply: {
      mcpConfig: { env: { TREASURY_OWNER: wallet, TREASURY_AGENT_ID: 'scout', TREASURY_API_KEY: 'atk_…' } },
    },
    accepted: asked,
  },
  allocate: { reply: { balance: '15.00' }, accepted: asked },
  recall: { reply: { balance: '10.00' } },
  getPolicy: {
    reply: {
      policy,
      boost: { boostId: 'bst_0mwtgw0wmafc15a8b893', amount: '2.00', until: '2026-11-22T22:59:59.999Z' },
    },
  },
  setPolicy: {
    request: { maxPerPayment: '0.50', reason: 'The reports cost 0.40 now.' },
    reply: { policy },
    accepted: asked,
  },
  explainPolicy: {
    request: { amount: '0.01' },
    reply: { message: 'The policy allows it.', budget: { spent: '1.20', left: '3.80' } },
  },
  archive: { reply: { status: 'suspended' } },
  kill: { reply: { status: 'suspended' } },
  setWatch: { reply: watched },
  getWatch: { reply: watched },
  watchNormal: { request: {}, reply: watched },
  endWatchMute: { request: { rule: 'runaway', service: 'sandbox-weather' }, reply: watched },
  withdraw: { reply: { agentId: null, balance: '95.00' } },
  pay: {
    request: { amount: '0.01', description: 'The weather in Lisbon' },
    reply: { amount: '0.01' },
    accepted: { status: 'awaiting_approval', approvalId: 'apr_0mwtgw0wmafc15a8b891', expiresAt: later },
  },
  fetch: {
    request: { maxAmount: '0.10' },
    reply: {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"report":17}',
      payment: { amount: '0.10', dialect: 'x402-v2' },
    },
  },
  spendHistory: { reply: { payments: [{ amount: '0.01' }] } },
  generate: { reply: { estimatedCost: '0.05' }, accepted: { estimatedCost: '0.05' } },
  bookProgress: { reply: { isUnderWay: true } },
  bookMonths: { reply: { months: [closed] } },
  closeMonth: { reply: closed },
  bookTotals: {
    reply: {
      opening: '0.00',
      closing: '100.00',
      now: {
        ...quiet,
        deposits: { amount: '100.00', entries: 1 },
        sales: none,
        solDeposits: noSol,
        words: noSol,
      },
      before: {
        ...quiet,
        spent: { amount: '3.20', entries: 9 },
        deposits: none,
        sales: none,
        solDeposits: noSol,
        words: noSol,
      },
    },
  },
  addBookSales: {
    request: { sales: [{ amount: '0.05', name: 'GET /report' }] },
    reply: { added: 1, known: 0, foreign: 0, deposits: { amount: '0.05', entries: 1 } },
  },
  bookRules: { reply: { rules: [{ ...rule, ...ofOneService }] } },
  addBookRule: { request: rule, reply: { ...rule, ...ofOneService } },
  changeBookRule: { request: { rank: 0 }, reply: { ...rule, ...ofOneService } },
  previewBookRule: { request: { serviceId: 'sandbox-weather', month: '2029-12' }, reply: { taken: [] } },
  phoneRequests: { reply: { approve: `solana:${wallet}?…`, deny: `solana:${wallet}?…` } },
  getLink: { reply: { expiresAt: later } },
  addSource: { request: { url: 'https://api.example.com/services.json' } },
  getRefill: { reply: refilled },
  setRefill: { request: refilled, reply: refilled },
  getCeiling: { reply: ceiling },
  setCeiling: { request: ceiling, reply: ceiling },
  listGroups: { reply: { groups: [group] } },
  createGroup: { request: { name: 'Research', limits: { dailyBudget: '5.00' } }, reply: group },
  getGroup: { reply: group },
  renameGroup: { request: { name: 'Science' }, reply: { ...group, name: 'Science' } },
  setGroupLimits: {
    request: { monthlyBudget: '60.00', maxPerPayment: null },
    reply: { ...group, limits: { dailyBudget: '5.00', monthlyBudget: '60.00' } },
  },
  stopGroup: { reply: { ...group, stoppedAt: at } },
  resumeGroup: { reply: group },
  setAgentGroup: { request: { groupId: 'grp_0mwtgw0wmafc15a8b893' } },
  getTreasuryLimits: { reply: treasuryLimits },
  setTreasuryLimits: { request: { monthlyBudget: '100.00' }, reply: treasuryLimits },
  setPublicAddress: { request: { url: 'https://treasury.example.ts.net' } },
  freeze: {
    request: { reason: 'the invoices look wrong' },
    reply: { frozen: true, since: at, mayStillLand: { payments: 0, amount: '0.00' } },
  },
  addNoticeChannel: {
    request: { ...webhook, secret: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz', kinds },
    reply: channel,
  },
  changeNoticeChannel: { request: { kinds }, reply: channel },
  removeNoticeChannel: { reply: channel },
  listNotices: { reply: { notices: [notice] } },
  retryNotice: { reply: notice },
  retryNotices: { reply: channel },
  testNoticeChannel: { reply: { delivered: true } },
  setLowBalance: { request: { lowBalance: '2.00' } },
};

export const errorExample = {
  error: 'The amount 2.00 is above the limit of 0.50 USDC for one payment.',
  code: 'max_per_payment',
  details: { rule: 'maxPerPayment', limit: '0.50', amount: '2.00' },
};
