// The seven rules of the watch: pure functions of what is kept in mind and of the request that is being decided. Their
// numbers were tuned on the traces of test/lab/watch; build/docs/watch.md says what they see, and what they do not.
import { formatUsdc, usdc, type Usdc } from '../../money.ts';
import type { AgentMemory, DailyMost, Trip, WatchRule } from '../domain/watch.ts';
import { freshIn, lately, pricesKept, recentPrices, type Asked, type Memory } from './memory.ts';
import { amountIn, baselineOf, countIn, mostBefore, spans } from './pace.ts';
import { hoursWith, leastIn } from './rhythm.ts';

export interface Facts extends Memory {
  asked: Asked;
  dailyBudget: Usdc;
}

type Found = Omit<Trip, 'rule' | 'about'>;
type Rule = (facts: Facts) => Found | null;

const spanWords = {
  five: 'five minutes',
  hour: 'an hour',
  fourHours: 'four hours',
  sixHours: 'six hours',
  twelveHours: 'twelve hours',
  day: '24 hours',
} as const;

/** How far a sum has to be above the most of the baseline, and which part of the daily budget it has to be. */
interface Step<Span> {
  span: Span;
  times: number;
  share: number;
}

const usd = (micro: number): string => formatUsdc(usdc(BigInt(Math.round(micro))));
const percentOf = (micro: number, budget: Usdc): string => `${Math.round((100 * micro) / Number(budget))}%`;

const historyDays = ({ payments }: AgentMemory, now: number): number => baselineOf(payments, now).length;

/** At least 20 payments on at least two days before today. */
export const hasHistory = (agent: AgentMemory, now: number): boolean =>
  historyDays(agent, now) >= 2 &&
  baselineOf(agent.payments, now).reduce((sum, [, made]) => sum + made, 0) >= 20;

/** The most of the baseline, and more where it has few days: their most is soon passed on an ordinary day. */
const usualMost = (agent: AgentMemory, most: DailyMost, now: number): number =>
  mostBefore(most, now) * (1 + 1 / Math.max(1, historyDays(agent, now)));

/** So few payments are no burst, whatever the baseline. */
const leastRepeated = { five: 10, hour: 60 } as const;
const repeatedSteps: readonly Step<'five' | 'hour'>[] = [
  { span: 'five', times: 10, share: 0.04 },
  { span: 'hour', times: 40, share: 0.05 },
  { span: 'hour', times: 6, share: 0.3 },
];

const runaway: Rule = ({ agent, service, asked, dailyBudget }) => {
  const { now, amount, serviceId } = asked;
  if (!hasHistory(agent, now)) return null;
  const same = service.repeated.find((one) => one.amount === amount);
  for (const { span, times, share } of repeatedSteps) {
    const count = countIn(same?.[span] ?? [], spans[span], now) + 1;
    const most = mostBefore(service[span].most, now);
    if (count <= Math.max(leastRepeated[span], times * usualMost(agent, service[span].most, now))) continue;
    if (count * amount < share * Number(dailyBudget)) continue;
    return {
      sentence: `It asks ${serviceId} for the same ${usd(amount)} USDC ${count} times in ${spanWords[span]}, ${percentOf(count * amount, dailyBudget)} of its daily budget. The most payments there in ${spanWords[span]} of the last 14 days were ${most}.`,
      numbers: { count, amount: usd(amount), most, total: usd(count * amount) },
    };
  }
  return null;
};

const timesMedian = 3;
/** Prices are fixed when the recent ones, at least so many, are within a fifth of each other. */
const fixedNeeded = 3;
const fixedWithin = 1.2;
/** Where prices vary, one that is high is ordinary; so many of ten are not. */
const highOfTen = 8;
/** Of the daily budget. */
const leastIncrease = 0.001;

const priceJump: Rule = ({ service: { prices }, asked: { amount, serviceId }, dailyBudget }) => {
  const recent = prices.slice(-recentPrices);
  const isFixed = recent.length >= fixedNeeded && Math.max(...recent) <= fixedWithin * Math.min(...recent);
  if (!isFixed && prices.length < pricesKept) return null;
  const usual = isFixed ? recent : prices.slice(0, -recentPrices);
  const median = medianOf(usual);
  const isHigh = (price: number): boolean => price > timesMedian * median;
  if (!isHigh(amount) || amount - median < leastIncrease * Number(dailyBudget)) return null;
  if (!isFixed && [...recent, amount].filter(isHigh).length < highOfTen) return null;
  return {
    sentence: `${serviceId} asks ${usd(amount)} USDC. The median of ${usual.length} earlier prices is ${usd(median)} USDC.`,
    numbers: { amount: usd(amount), median: usd(median), payments: usual.length },
  };
};

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const spendingSteps: readonly Step<'hour' | 'sixHours' | 'day'>[] = [
  { span: 'hour', times: 3, share: 0.75 },
  { span: 'sixHours', times: 1.5, share: 0.85 },
  { span: 'day', times: 1, share: 0.85 },
];
/** Without history nothing is usual yet, and only the budget says what is much. */
const firstDaysSteps: typeof spendingSteps = [
  { span: 'hour', times: 0, share: 0.75 },
  { span: 'day', times: 0, share: 0.85 },
];

const fastSpending: Rule = ({ agent, asked: { now, amount }, dailyBudget }) => {
  const isKnown = hasHistory(agent, now);
  for (const { span, times, share } of isKnown ? spendingSteps : firstDaysSteps) {
    const spent = amountIn(agent[span].parts, spans[span], now) + amount;
    const most = mostBefore(agent[span].most, now);
    if (spent <= times * usualMost(agent, agent[span].most, now) || spent <= share * Number(dailyBudget))
      continue;
    const usual = isKnown
      ? `The most in ${spanWords[span]} of the last 14 days was ${usd(most)} USDC.`
      : 'There is too little history to know what is usual.';
    return {
      sentence: `It asks for ${usd(spent)} USDC in ${spanWords[span]}, ${percentOf(spent, dailyBudget)} of its daily budget. ${usual}`,
      numbers: { spent: usd(spent), most: usd(most), hours: spans[span] / spans.hour },
    };
  }
  return null;
};

