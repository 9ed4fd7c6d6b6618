// A trace: what an agent asked for on one day, what it had done before, and the truth about that day.
//
// These traces were made from what agents do, before any rule of the watch was written, and must stay so: no number
// in this folder was chosen with a rule's threshold in mind, and none may be changed to suit a rule. Rules are tuned
// on one part and reported on the others (`parts`).
import type { Usdc } from '../../../server/money.ts';

export interface Event {
  /** Unix milliseconds. Days and office hours of the traces are UTC. */
  at: number;
  service: string;
  payee: string;
  /** In micro-USDC: what was paid, or what a refused request asked for. */
  amount: Usdc;
  outcome: 'paid' | 'not_delivered' | 'refused';
}

export const agentKinds = [
  'researcher',
  'scraper',
  'coder',
  'trader',
  'image batch',
  'nightly CI',
  'support bot',
  'new agent',
] as const;
export type AgentKind = (typeof agentKinds)[number];

export const accidents = [
  'runaway loop',
  'price jump',
  'slow leak',
  'new payees',
  'nothing delivered',
  'refusals',
] as const;
export type Accident = (typeof accidents)[number];

/** `onset` is when the accident's first request is made; null on an ordinary day. */
export type Label = { kind: 'ordinary'; onset: null } | { kind: Accident; onset: number };

/** An event of the day in question. `harm`: what the accident took by it, in micro-USDC; null for an ordinary one. */
export interface LabelledEvent extends Event {
  harm: Usdc | null;
}

export interface Trace {
  seed: number;
  agent: AgentKind;
  dailyBudget: Usdc;
  /** The days before, oldest first: up to 14, none for an agent that was made today. */
  history: readonly Event[];
  /** One day from midnight to midnight, oldest first. */
  day: readonly LabelledEvent[];
  label: Label;
}

interface Part {
  /** Seeds of days with an accident, and of ordinary days. */
  accidents: readonly [first: number, last: number];
  ordinary: readonly [first: number, last: number];
}

/**
 * No seed is in two of them, so that rules are not judged by days that they were tuned on. The rules of today were also
 * tightened on accidents 451 to 1,050 and ordinary days 20,001 to 50,000, after two reports. `fresh` had no part in any.
 */
export const parts: Readonly<Record<'tune' | 'report' | 'fresh', Part>> = {
  tune: { accidents: [1, 150], ordinary: [1, 5_000] },
  report: { accidents: [151, 300], ordinary: [5_001, 10_000] },
  fresh: { accidents: [301, 450], ordinary: [60_001, 70_000] },
};
