// Six kinds of accidents, each laid over an ordinary day. When one begins, how fast it goes and how large it grows is
// drawn at random, over orders of magnitude where accidents differ by such.
import { usdc } from '../../../server/money.ts';
import type { Dice } from '../../harness/dice.ts';
import {
  arrivals,
  between,
  countOf,
  hourMs,
  inARow,
  logBetween,
  longTailed,
  minuteMs,
  secondMs,
} from './chances.ts';
import { eventOf, large, priceOf, refusedPriceOf, small, type Market, type Offer } from './market.ts';
import type { Accident, Event, LabelledEvent } from './trace.ts';

export interface Setting {
  dice: Dice;
  market: Market;
  /** The ordinary events before the day, and of the day. */
  history: readonly Event[];
  day: readonly Event[];
  /** Unix milliseconds of the day's midnight. */
  start: number;
}

/** The whole day with the accident in it, in any order; null where it cannot happen, as when nothing is bought. */
type Lay = (setting: Setting) => LabelledEvent[] | null;

/** After as many requests of one accident nothing new is to be learned. */
const most = 5_000;

const ordinary = (event: Event): LabelledEvent => ({ ...event, harm: null });
const harmful = (event: Event): LabelledEvent => ({
  ...event,
  harm: event.outcome === 'refused' ? usdc(0n) : event.amount,
});
const beside = (day: readonly Event[], events: readonly Event[]): LabelledEvent[] => [
  ...day.map(ordinary),
  ...events.slice(0, most).map(harmful),
];

/** Mostly while the agent works, since its own work goes wrong; otherwise at any hour but the last two. */
const anyMoment = ({ dice, day, start }: Setting): number => {
  const last = start + 22 * hourMs;
  const working = day.filter(({ at }) => at < last);
  const [first, ...others] = working;
  return first === undefined || dice.isLucky(0.2)
    ? between(dice, start, last)
    : dice.pick([first, ...others]).at;
};

/** A seller that the agent uses; in three of ten a new one. */
const anyOffer = ({ dice, market }: Setting): Offer => {
  const [first, ...others] = market.offers;
  return first === undefined || dice.isLucky(0.3)
    ? market.find([...small, ...large])
    : dice.pick([first, ...others]);
};

const isBought = ({ outcome }: Event): boolean => outcome !== 'refused';

/** The same call again and again: a loop without an end, or a model that repeats itself. */
const runawayLoop: Lay = (setting) => {
  const { dice } = setting;
  const offer = anyOffer(setting);
  const price = priceOf(dice, offer);
  // A bare loop calls as fast as it is answered; a model thinks some seconds between two calls.
  const gap = { median: logBetween(dice, 0.3, 20) * secondMs, spread: 0.4 };
  // Somebody looks after half an hour, or in the morning.
  const lasts = logBetween(dice, 20 * minuteMs, 12 * hourMs);
  const times = inARow(dice, anyMoment(setting), Math.min(most, lasts / gap.median), gap);
  return beside(
    setting.day,
    times.map((at) => eventOf({ at, offer }, price, 'paid')),
  );
};

/** A seller asks more from one request on: a new tariff, a slipped decimal point, or greed. */
const priceJump: Lay = ({ dice, day }) => {
  const [first, ...others] = day.filter(isBought);
  if (first === undefined) return null;
  const { at, service } = dice.pick([first, ...others]);
  const times = logBetween(dice, 2.5, 100);
  return day.map((event) => {
    if (event.service !== service || event.at < at) return ordinary(event);
    const amount = usdc(BigInt(Math.round(Number(event.amount) * times)));
    const harm = isBought(event) ? usdc(amount - event.amount) : null;
    return { ...event, amount, harm };
  });
};

/** A second copy of the agent, or a job that was forgotten: its usual purchases, steadily, at some four times its pace. */
const slowLeak: Lay = ({ dice, history, day, start }) => {
  const [first, ...others] = [...history, ...day].filter(isBought);
  if (first === undefined) return null;
  const bought = [first, ...others] as const;
  // Its pace is that of the hours in which it buys anything.
  const hours = new Set(bought.map(({ at }) => Math.floor(at / hourMs))).size;
  const times = Math.max(2.5, longTailed(dice, 4, 0.25));
  const from = start + between(dice, 0, 16) * hourMs;
  const extra = arrivals(dice, ((times - 1) * bought.length) / hours, from, start + 24 * hourMs);
  return beside(
    day,
    extra.map((at): Event => ({ ...dice.pick(bought), at: Math.round(at), outcome: 'paid' })),
  );
};

/** An agent that was talked into it, or that works through a list of sellers. */
const newPayees: Lay = (setting) => {
  const { dice, day } = setting;
  const gap = { median: logBetween(dice, 3, 120) * secondMs, spread: 0.7 };
  const times = inARow(dice, anyMoment(setting), logBetween(dice, 8, 300), gap);
  return beside(
    day,
    times.flatMap((from, index) => {
      const name = `stranger-${index + 1}`;
      const amount = usdc(BigInt(Math.round(logBetween(dice, 1_000, 300_000))));
      const tries = inARow(dice, from, 1 + countOf(dice, 0.3), { median: 5 * secondMs, spread: 0.5 });
      return tries.map((at): Event => ({
        at: Math.round(at),
        service: name,
        payee: name,
        amount,
        outcome: 'paid',
      }));
    }),
  );
};

/** A seller takes the money and answers with nothing; the agent tries again, each time for money. */
const nothingDelivered: Lay = (setting) =>
  setting.dice.isLucky(0.6) ? ownSeller(setting) : newSeller(setting);

const ownSeller: Lay = ({ dice, day }) => {
  const [first, ...others] = day.filter(isBought);
  if (first === undefined) return null;
  const { at: from, service } = dice.pick([first, ...others]);
  const tries = logBetween(dice, 0.5, 6);
  const gap = { median: logBetween(dice, 3, 60) * secondMs, spread: 0.7 };
  return day.flatMap((event) => {
    if (event.service !== service || event.at < from || !isBought(event)) return [ordinary(event)];
    const times = inARow(dice, event.at, 1 + countOf(dice, tries), gap);
    return times.map((at) => harmful({ ...event, at: Math.round(at), outcome: 'not_delivered' }));
  });
};

const newSeller: Lay = (setting) => {
  const { dice, market, day } = setting;
  const offer = market.find([...small, ...large]);
  const price = priceOf(dice, offer);
  const gap = { median: logBetween(dice, 3, 120) * secondMs, spread: 0.7 };
  const times = inARow(dice, anyMoment(setting), logBetween(dice, 10, 400), gap);
  return beside(
    day,
    times.map((at) => eventOf({ at, offer }, price, 'not_delivered')),
  );
};

/** A broken script asks for something that the policy refuses, and does not understand the answer. */
const refusals: Lay = (setting) => {
  const { dice } = setting;
  const offer = anyOffer(setting);
  const price = refusedPriceOf(dice, offer);
  const gap = { median: logBetween(dice, 0.2, 10) * secondMs, spread: 0.5 };
  const lasts = logBetween(dice, 5 * minuteMs, 3 * hourMs);
  const times = inARow(dice, anyMoment(setting), Math.min(most, lasts / gap.median), gap);
  return beside(
    setting.day,
    times.map((at) => eventOf({ at, offer }, price, 'refused')),
  );
};

export const lays: Readonly<Record<Accident, Lay>> = {
  'runaway loop': runawayLoop,
  'price jump': priceJump,
  'slow leak': slowLeak,
  'new payees': newPayees,
  'nothing delivered': nothingDelivered,
  refusals,
};
