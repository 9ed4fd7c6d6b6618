// The list of agents: what matches the search and the tag, in the chosen order.
import { parseUsdc } from '../../../server/money.ts';
import { percentOf } from '../../shared/share.ts';
import type { AgentSummary } from '../../stores/treasury.ts';

export const agentOrders = {
  trouble: 'Trouble first',
  created: 'Oldest first',
  name: 'Name',
  share: 'Budget used',
  spent: 'Spent in 24 hours',
  balance: 'Balance',
  last: 'Last payment',
  seen: 'Last seen',
} as const;
export type AgentOrder = keyof typeof agentOrders;

const larger = (a: bigint, b: bigint): number => (a === b ? 0 : a < b ? 1 : -1);
const units = (text: string): bigint => parseUsdc(text) ?? 0n;
const percent = ({ spentToday, inForce }: AgentSummary): number => percentOf(spentToday, inForce.dailyBudget);
const byName = (a: AgentSummary, b: AgentSummary): number =>
  a.displayName.localeCompare(b.displayName) || (a.agentId < b.agentId ? -1 : 1);

const nearlyUsed = 80;

/** How much an agent needs the owner: stopped by the treasury, held by the watch, asking, near its budget; 0: not at all. */
export const troubleOf = (agent: AgentSummary): number => {
  const { status, statusReason, asking, pendingApprovals } = agent;
  if (status === 'suspended') return statusReason === null ? 0 : 4;
  if (asking !== null) return 3;
  if (pendingApprovals > 0) return 2;
  return percent(agent) >= nearlyUsed ? 1 : 0;
};

type Comparison = (a: AgentSummary, b: AgentSummary) => number;

/** The newest first, and those without a time last. */
const byTime =
  (timeOf: (agent: AgentSummary) => string | null): Comparison =>
  (a, b) =>
    Date.parse(timeOf(b) ?? '') - Date.parse(timeOf(a) ?? '') ||
    Number(timeOf(a) === null) - Number(timeOf(b) === null);

const comparisons: Record<AgentOrder, Comparison> = {
  trouble: (a, b) => troubleOf(b) - troubleOf(a),
  created: () => 0,
  name: byName,
  share: (a, b) => percent(b) - percent(a) || 0,
  spent: (a, b) => larger(units(a.spentToday), units(b.spentToday)),
  balance: (a, b) => larger(units(a.balance), units(b.balance)),
  last: byTime(({ lastPaymentAt }) => lastPaymentAt),
  seen: byTime(({ lastSeenAt }) => lastSeenAt),
};

interface Wanted {
  text: string;
  tag: string | null;
  order: AgentOrder;
  isReversed?: boolean;
}

export const listedAgents = (
  agents: readonly AgentSummary[],
  { text, tag, order, isReversed = false }: Wanted,
): AgentSummary[] => {
  const typed = text.trim().toLowerCase();
  const found = agents
    .filter(({ agentId, displayName, tags }) =>
      `${agentId}\n${displayName}\n${tags.join('\n')}`.toLowerCase().includes(typed),
    )
    .filter(({ tags }) => tag === null || tags.some((one) => isSameTag(one, tag)))
    .toSorted(comparisons[order]);
  return isReversed ? found.toReversed() : found;
};

const isSameTag = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Each tag once, as it was written first. */
export const tagsOf = (agents: readonly AgentSummary[]): string[] =>
  [
    ...new Map(
      agents
        .flatMap(({ tags }) => tags)
        .toReversed()
        .map((tag) => [tag.toLowerCase(), tag]),
    ).values(),
  ].toSorted((a, b) => a.localeCompare(b));
