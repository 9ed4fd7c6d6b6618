// The watch over an agent: what the owner chose, what it saw, and what it keeps in mind. Times are Unix milliseconds,
// amounts in mind micro-USDC.

import type { WatchMode, WatchRule } from '../../contract/watch/watch.ts';

export { watchModes, watchRules, type WatchMode, type WatchRule } from '../../contract/watch/watch.ts';

/** A rule that a request tripped. */
export interface Trip {
  rule: WatchRule;
  /** The service that the rule is about; empty where it is about the whole agent. */
  about: string;
  sentence: string;
  /** The numbers of the sentence: amounts in decimal USDC. */
  numbers: Readonly<Record<string, string | number>>;
}

/** One part of a sum over the last while: when the part began, how many payments, and how much in all. */
export type Part = [from: number, count: number, amount: number];
/** The largest value on each of the last days, which are numbered from 1970 in UTC. */
export type DailyMost = [day: number, most: number][];

/** A sum over the last while, and the most that it was on each day. */
export interface Pace {
  parts: Part[];
  most: DailyMost;
}

/** An amount that a service was paid again and again, over five minutes and an hour. */
export interface Repeated {
  amount: number;
  five: Part[];
  hour: Part[];
}

/** How steadily an agent pays. An hour has ten parts of six minutes; those with a payment are counted. */
export interface Rhythm {
  /** When the part of the last payment began. */
  part: number;
  /** The last twelve hours by the clock, with their parts in place of payments. */
  hours: Part[];
  /** Parts with a payment in four hours, and in twelve. */
  fourHours: DailyMost;
  twelveHours: DailyMost;
  /** The least that was spent in one of twelve steady hours in a row, in micro-USDC. */
  least: DailyMost;
}

/** Kept in mind of an agent. */
export interface AgentMemory {
  /** Money spent in an hour, in six hours, and in 24. */
  hour: Pace;
  sixHours: Pace;
  day: Pace;
  rhythm: Rhythm;
  /** Payments on each day. */
  payments: DailyMost;
  /** Payees that were first paid lately. */
  firstPaid: { payee: string; at: number; amount: number }[];
  /** How many were first paid within ten minutes. */
  newPayees: DailyMost;
  /** Refusals of the last minutes, by API key. */
  refused: { keyId: string; parts: Part[] }[];
  /** When the bursts of the last five minutes began. */
  bursts: { rule: WatchRule; about: string; at: number }[];
}

/** Kept in mind of an agent at one service. */
export interface ServiceMemory {
  /** Of the last payments, oldest first. */
  prices: number[];
  /** Purchases in a row that were paid and brought nothing. */
  undelivered: { count: number; amount: number };
  /** Payments in five minutes and in an hour, whatever their amounts. */
  five: Pace;
  hour: Pace;
  /** The amounts that were paid last. */
  repeated: Repeated[];
}

/** The owner's choice for an agent, and whether the agent has to ask before each payment now. */
export interface Watched {
  mode: WatchMode;
  /** Since when it has to ask, and the id of the trip that began it; null: it need not. */
  asking: { since: number; tripId: string } | null;
}

/** `ended_key`: a delegated key tripped the rule, and ended in place of what the agent would have had to bear. */
export type WatchDeed = 'told' | 'asked' | 'paused' | 'ended_key';

/** A trip as it was recorded. */
export interface WatchTrip extends Trip {
  seq: number;
  id: string;
  agentId: string;
  at: number;
  transferId: string | null;
  did: WatchDeed;
}

/** The owner said "this is normal" of one rule for one service, or for the whole agent where `about` is empty. */
export interface WatchMute {
  agentId: string;
  rule: WatchRule;
  about: string;
  since: number;
  until: number;
}

/** As long as the owner has chosen nothing: it records what it sees, and holds nothing. */
export const usualWatched: Watched = { mode: 'tell', asking: null };

/** The watch's verdict on a request that the policy allows. */
export interface Watching {
  /** The rules that it trips, but for those that the owner muted. */
  trips: readonly Trip[];
  does: 'nothing' | 'ask' | 'pause';
  /** Why it asks or pauses. */
  because: Trip | null;
}
