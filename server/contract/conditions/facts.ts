// The facts that the register of conditions is a function of, the shape of its entries, and what the page needs of both: it
// gets the conditions themselves from the treasury.
import { parseUsdc } from '../../money.ts';
import type { ColdFault } from '../treasury/cold-faults.ts';

export const severities = ['critical', 'warning', 'todo'] as const;
export type Severity = (typeof severities)[number];

/** Amounts are decimal USDC, times ISO 8601. The dashboard's reply has all of them but the further facts. */
export interface ConditionFacts extends FurtherFacts {
  foreignDebits: readonly {
    agentId: string | null;
    amount: string;
    signature: string | null;
    timestamp: string;
  }[];
  halted: string | null;
  frozen: boolean;
  freeze: {
    since: string | null;
    reason: string | null;
    mayStillLand: { payments: number; amount: string; until: string | null };
  };
  clockDoubt: string | null;
  locked: boolean;
  outage: {
    since: string;
    isStarting: boolean;
    isWhole: boolean;
    rpcs: readonly { host: string; why: string }[];
    held: { transfers: number; amount: string };
  } | null;
  rpcFaults: readonly { host: string; answer: string; without: string }[];
  /** `amount`: micro-USDC. */
  treasury: { amount: string; spendableSol: string; transfersLeft: number };
  ceiling: { spent: string; inForce: { dailyBudget: string | null; freeAt: string | null } };
  phraseKept: boolean;
  exposure: { aside: string };
  pendingApprovals: number;
  pendingLogins: number;
  pendingLinks: number;
  agents: readonly {
    agentId: string;
    displayName: string;
    status: 'active' | 'suspended';
    balance: string;
    spentToday: string;
    inForce: { dailyBudget: string };
    asking: string | null;
  }[];
}

/** What the dashboard's reply does not show by itself. */
export interface FurtherFacts {
  /** Bytes on the disk of the records. */
  disk: { free: number; least: number };
  /** The newest copy of the records, and the beginning of the treasury. */
  backup: { newest: string | null; since: string };
  /** Whether the owner has chosen a channel for notices. */
  hasChannel: boolean;
  /** Names of channels whose notices could not be delivered. */
  failingChannels: readonly string[];
  /** Months that can be closed, and closed months that changed or differ. */
  months: { open: readonly string[]; amiss: readonly string[] };
  cold: { fault: ColdFault | null; stoppedAt: string | null } | null;
  /** The newest alert of each agent that the watch only reported, within a day, and that is not muted since. */
  alerts: readonly { agentId: string; tripId: string; sentence: string; at: string }[];
  /** Those of the newest payments that were paid within a day and brought nothing. `amount`: decimal USDC. */
  undelivered: { payments: number; amount: string };
  /** The date of the price list, if a provider's models are priced by it; null: none is. */
  pricesFrom: string | null;
  now: string;
}

export interface Words {
  title: string;
  text: string;
  /** One thing to do about it: a place of the dashboard, and a command. */
  action?: Action;
  /** The agent that it is about, and what the watch saw of it. */
  agentId?: string;
  tripId?: string;
}

export interface Action {
  label: string;
  path: string;
  command: string | null;
}

export interface Entry {
  severity: Severity;
  /** Above every screen, not on the overview alone. */
  isEverywhere?: true;
  /** Its consequences, which are not shown beside it. None of them is of a higher severity. */
  hides?: readonly string[];
  find(facts: ConditionFacts): Words | readonly Words[] | false;
}

/** `1 payment`, `2 payments`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** micro-USDC. */
export const units = (text: string): bigint => parseUsdc(text) ?? 0n;

/** The text, with its times as the reader shows them. */
export const withTimes = (text: string, show: (iso: string) => string): string =>
  text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, show);
