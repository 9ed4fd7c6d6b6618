// Eight kinds of agents, and what each asks for on an ordinary day. Their numbers are those of programs and people: when
// they work, how fast a call follows another, how much one day differs from the next.
import type { Dice } from '../../harness/dice.ts';
import {
  arrivals,
  between,
  busyness,
  countOf,
  dayMs,
  hourMs,
  inARow,
  logBetween,
  longTailed,
  minuteMs,
  secondMs,
} from './chances.ts';
import { buy, large, oneMostly, small, type Market, type Offer, type Request } from './market.ts';
import type { AgentKind } from './trace.ts';

export interface Day {
  /** Unix milliseconds of its midnight. */
  start: number;
  isWeekend: boolean;
  /** One of the last two days of a month, or of the first two. */
  isMonthEnd: boolean;
}

/** Its requests of a day, in any order. */
export type Agent = (day: Day) => Request[];
type Maker = (dice: Dice, market: Market) => Agent;

/** Somebody starts it by hand: bursts of searches and pages, and now and then sellers that a page led to. */
const researcher: Maker = (dice, market) => {
  const known: [Offer, ...Offer[]] = [market.find(small), market.find(small), market.find(large)];
  const sessions = logBetween(dice, 1, 6);
  return ({ start, isWeekend }) =>
    Array.from({ length: countOf(dice, sessions * busyness(dice) * (isWeekend ? 0.3 : 1)) }).flatMap(() => {
      const from = start + between(dice, 8, 23) * hourMs;
      // A person's question takes some twelve calls, and a deep one a hundred. Reading an answer takes seconds.
      const gap = { median: 8 * secondMs, spread: 1.1 };
      const calls = buy(inARow(dice, from, longTailed(dice, 12, 0.9), gap), oneMostly(dice, known, 0.6));
      if (!dice.isLucky(0.2)) return calls;
      const found = Array.from({ length: 1 + countOf(dice, 1.5) }, () => market.find([...small, ...large]));
      if (dice.isLucky(0.3)) known.push(...found.slice(0, 1));
      const later = inARow(dice, from + between(dice, 1, 10) * minuteMs, found.length, {
        median: 25 * secondMs,
        spread: 1,
      });
      return [...calls, ...found.flatMap((offer, index) => buy(later.slice(index, index + 1), offer))];
    });
};

/** A clock starts it: pages at one price, each run after the other. A run that was missed is made up for. */
const scraper: Maker = (dice, market) => {
  const pages = market.find(small);
  const everyMinutes = dice.pick([15, 30, 60, 120, 360, 1440]);
  // An owner who pays by the page buys some hundreds a day, whatever the rhythm.
  const perRun = logBetween(dice, 60, 800) / (1440 / everyMinutes);
  const gap = { median: logBetween(dice, 0.3, 3) * secondMs, spread: 0.4 };
  const offset = between(dice, 0, everyMinutes) * minuteMs;
  return ({ start }) => {
    const found: Request[] = [];
    // The site, or the machine, is down on one day in twenty-five, for some runs.
    let missing = dice.isLucky(0.04) ? 2 + countOf(dice, 3) : 0;
    let missed = 0;
    // On one day in fifty there is a new site to read.
    const job = perRun * (dice.isLucky(0.02) ? logBetween(dice, 2, 6) : 1);
    for (let time = offset; time < dayMs; time += everyMinutes * minuteMs) {
      missed += 1;
      if (missing > 0 && dice.isLucky(0.5)) {
        missing -= 1;
        continue;
      }
      const count = job * missed * longTailed(dice, 1, 0.25);
      found.push(...buy(inARow(dice, start + time, Math.max(1, count), gap), pages));
      missed = 0;
    }
    return found;
  };
};