/** Two days may be a weekend. */
const steadyDays = 3;
/** An agent that has spent less of its daily budget in 24 hours needs no stop. */
const steadyShare = 0.1;
/** Of all parts. */
const steadyParts = 0.5;
const steadySteps = [
  { span: 'fourHours', times: 3.5 },
  { span: 'twelveHours', times: 1.5 },
] as const;
/** In each of twelve hours: how far above the most of the baseline, and which part of the daily budget. */
const steadyLeast = { times: 1.5, share: 0.01 };

const steadySpending: Rule = (facts) => {
  const { agent, asked, dailyBudget } = facts;
  const { now, amount } = asked;
  const spent = amountIn(agent.day.parts, spans.day, now) + amount;
  const isLittle = spent < steadyShare * Number(dailyBudget);
  const days = baselineOf(agent.rhythm.fourHours, now).length;
  if (isLittle || days < steadyDays || !hasHistory(agent, now)) return null;
  const hours = hoursWith(agent.rhythm, now, amount);
  for (const { span, times } of steadySteps) {
    const of = (spans[span] / spans.hour) * 10;
    const count = countIn(hours, spans[span], now);
    const most = mostBefore(agent.rhythm[span], now);
    if (count < steadyParts * of || count <= times * usualMost(agent, agent.rhythm[span], now)) continue;
    return {
      sentence: `It paid in ${count} of the ${of} parts of six minutes in ${spanWords[span]}, ${usd(spent)} USDC in 24 hours. The most in ${spanWords[span]} of the last 14 days was ${most} parts.`,
      numbers: { count, of, most, spent: usd(spent) },
    };
  }
  return longSpending(facts, leastIn(hours));
};

const longSpending = ({ agent, asked: { now }, dailyBudget }: Facts, least: number): Found | null => {
  const { times, share } = steadyLeast;
  const most = mostBefore(agent.rhythm.least, now);
  if (least <= times * usualMost(agent, agent.rhythm.least, now) || least <= share * Number(dailyBudget))
    return null;
  const usual =
    most === 0
      ? 'It did so on none of the last 14 days.'
      : `The most that it kept up for so long in the last 14 days was ${usd(most)} USDC an hour.`;
  return {
    sentence: `It paid steadily for twelve hours, at least ${usd(least)} USDC in each. ${usual}`,
    numbers: { least: usd(least), most: usd(most) },
  };
};

const manyPayees = 10;
/** With a history so many more than ever are enough, if they are paid this part of the daily budget. */
const morePayees = 4;
const morePayeesShare = 0.04;

const newPayees: Rule = ({ agent, asked, dailyBudget }) => {
  const { now, amount } = asked;
  const recent = lately(agent, now);
  const fresh = freshIn(recent, asked);
  if (fresh === 0) return null;
  const count = recent.length + fresh;
  const paid = recent.reduce((sum, one) => sum + one.amount, amount);
  const isMuch = hasHistory(agent, now) && paid >= morePayeesShare * Number(dailyBudget);
  const most = mostBefore(agent.newPayees, now);
  if (count < (isMuch ? Math.min(manyPayees, most + morePayees) : manyPayees)) return null;
  return {
    sentence: `It pays ${count} payees for the first time within ten minutes, ${usd(paid)} USDC in all.`,
    numbers: { payees: count, paid: usd(paid) },
  };
};

const manyUndelivered = 5;
/** So few are enough when they took this part of the daily budget. */
const fewUndelivered = 4;
const fewUndeliveredShare = 0.01;

const notDelivered: Rule = ({ service: { undelivered }, asked: { serviceId }, dailyBudget }) => {
  const { count, amount } = undelivered;
  const isMuch = amount >= fewUndeliveredShare * Number(dailyBudget);
  if (count < (isMuch ? fewUndelivered : manyUndelivered)) return null;
  return {
    sentence: `${serviceId} was paid ${count} times in a row, ${usd(amount)} USDC in all, and delivered nothing.`,
    numbers: { purchases: count, paid: usd(amount) },
  };
};

const mostRefusals = 30;

/** The refusals of one API key, with the one that was just noted. */
export const refusalTrip = ({ refused }: AgentMemory, keyId: string, now: number): Trip | null => {
  const count = countIn(refused.find((one) => one.keyId === keyId)?.parts ?? [], spans.five, now);
  if (count < mostRefusals) return null;
  const sentence = `${count} of its requests were refused within five minutes.`;
  return { rule: 'refusals', about: '', sentence, numbers: { refusals: count } };
};

/** Those about a service, and those about the whole agent. */
const paymentRules: readonly [rule: WatchRule, isOfService: boolean, find: Rule][] = [
  ['runaway', true, runaway],
  ['price_jump', true, priceJump],
  ['fast_spending', false, fastSpending],
  ['steady_spending', false, steadySpending],
  ['new_payees', false, newPayees],
  ['not_delivered', true, notDelivered],
];

/** The rules that a request trips which the policy allows, before it is paid. */
export const tripsOf = (facts: Facts): Trip[] =>
  paymentRules.flatMap(([rule, isOfService, find]) => {
    const found = find(facts);
    return found === null ? [] : [{ rule, about: isOfService ? facts.asked.serviceId : '', ...found }];
  });
