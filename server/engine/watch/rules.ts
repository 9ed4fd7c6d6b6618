// The six rules of the watch: pure functions of what is kept in mind and of the request that is being decided. Their
// numbers were tuned on the traces of test/lab/watch; build/docs/watch.md says what they see, and what they do not.
import { formatUsdc, usdc, type Usdc } from '../../money.ts';
import type { AgentMemory, Trip, WatchRule } from '../domain/watch.ts';
import { lately, type Asked, type Memory } from './memory.ts';
import { amountIn, baselineOf, countIn, mostBefore, spans } from './pace.ts';

export interface Facts extends Memory {
  asked: Asked;
  dailyBudget: Usdc;
}

type Found = Omit<Trip, 'rule' | 'about'>;
type Rule = (facts: Facts) => Found | null;

const spanWords = {
  five: 'five minutes',
  hour: 'an hour',
  sixHours: 'six hours',
  day: '24 hours',
} as const;

/** How far a sum has to be above the most of the baseline, and which part of the daily budget it has to be. */
interface Step<Span> {
  span: Span;
  times: number;
  share: number;
}

const usd = (micro: number): string => formatUsdc(usdc(BigInt(Math.round(micro))));
const percentOf = (micro: number, budget: Usdc): string => `${Math.round((100 * micro) / Number(budget))} %`;

/** At least 20 payments on at least two days before today. */
export const hasHistory = ({ payments }: AgentMemory, now: number): boolean => {
  const days = baselineOf(payments, now);
  return days.length >= 2 && days.reduce((sum, [, made]) => sum + made, 0) >= 20;
};

/** A single payment is no burst, whatever the baseline. */
const leastRepeated = { five: 10, hour: 60 } as const;
const repeatedSteps: readonly Step<'five' | 'hour'>[] = [
  { span: 'five', times: 8, share: 0.03 },
  { span: 'hour', times: 15, share: 0.05 },
  { span: 'hour', times: 3, share: 0.2 },
];

const runaway: Rule = ({ agent, service, asked, dailyBudget }) => {
  const { now, amount, serviceId } = asked;
  if (!hasHistory(agent, now)) return null;
  const same = service.repeated.find((one) => one.amount === amount);
  for (const { span, times, share } of repeatedSteps) {
    const count = countIn(same?.[span] ?? [], spans[span], now) + 1;
    const most = mostBefore(service[span].most, now);
    if (count <= Math.max(leastRepeated[span], times * most)) continue;
    if (count * amount < share * Number(dailyBudget)) continue;
    return {
      sentence: `It asks ${serviceId} for the same ${usd(amount)} USDC ${count} times in ${spanWords[span]}, ${percentOf(count * amount, dailyBudget)} of its daily budget. The most payments there in ${spanWords[span]} of the last 14 days were ${most}.`,
      numbers: { count, amount: usd(amount), most, total: usd(count * amount) },
    };
  }
  return null;
};

const pricesNeeded = 5;
const timesMedian = 3;
/** A price counts as fixed when none of the last ones was further above their median. */
const fixedWithin = 1.2;
/** Where prices vary, one that is high is ordinary; so many in a row are not. */
const highInARow = 5;
/** Of the daily budget. */
const leastIncrease = 0.001;

const priceJump: Rule = ({ service: { prices }, asked: { amount, serviceId }, dailyBudget }) => {
  const median = medianOf(prices);
  if (median === null || prices.length < pricesNeeded || amount <= timesMedian * median) return null;
  if (amount - median < leastIncrease * Number(dailyBudget)) return null;
  const before = prices.findLastIndex((price) => price <= timesMedian * median);
  const isFixed = Math.max(...prices) <= fixedWithin * median;
  if (!isFixed && prices.length - before < highInARow) return null;
  return {
    sentence: `${serviceId} asks ${usd(amount)} USDC. The median of its last ${prices.length} prices is ${usd(median)} USDC.`,
    numbers: { amount: usd(amount), median: usd(median), payments: prices.length },
  };
};

const medianOf = (values: readonly number[]): number | null =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null;

const spendingSteps: readonly Step<'hour' | 'sixHours' | 'day'>[] = [
  { span: 'hour', times: 3, share: 0.6 },
  { span: 'sixHours', times: 1.5, share: 0.75 },
  { span: 'day', times: 1.3, share: 0.85 },
];
/** Without history nothing is usual yet, and only the budget tells what is much. */
const firstDaysSteps: typeof spendingSteps = [
  { span: 'hour', times: 0, share: 0.75 },
  { span: 'day', times: 0, share: 0.85 },
];

const fastSpending: Rule = ({ agent, asked: { now, amount }, dailyBudget }) => {
  const isKnown = hasHistory(agent, now);
  for (const { span, times, share } of isKnown ? spendingSteps : firstDaysSteps) {
    const spent = amountIn(agent[span].parts, spans[span], now) + amount;
    const most = mostBefore(agent[span].most, now);
    if (spent <= times * most || spent <= share * Number(dailyBudget)) continue;
    const usual = isKnown
      ? `The most in ${spanWords[span]} of the last 14 days was ${usd(most)} USDC.`
      : 'It is too new for anything to be usual.';
    return {
      sentence: `It asks for ${usd(spent)} USDC in ${spanWords[span]}, ${percentOf(spent, dailyBudget)} of its daily budget. ${usual}`,
      numbers: { spent: usd(spent), most: usd(most), hours: spans[span] / spans.hour },
    };
  }
  return null;
};

const manyPayees = 8;
/** With a history so few are enough, if they are paid this part of the daily budget. */
const fewPayees = 5;
const fewPayeesShare = 0.05;

const newPayees: Rule = ({ agent, asked, dailyBudget }) => {
  const { now, payee, amount, isNewPayee } = asked;
  const recent = lately(agent, now);
  if (!isNewPayee || recent.some((one) => one.payee === payee)) return null;
  const count = recent.length + 1;
  const paid = recent.reduce((sum, one) => sum + one.amount, amount);
  const isMuch = hasHistory(agent, now) && paid >= fewPayeesShare * Number(dailyBudget);
  if (count < (isMuch ? fewPayees : manyPayees)) return null;
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
  ['new_payees', false, newPayees],
  ['not_delivered', true, notDelivered],
];

/** The rules that a request trips which the policy allows, before it is paid. */
export const tripsOf = (facts: Facts): Trip[] =>
  paymentRules.flatMap(([rule, isOfService, find]) => {
    const found = find(facts);
    return found === null ? [] : [{ rule, about: isOfService ? facts.asked.serviceId : '', ...found }];
  });
