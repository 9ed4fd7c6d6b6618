// Conditions that wait for the owner: requests, agents that need a look, and what is due.
import { counted, units, type Action, type Entry } from './facts.ts';
import { deposit } from './money.ts';

const nearlyAll = 80n;
/** Days. */
const pricesGood = 90;
const books: Action = { label: 'Open Books', path: '/books', command: 'treasury books months' };

/** In the order in which they are shown. */
export const reminders = {
  approvals: {
    severity: 'todo',
    find: ({ pendingApprovals, pendingLogins, pendingLinks }) => {
      const count = pendingApprovals + pendingLogins + pendingLinks;
      return (
        count > 0 && {
          title: `${counted(count, 'request is waiting', 'requests are waiting')} for you`,
          text: listed([
            [pendingApprovals, 'approval'],
            [pendingLogins, 'login'],
            [pendingLinks, 'machine to link', 'machines to link'],
          ]),
          action: { label: 'Open Approvals', path: '/approvals', command: 'treasury approvals' },
        }
      );
    },
  },
  agent_asks: {
    severity: 'todo',
    find: ({ agents }) =>
      agents.flatMap(({ agentId, displayName, asking, status }) =>
        asking === null || status !== 'active'
          ? []
          : [
              {
                title: `Unusual activity: ${displayName}`,
                text: `Each of its payments waits for you. ${asking}`,
                action: watchOf(agentId),
                agentId,
              },
            ],
      ),
  },
  agent_alert: {
    severity: 'todo',
    find: ({ agents, alerts }) =>
      agents.flatMap(({ agentId, displayName, asking, status }) => {
        const alert = alerts.find((one) => one.agentId === agentId);
        return alert === undefined || asking !== null || status !== 'active'
          ? []
          : [
              {
                title: `Unusual activity: ${displayName}`,
                text: `${alert.sentence} (${alert.at}) Its payments go on.`,
                action: watchOf(agentId),
                agentId,
                tripId: alert.tripId,
              },
            ];
      }),
  },
  undelivered: {
    severity: 'todo',
    find: ({ undelivered: { payments, amount } }) =>
      payments > 0 && {
        title: `${counted(payments, 'purchase was', 'purchases were')} paid and not delivered`,
        text: `${amount} USDC in the last 24 hours.`,
        action: { label: 'See them', path: '/activity?status=undelivered', command: 'treasury history' },
      },
  },
  no_channel: {
    severity: 'todo',
    find: ({ hasChannel, agents }) =>
      !hasChannel &&
      agents.length > 0 && {
        title: 'No notices are sent',
        text: 'Requests and warnings appear only here until you add a channel.',
        action: { label: 'Add a channel', path: '/settings/notices', command: 'treasury notices' },
      },
  },
  prices_old: {
    severity: 'todo',
    find: ({ pricesFrom, now }) => {
      const days =
        pricesFrom === null ? 0 : Math.floor((Date.parse(now) - Date.parse(pricesFrom)) / 86_400_000);
      return (
        days > pricesGood && {
          title: `The price list of language models is ${days} days old`,
          text: 'A newer version of Agent Treasury has a newer one. Until then, enter the prices that have changed.',
          action: { label: 'See prices', path: '/catalog/models', command: 'treasury models prices' },
        }
      );
    },
  },
  budget_nearly_used: {
    severity: 'todo',
    find: ({ agents }) =>
      agents.flatMap(({ agentId, displayName, spentToday, inForce, status }) => {
        const [spent, budget] = [units(spentToday), units(inForce.dailyBudget)];
        if (status !== 'active' || budget === 0n || spent * 100n < budget * nearlyAll) return [];
        const isOver = spent >= budget;
        return [
          {
            title: `${displayName} has ${isOver ? 'used up' : 'nearly used up'} its daily budget`,
            text: `${spentToday} of ${inForce.dailyBudget} USDC in 24 hours.`,
            action: { label: 'See its limits', path: pathOf(agentId), command: `treasury limits ${agentId}` },
            agentId,
          },
        ];
      }),
  },
  month_amiss: {
    severity: 'todo',
    find: ({ months: { amiss } }) =>
      amiss.length > 0 && {
        title: `The books of ${amiss.map(monthName).join(', ')} need your attention`,
        text: 'A closed month differs from the chain, or changed since it was closed.',
        action: books,
      },
  },
  month_open: {
    severity: 'todo',
    find: ({ months: { open } }) =>
      open.length > 0 && {
        title: `${open.map(monthName).join(', ')} can be closed`,
        text: 'Closing checks every entry against the chain.',
        action: books,
      },
  },
  empty: {
    severity: 'todo',
    find: ({ treasury: { amount }, agents }) =>
      amount === '0' &&
      agents.every(({ balance }) => units(balance) <= 0n) && {
        title: 'The treasury is empty',
        text: 'Agents can pay once you have sent it USDC.',
        action: deposit,
      },
  },
} as const satisfies Record<string, Entry>;

/** `2026-10` as October 2026. */
const monthName = (month: string): string =>
  new Date(`${month}-01T00:00:00Z`).toLocaleString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

const pathOf = (agentId: string): string => `/agents/${encodeURIComponent(agentId)}`;

const watchOf = (agentId: string): Action => ({
  label: 'See why',
  path: `${pathOf(agentId)}/watch`,
  command: `treasury watch ${agentId}`,
});

const listed = (parts: readonly (readonly [count: number, one: string, many?: string])[]): string =>
  `${parts.flatMap(([count, one, many]) => (count === 0 ? [] : [counted(count, one, many)])).join(', ')}.`;
