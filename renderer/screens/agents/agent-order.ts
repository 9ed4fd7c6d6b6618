// The list of agents: what matches the search and the tag, in the chosen order.
import { parseUsdc } from '../../../server/money.ts';
import { percentOf } from '../../shared/share.ts';
import type { AgentSummary } from '../../stores/treasury.ts';

export const agentOrders = {
  created: 'Oldest first',
  name: 'Name',
  share: 'Budget used',
  spent: 'Spent in 24 hours',
  balance: 'Balance',
  last: 'Last payment',
} as const;
export type AgentOrder = keyof typeof agentOrders;

const larger = (a: bigint, b: bigint): number => (a === b ? 0 : a < b ? 1 : -1);
const units = (text: string): bigint => parseUsdc(text) ?? 0n;
const percent = ({ spentToday, inForce }: AgentSummary): number => percentOf(spentToday, inForce.dailyBudget);
const byName = (a: AgentSummary, b: AgentSummary): number =>
  a.displayName.localeCompare(b.displayName) || (a.agentId < b.agentId ? -1 : 1);

const comparisons: Record<AgentOrder, (a: AgentSummary, b: AgentSummary) => number> = {
  created: () => 0,
  name: byName,
  share: (a, b) => percent(b) - percent(a) || 0,
  spent: (a, b) => larger(units(a.spentToday), units(b.spentToday)),
  balance: (a, b) => larger(units(a.balance), units(b.balance)),
  last: (a, b) => Date.parse(b.lastPaymentAt ?? '') - Date.parse(a.lastPaymentAt ?? '') || neverLast(a, b),
};

const neverLast = (a: AgentSummary, b: AgentSummary): number =>
  Number(a.lastPaymentAt === null) - Number(b.lastPaymentAt === null);

interface Wanted {
  text: string;
  tag: string | null;
  order: AgentOrder;
}

export const listedAgents = (
  agents: readonly AgentSummary[],
  { text, tag, order }: Wanted,
): AgentSummary[] => {
  const typed = text.trim().toLowerCase();
  return agents
    .filter(({ agentId, displayName, tags }) =>
      `${agentId}\n${displayName}\n${tags.join('\n')}`.toLowerCase().includes(typed),
    )
    .filter(({ tags }) => tag === null || tags.some((one) => isSameTag(one, tag)))
    .toSorted(comparisons[order]);
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