/** Edit, run, read, again: loops that are its work. Some go on until the tests pass. */
const coder: Maker = (dice, market) => {
  const model = market.find([0.004, 0.008, 0.015], between(dice, 0.5, 0.9));
  const runner = market.find(small);
  const lookup = market.find(small);
  const sessions = logBetween(dice, 1, 4);
  return ({ start, isWeekend }) =>
    Array.from({ length: countOf(dice, sessions * busyness(dice) * (isWeekend ? 0.25 : 1)) }).flatMap(() => {
      const from = start + between(dice, 8, 22) * hourMs;
      const turns = inARow(dice, from, longTailed(dice, 18, 0.8), { median: 25 * secondMs, spread: 0.8 });
      const work = buy(turns, () => (dice.isLucky(0.6) ? model : dice.isLucky(0.7) ? runner : lookup));
      // One session in eight ends in a loop of fixing and running, at the pace of the tests.
      if (!dice.isLucky(1 / 8)) return work;
      const pace = { median: logBetween(dice, 4, 20) * secondMs, spread: 0.3 };
      const loop = inARow(dice, from + between(dice, 5, 60) * minuteMs, longTailed(dice, 120, 0.6), pace);
      return [
        ...work,
        ...buy(loop, runner),
        ...buy(
          loop.filter(() => dice.isLucky(0.5)),
          model,
        ),
      ];
    });
};

/** Asks for one price again and again: slowly when nothing happens, fast when the market moves. */
const trader: Maker = (dice, market) => {
  const price = market.find([0.0005, 0.001, 0.002]);
  const order = market.find(large);
  const isAroundTheClock = dice.isLucky(0.3);
  const perHour = hourMs / (logBetween(dice, isAroundTheClock ? 90 : 30, 300) * secondMs);
  return ({ start, isWeekend }) => {
    if (isWeekend && !isAroundTheClock) return [];
    const [open, close] = isAroundTheClock ? [0, 24] : [13.5, 20];
    const [from, to] = [start + open * hourMs, start + close * hourMs];
    const polls = arrivals(dice, perHour, from, to);
    // The market moves on one day in six, for a quarter of an hour or two hours.
    const moves = dice.isLucky(1 / 6) ? between(dice, from, to) : null;
    const fast =
      moves === null
        ? []
        : arrivals(
            dice,
            perHour * logBetween(dice, 3, 12),
            moves,
            Math.min(to, moves + logBetween(dice, 15, 120) * minuteMs),
          );
    const orders = polls.filter(() => dice.isLucky(0.01));
    return [...buy([...polls, ...fast], price), ...buy(orders, order)];
  };
};

/** Nothing for days, and then a hundred pictures in a row, with some done again by hand. */
const imageBatch: Maker = (dice, market) => {
  const model = market.find(large);
  const upscaler = market.find(small);
  const days = between(dice, 0.15, 0.7);
  const gap = { median: logBetween(dice, 1, 20) * secondMs, spread: 0.4 };
  return ({ start, isWeekend }) => {
    if (!dice.isLucky(isWeekend ? days / 3 : days)) return [];
    const from = start + between(dice, 7, 20) * hourMs;
    const pictures = inARow(dice, from, longTailed(dice, 50, 0.8), gap);
    const end = pictures.at(-1) ?? from;
    const again = inARow(dice, end + 5 * minuteMs, countOf(dice, 5), { median: minuteMs, spread: 0.8 });
    // Before a new series other models are tried with a picture or two each.
    const others = dice.isLucky(0.1)
      ? Array.from({ length: 2 + countOf(dice, 2) }, () => market.find(large))
      : [];
    const trials = inARow(dice, from - hourMs, others.length * 2, { median: 40 * secondMs, spread: 0.7 });
    return [
      ...buy([...pictures, ...again], model),
      ...buy(
        pictures.filter(() => dice.isLucky(0.3)).map((time) => time + 5 * secondMs),
        upscaler,
      ),
      ...trials.flatMap((time, index) => buy([time], others[index >> 1] ?? model)),
    ];
  };
};

