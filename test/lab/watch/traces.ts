// Makes the traces: the same for the same seed.
import { usdc, type Usdc } from '../../../server/money.ts';
import { createDice, type Dice } from '../../harness/dice.ts';
import { lays } from './accidents.ts';
import { makers, type Day } from './agents.ts';
import { dayMs, logBetween } from './chances.ts';
import { createMarket, eventsOf, reprice, type Market } from './market.ts';
import {
  accidents,
  agentKinds,
  type Accident,
  type AgentKind,
  type Event,
  type LabelledEvent,
  type Trace,
} from './trace.ts';

/** A Monday. */
const epoch = Date.UTC(2026, 0, 5);
const longestHistory = 14;
/** An accident that takes less of a day's budget needs no stop. */
const leastShare = 0.1;
/** A program that is refused less often has given up by itself. */
const leastRefusals = 100;
/** Requests of an accident that are kept after the day's budget is used up: the policy has stopped it by then. */
const keptRefusals = 50;

/** An ordinary day. Each kind of agent has every eighth seed. */
export const ordinaryDay = (seed: number): Trace => {
  const agent = agentKinds[seed % agentKinds.length] ?? 'researcher';
  const { history, day, dailyBudget } = live(createDice(0x0d0d_0000 + seed), agent);
  return {
    seed,
    agent,
    dailyBudget,
    history,
    day: day.map((event) => ({ ...event, harm: null })),
    label: { kind: 'ordinary', onset: null },
  };
};

/** A day with an accident. Each kind has every sixth seed, and each kind of agent has about as many of each. */
export const accidentDay = (seed: number): Trace => {
  const dice = createDice(0x0acc_0000 + seed);
  const kind = accidents[seed % accidents.length] ?? 'runaway loop';
  const agent = agentKinds[Math.floor(seed / accidents.length) % agentKinds.length] ?? 'researcher';
  for (let tries = 0; tries < 1_000; tries += 1) {
    const { market, start, ...lived } = live(dice, agent);
    const laid = lays[kind]({ dice, market, start, history: lived.history, day: lived.day });
    const { history, dailyBudget } = lived;
    const day = laid === null ? [] : withinBudget(laid, history, dailyBudget, start + dayMs);
    const onset = day.find(({ harm }) => harm !== null)?.at;
    if (onset === undefined || !isLarge(kind, day, dailyBudget)) continue;
    return { seed, agent, dailyBudget, history, day, label: { kind, onset } };
  }
  throw new Error(`there is no ${kind} of a ${agent} for seed ${seed}`);
};

const isLarge = (kind: Accident, day: readonly LabelledEvent[], dailyBudget: Usdc): boolean => {
  if (kind === 'refusals') return day.filter(({ harm }) => harm !== null).length >= leastRefusals;
  return day.reduce((sum, { harm }) => sum + Number(harm ?? 0n), 0) >= leastShare * Number(dailyBudget);
};

interface Lived {
  market: Market;
  history: Event[];
  day: Event[];
  dailyBudget: Usdc;
  start: number;
}

/** Six of ten agents are older than the history that counts; an agent that was just made has none, or one day. */
const ageOf = (dice: Dice, agent: AgentKind): number => {
  if (agent === 'new agent') return dice.isLucky(0.7) ? 0 : 1;
  return dice.isLucky(0.6) ? longestHistory : 1 + Math.floor(dice.roll() * (longestHistory - 1));
};

const live = (dice: Dice, kind: AgentKind): Lived => {
  const market = createMarket(dice);
  const agent = makers[kind](dice, market);
  const age = ageOf(dice, kind);
  const start = epoch + Math.floor(dice.roll() * 365) * dayMs;
  const days = Array.from({ length: age + 1 }, (_, index) => {
    const today = dayAt(start - (age - index) * dayMs);
    reprice(dice, market);
    return eventsOf(dice, agent(today), today.start + dayMs);
  });
  const history = days.slice(0, -1).flat();
  const day = days.at(-1) ?? [];
  return { market, history, day, start, dailyBudget: budgetFor(dice, [...history, ...day]) };
};

const dayAt = (start: number): Day => {
  const monthOf = (days: number): number => new Date(start + days * dayMs).getUTCMonth();
  return {
    start,
    isWeekend: [0, 6].includes(new Date(start).getUTCDay()),
    isMonthEnd: monthOf(-2) !== monthOf(2),
  };
};

/** The figures that people write, in USDC. */
const figures = [1, 2, 3, 5, 10, 15, 20, 25, 30, 50, 75, 100, 150, 200, 300, 500, 1_000, 2_000, 5_000];
const proposed = 5e6;

/** A round figure with some room above the busiest day, or the proposed one where that is enough. */
const budgetFor = (dice: Dice, events: readonly Event[]): Usdc => {
  const busiest = busiestDay(events);
  const wanted = busiest * logBetween(dice, 1.2, 4);
  if (dice.isLucky(0.3) && busiest * 1.2 < proposed) return usdc(BigInt(proposed));
  const figure = figures.find((one) => one * 1e6 >= wanted) ?? Math.ceil(wanted / 1e9) * 1_000;
  return usdc(BigInt(figure * 1e6));
};

const spentBy = ({ amount, outcome }: Event): number => (outcome === 'refused' ? 0 : Number(amount));

/** The most that was spent in any 24 hours, in micro-USDC. */
export const busiestDay = (events: readonly Event[]): number => {
  let [sum, busiest, first] = [0, 0, 0];
  for (const event of events) {
    sum += spentBy(event);
    for (
      let oldest = events[first];
      oldest !== undefined && oldest.at <= event.at - dayMs;
      oldest = events[first]
    ) {
      sum -= spentBy(oldest);
      first += 1;
    }
    busiest = Math.max(busiest, sum);
  }
  return busiest;
};

/** The day as the treasury would have it: a payment above the budget of 24 hours is refused. Oldest first. */
const withinBudget = (
  laid: readonly LabelledEvent[],
  history: readonly Event[],
  dailyBudget: Usdc,
  end: number,
): LabelledEvent[] => {
  const past: Event[] = history.filter(({ at }) => at > end - 2 * dayMs);
  const found: LabelledEvent[] = [];
  let [sum, first, refused] = [past.reduce((all, event) => all + spentBy(event), 0), 0, 0];
  for (const event of laid.filter(({ at }) => at < end).toSorted((a, b) => a.at - b.at)) {
    for (
      let oldest = past[first];
      oldest !== undefined && oldest.at <= event.at - dayMs;
      oldest = past[first]
    ) {
      sum -= spentBy(oldest);
      first += 1;
    }
    const isOver = event.outcome !== 'refused' && sum + spentBy(event) > Number(dailyBudget);
    if (isOver && event.harm !== null) refused += 1;
    if (isOver && event.harm !== null && refused > keptRefusals) continue;
    const told = isOver
      ? { ...event, outcome: 'refused' as const, harm: event.harm === null ? null : usdc(0n) }
      : event;
    sum += spentBy(told);
    past.push(told);
    found.push(told);
  }
  return found;
};
