// Examples of requests and replies about the books.
import type { RouteName } from '../contract/routes.ts';
import { at, wallet } from './openapi-values.ts';

const ruleId = 'rule_0mwtgw0wmafc15a8b89';
const condition = { payee: null, serviceId: 'web-search', origin: null, agentId: null, groupId: null };
const rule = { ruleId, ...condition, account: 'Expenses:Research', costCentre: 'R&D' };
const month = {
  month: '2029-12',
  zone: 'Europe/Lisbon',
  from: '2029-12-01T00:00:00.000Z',
  to: '2030-01-01T00:00:00.000Z',
  state: 'closed',
  waiting: [],
  closedAt: at,
  entries: 1204,
  root: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  differences: [],
  changedAt: null,
};
const none = { amount: '0.00', entries: 0 };
const spent = { amount: '12.40', entries: 602 };
const sums = {
  spent,
  deposits: { amount: '100.00', entries: 1 },
  withdrawals: none,
  charges: none,
  transfers: { amount: '20.00', entries: 2 },
  fees: { amount: '0.00602', entries: 602 },
  solDeposits: { amount: '0.100002', entries: 3 },
  words: { amount: '0.000002', entries: 2 },
  agents: [{ agentId: 'scout', name: 'Scout', ...spent }],
  groups: [{ groupId: '', name: '', ...spent }],
  services: [{ serviceId: 'web-search', name: 'Web Search', ...spent }],
  accounts: [{ name: 'Expenses:Research', ...spent }],
  costCentres: [{ name: 'R&D', ...spent }],
};
const quiet = {
  ...sums,
  spent: none,
  deposits: none,
  transfers: none,
  fees: none,
  solDeposits: none,
  words: none,
  agents: [],
  groups: [],
  services: [],
  accounts: [],
  costCentres: [],
};

export const bookExamples = {
  bookProgress: { reply: { isUnderWay: true, read: 400, rows: 1204 } },
  bookMonths: { reply: { zone: 'Europe/Lisbon', months: [month] } },
  bookTotals: { reply: { month: '2029-12', zone: 'Europe/Lisbon', now: sums, before: quiet } },
  closeMonth: { reply: month },
  bookRules: { reply: { rules: [rule] } },
  addBookRule: {
    request: { serviceId: 'web-search', account: 'Expenses:Research', costCentre: 'R&D' },
    reply: rule,
  },
  changeBookRule: { request: { rank: 0 }, reply: rule },
  endBookRule: { reply: { ruleId, ended: true } },
  previewBookRule: {
    request: { serviceId: 'web-search', month: '2029-12' },
    reply: {
      ...spent,
      taken: [],
      examples: [
        {
          id: 'pay_0mwtgw0wmafc15a8b890',
          timestamp: '2029-12-31T12:00:00.000Z',
          service: 'Web Search',
          agentId: 'scout',
          counterparty: wallet,
          amount: '0.02',
          currency: 'USDC',
          takenBy: null,
        },
      ],
    },
  },
} as const satisfies Partial<Record<RouteName, object>>;