/** A long run each night, a short one at each push, and steps that fail by chance run again. */
const nightlyCi: Maker = (dice, market) => {
  const offers: [Offer, ...Offer[]] = [market.find(small), market.find(small), market.find(large)];
  const nightly = logBetween(dice, 40, 250);
  const each = logBetween(dice, 4, 25);
  const pushes = logBetween(dice, 2, 10);
  const hour = between(dice, 1, 5);
  const gap = { median: logBetween(dice, 0.5, 5) * secondMs, spread: 0.6 };
  const run = (from: number, calls: number): Request[] => {
    const steps = buy(inARow(dice, from, calls, gap), oneMostly(dice, offers, 0.7));
    const end = steps.at(-1)?.at ?? from;
    return dice.isLucky(0.08)
      ? [...steps, ...buy(inARow(dice, end + 2 * minuteMs, calls, gap), oneMostly(dice, offers, 0.7))]
      : steps;
  };
  return ({ start, isWeekend }) => {
    // The day before a release has three times the pushes.
    const mean = pushes * busyness(dice) * (isWeekend ? 0.15 : 1) * (dice.isLucky(0.06) ? 3 : 1);
    const times = Array.from({ length: countOf(dice, mean) }, () => start + between(dice, 8, 20) * hourMs);
    return [
      ...run(start + hour * hourMs, nightly * longTailed(dice, 1, 0.2)),
      ...times.flatMap((from) => run(from, each * longTailed(dice, 1, 0.5))),
    ];
  };
};

/** Questions of customers come by themselves, in office hours, more at the end of a month, most when something broke. */
const supportBot: Maker = (dice, market) => {
  const model = market.find([0.002, 0.004, 0.008], between(dice, 0.4, 0.8));
  const knowledge = market.find(small);
  const perHour = logBetween(dice, 4, 30);
  const peak = between(dice, 1.8, 4);
  /** By the hour from 8 to 18: mornings are full, and there is lunch. */
  const shape = [0.6, 1.2, 1.5, 1.3, 0.7, 0.8, 1.2, 1.1, 0.9, 0.5];
  return ({ start, isWeekend, isMonthEnd }) => {
    const rate = perHour * busyness(dice) * (isWeekend ? 0.12 : 1) * (isMonthEnd ? peak : 1);
    const broke = dice.isLucky(0.04) ? start + between(dice, 8, 17) * hourMs : null;
    const questions = [
      ...shape.flatMap((part, index) =>
        arrivals(dice, rate * part, start + (8 + index) * hourMs, start + (9 + index) * hourMs),
      ),
      ...arrivals(dice, rate * 0.05, start, start + dayMs),
      ...(broke === null ? [] : arrivals(dice, rate * 5, broke, broke + between(dice, 0.5, 2) * hourMs)),
    ];
    // A conversation has a turn or several, and looks something up in half of them.
    return questions.flatMap((time) => {
      const turns = inARow(dice, time, longTailed(dice, 1.6, 0.7), { median: 40 * secondMs, spread: 0.8 });
      return [
        ...buy(turns, model),
        ...buy(
          turns.filter(() => dice.isLucky(0.5)),
          knowledge,
        ),
      ];
    });
  };
};

/** Its owner tries what there is, and mistakes are made; then it does the work of one of the others. */
const newAgent: Maker = (dice, market) => {
  const offers = Array.from({ length: 2 + countOf(dice, 4) }, () => market.find([...small, ...large]));
  const work = dice.pick([researcher, scraper, coder, trader, imageBatch, nightlyCi, supportBot])(
    dice,
    market,
  );
  let isFirst = true;
  return (day) => {
    if (!isFirst) return work(day);
    isFirst = false;
    const from = day.start + between(dice, 8, 20) * hourMs;
    const gap = { median: 20 * secondMs, spread: 1 };
    const trials = offers.flatMap((offer) =>
      buy(inARow(dice, from + between(dice, 0, 30) * minuteMs, longTailed(dice, 2, 0.7), gap), offer),
    );
    return [...trials, ...work(day).filter((request) => request.at > from)];
  };
};

export const makers: Readonly<Record<AgentKind, Maker>> = {
  researcher,
  scraper,
  coder,
  trader,
  'image batch': imageBatch,
  'nightly CI': nightlyCi,
  'support bot': supportBot,
  'new agent': newAgent,
};
