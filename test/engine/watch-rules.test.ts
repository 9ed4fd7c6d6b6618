// The rules of the watch, each at its threshold, and what it keeps in mind.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentMemoryOf } from '../../server/engine/payment/decision/watch-notes.ts';
import {
  burstsBegun,
  newAgentMemory,
  newServiceMemory,
  noteBursts,
  noteDelivery,
  notePayment,
  noteRefusal,
  type Asked,
} from '../../server/engine/watch/memory.ts';
import { hasHistory, refusalTrip, tripsOf } from '../../server/engine/watch/rules.ts';
import { newRhythm, noteRhythm } from '../../server/engine/watch/rhythm.ts';
import { usdc } from '../../server/money.ts';
import { useFolders } from '../harness/folders.ts';
import { openStore } from '../harness/engine/store.ts';

const newFolder = useFolders();
const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Noon of a day. */
const noon = Date.UTC(2026, 4, 20, 12);

const dailyBudget = usdc(10_000_000n);

/** An agent that pays one service. */
const agentAt = (service = 'maps', memory = { agent: newAgentMemory(), service: newServiceMemory() }) => {
  const asked = (now: number, amount: number, change: Partial<Asked> = {}): Asked => ({
    now,
    serviceId: service,
    payee: 'maps-wallet',
    amount,
    isNewPayee: false,
    ...change,
  });
  return {
    memory,
    pay: (now: number, amount: number, change?: Partial<Asked>) =>
      notePayment(memory, asked(now, amount, change)),
    ask: (now: number, amount: number, change?: Partial<Asked>) =>
      tripsOf({ ...memory, asked: asked(now, amount, change), dailyBudget }),
    rules(now: number, amount: number, change?: Partial<Asked>) {
      return this.ask(now, amount, change).map(({ rule }) => rule);
    },
  };
};

type Agent = ReturnType<typeof agentAt>;

/** Twenty payments of 0.01 on each of so many days before, an hour apart. */
const withHistory = (days = 3, agent: Agent = agentAt()): Agent => {
  for (let day = days; day >= 1; day -= 1)
    for (let hour = 0; hour < 20; hour += 1)
      agent.pay(noon - day * dayMs - 12 * hourMs + hour * hourMs, 10_000);
  return agent;
};

const payTimes = (agent: Agent, times: number, amount: number, gapMs = 1_000): void => {
  for (let time = 0; time < times; time += 1) agent.pay(noon + time * gapMs, amount);
};

const payNew = (agent: Agent, count: number, amount: number): void => {
  for (let time = 0; time < count; time += 1)
    agent.pay(noon + time * 1_000, amount, { payee: `new-${time}`, isNewPayee: true });
};

const partMs = 6 * 60_000;
const midnight = noon - 12 * hourMs;

/** The same payments in each of so many parts of six minutes, from midnight of a day before. */
const payParts = (agent: Agent, day: number, parts: number, amounts: readonly number[]): void => {
  for (let part = 0; part < parts; part += 1)
    for (const [time, amount] of amounts.entries())
      agent.pay(midnight - day * dayMs + part * partMs + time * 1_000, amount);
};

describe('runaway', () => {
  it('trips at the same call far more often than usual within five minutes, and says how often', () => {
    const agent = withHistory();
    payTimes(agent, 38, 10_000);
    expect(agent.rules(noon + 38_000, 10_000)).toEqual([]);
    agent.pay(noon + 38_000, 10_000);
    expect(agent.ask(noon + 40_000, 10_000)).toEqual([
      {
        rule: 'runaway',
        about: 'maps',
        sentence:
          'It asks maps for the same 0.01 USDC 40 times in five minutes, 4% of its daily budget. The most payments there in five minutes of the last 14 days were 1.',
        numbers: { count: 40, amount: '0.01', most: 1, total: '0.40' },
      },
    ]);
  });

  it('trips at the eleventh call where calls are dear', () => {
    const agent = withHistory(14);
    payTimes(agent, 9, 100_000);
    expect(agent.rules(noon + 10_000, 100_000)).toEqual([]);
    agent.pay(noon + 10_000, 100_000);
    expect(agent.rules(noon + 11_000, 100_000)).toContain('runaway');
  });

  it('takes the most of few days for less than that of many', () => {
    for (const [days, trips] of [
      [2, []],
      [14, ['runaway']],
    ] as const) {
      const agent = agentAt();
      for (let day = days; day >= 1; day -= 1)
        for (let time = 0; time < 10; time += 1) agent.pay(noon - day * dayMs + time * 1_000, 10_000);
      payTimes(agent, 120, 10_000);
      expect(agent.rules(noon + 120_000, 10_000)).toEqual(trips);
    }
  });

  it('does not trip where so many are usual', () => {
    const agent = agentAt();
    for (const days of [3, 2])
      for (let time = 0; time < 12; time += 1) agent.pay(noon - days * dayMs + time * 1_000, 10_000);
    payTimes(agent, 60, 10_000);
    expect(agent.rules(noon + 60_000, 10_000)).toEqual([]);
  });

  it('does not take today for usual', () => {
    const agent = withHistory();
    payTimes(agent, 60, 10_000);
    expect(agent.rules(noon + 60_000, 10_000)).toContain('runaway');
  });

  it('counts each amount for itself, since calls that differ are work', () => {
    const agent = withHistory();
    for (let time = 0; time < 60; time += 1) agent.pay(noon + time * 1_000, 10_000 + (time % 6));
    expect(agent.rules(noon + 60_000, 10_000)).toEqual([]);
  });

  it('trips at a slow loop within the hour', () => {
    const agent = withHistory();
    payTimes(agent, 60, 10_000, 50_000);
    expect(agent.rules(noon + 60 * 50_000, 10_000)).toContain('runaway');
  });

  it('says nothing of an agent without a history', () => {
    const agent = withHistory(1);
    payTimes(agent, 60, 10_000);
    expect(hasHistory(agent.memory.agent, noon)).toBe(false);
    expect(agent.rules(noon + 60_000, 10_000)).toEqual([]);
  });
});

describe('price_jump', () => {
  it('trips at once when a fixed price more than triples', () => {
    const agent = withHistory();
    expect(agent.rules(noon, 30_000)).toEqual([]);
    expect(agent.ask(noon, 30_001)[0]).toMatchObject({
      rule: 'price_jump',
      about: 'maps',
      sentence: 'maps asks 0.030001 USDC. The median of 9 earlier prices is 0.01 USDC.',
    });
  });

  it('needs three prices, and an increase of a thousandth of the daily budget', () => {
    const few = agentAt();
    payTimes(few, 2, 10_000);
    expect(few.rules(noon + 5_000, 90_000)).toEqual([]);
    few.pay(noon + 5_000, 10_000);
    expect(few.rules(noon + 6_000, 90_000)).toEqual(['price_jump']);
    const cheap = agentAt();
    payTimes(cheap, 20, 1_000);
    expect(cheap.rules(noon + 30_000, 10_999)).toEqual([]);
    expect(cheap.rules(noon + 30_000, 11_000)).toEqual(['price_jump']);
  });

  it('waits for eight of ten where prices vary, and knows twenty before them', () => {
    const payVarying = (agent: Agent, times: number): void => {
      for (let time = 0; time < times; time += 1)
        agent.pay(noon + time, [8_000, 10_000, 13_000][time % 3] ?? 0);
    };
    const agent = agentAt();
    payVarying(agent, 20);
    for (const [index, price] of [90, 10, 90, 90, 90, 90, 90, 10, 90].entries())
      agent.pay(noon + 100 + index, price * 1_000);
    expect(agent.rules(noon + 200, 30_000)).toEqual([]);
    expect(agent.ask(noon + 200, 90_000)).toMatchObject([
      { rule: 'price_jump', sentence: 'maps asks 0.09 USDC. The median of 20 earlier prices is 0.01 USDC.' },
    ]);
    agent.pay(noon + 200, 10_000);
    expect(agent.rules(noon + 201, 90_000)).toEqual([]);
    const young = agentAt();
    payVarying(young, 19);
    for (let time = 0; time < 9; time += 1) young.pay(noon + 100 + time, 90_000 + 20_000 * (time % 2));
    expect(young.rules(noon + 200, 90_000)).toEqual([]);
  });
});

describe('fast_spending', () => {
  it('trips at an hour far above the most of the last days, and near the daily budget', () => {
    const agent = withHistory();
    for (let time = 0; time < 15; time += 1) agent.pay(noon + time * 60_000, 500_000 + time);
    expect(agent.rules(noon + 16 * 60_000, 1_000)).toEqual(['fast_spending']);
    expect(agent.ask(noon + 16 * 60_000, 1_000)[0]?.sentence).toBe(
      'It asks for 7.501105 USDC in an hour, 75% of its daily budget. The most in an hour of the last 14 days was 0.01 USDC.',
    );
  });

  it('trips at a day above all others that comes near the daily budget', () => {
    const agent = agentAt();
    const pay = (day: number, minutes: number): void =>
      agent.pay(midnight - day * dayMs + minutes * 60_000, 400_000);
    for (const day of [3, 2, 1]) for (let hour = 0; hour < 15; hour += 1) pay(day, 60 * hour);
    let half = 0;
    for (; agent.rules(midnight + half * 30 * 60_000, 400_000).length === 0; half += 1) pay(0, 30 * half);
    expect(agent.ask(midnight + half * 30 * 60_000, 400_000)).toMatchObject([
      { rule: 'fast_spending', numbers: { spent: '8.80', most: '6.00', hours: 24 } },
    ]);
  });

  it('does not trip where an hour like that is usual', () => {
    const agent = agentAt();
    for (const start of [noon - 5 * dayMs, noon - 3 * dayMs, noon])
      for (let time = 0; time < 15; time += 1) agent.pay(start + time * 60_000, 500_000 + time);
    expect(agent.rules(noon + 16 * 60_000, 1_000)).toEqual([]);
  });

  it('goes by the budget alone while nothing is usual yet', () => {
    const agent = agentAt();
    for (let time = 0; time < 15; time += 1) agent.pay(noon + time * 60_000, 500_000 + time);
    expect(agent.ask(noon + 16 * 60_000, 1_000)).toMatchObject([
      { rule: 'fast_spending', about: '', sentence: expect.stringContaining('There is too little history') },
    ]);
  });

  it('forgets a day after fourteen', () => {
    const agent = withHistory(3);
    const later = noon + 20 * dayMs;
    expect(hasHistory(agent.memory.agent, later)).toBe(false);
  });
});

describe('steady_spending', () => {
  it('trips at half of four hours where an agent used to pay now and then', () => {
    const agent = withHistory();
    payParts(agent, 0, 19, [60_000, 60_000]);
    expect(agent.rules(midnight + 18 * partMs + 5_000, 60_000)).toEqual([]);
    expect(agent.ask(midnight + 19 * partMs, 60_000)).toMatchObject([
      {
        rule: 'steady_spending',
        about: '',
        sentence:
          'It paid in 20 of the 40 parts of six minutes in four hours, 2.51 USDC in 24 hours. The most in four hours of the last 14 days was 4 parts.',
      },
    ]);
  });

  it('does not trip in the first days, nor below a tenth of the budget', () => {
    const young = withHistory(2);
    payParts(young, 0, 19, [60_000, 60_000]);
    expect(young.rules(midnight + 19 * partMs, 60_000)).toEqual([]);
    const cheap = withHistory();
    payParts(cheap, 0, 39, [10_000]);
    expect(cheap.rules(midnight + 39 * partMs, 10_000)).toEqual([]);
  });

  it('does not trip at one burst, however many payments it has', () => {
    const agent = withHistory();
    for (let time = 0; time < 200; time += 1) agent.pay(noon + time * 5_000, 10_000 + time);
    expect(agent.rules(noon + 200 * 5_000, 10_500)).toEqual([]);
  });

  it('trips at twelve hours where four such hours are usual', () => {
    const agent = agentAt();
    for (const day of [3, 2, 1]) payParts(agent, day, 40, [20_000]);
    payParts(agent, 0, 80, [20_000]);
    expect(agent.rules(midnight + 79 * partMs, 20_000)).toEqual([]);
    expect(agent.ask(midnight + 80 * partMs, 20_000)).toMatchObject([
      { rule: 'steady_spending', numbers: { count: 81, of: 120, most: 40 } },
    ]);
  });

  it('trips where an agent that never rests spends more in each of twelve hours', () => {
    const agent = agentAt();
    for (const day of [3, 2, 1]) payParts(agent, day, 240, [2_000]);
    payParts(
      agent,
      0,
      114,
      Array.from({ length: 15 }, () => 2_000),
    );
    expect(agent.rules(midnight + 113 * partMs + 20_000, 2_000)).toEqual([]);
    expect(agent.ask(midnight + 114 * partMs, 2_000)).toMatchObject([
      {
        rule: 'steady_spending',
        sentence:
          'It paid steadily for twelve hours, at least 0.122 USDC in each. The most that it kept up for so long in the last 14 days was 0.02 USDC an hour.',
      },
    ]);
  });

  it('trips where an agent keeps up for twelve hours what it kept up for eleven', () => {
    const agent = agentAt();
    for (const day of [3, 2, 1]) payParts(agent, day, 110, [20_000]);
    payParts(agent, 0, 114, [20_000]);
    expect(agent.rules(midnight + 114 * partMs, 20_000)).toEqual([]);
    agent.pay(midnight + 114 * partMs, 20_000);
    expect(agent.ask(midnight + 114 * partMs + 1_000, 20_000)[0]?.sentence).toBe(
      'It paid steadily for twelve hours, at least 0.12 USDC in each. It did so on none of the last 14 days.',
    );
  });
});

describe('new_payees', () => {
  it('trips at the tenth first payment to a payee within ten minutes', () => {
    const agent = agentAt();
    payNew(agent, 9, 1_000);
    expect(agent.rules(noon + 10_000, 1_000)).toEqual([]);
    expect(agent.rules(noon + 10_000, 1_000, { payee: 'new-1', isNewPayee: true })).toEqual([]);
    expect(agent.ask(noon + 10_000, 1_000, { payee: 'another', isNewPayee: true })).toMatchObject([
      {
        rule: 'new_payees',
        about: '',
        sentence: 'It pays 10 payees for the first time within ten minutes, 0.01 USDC in all.',
      },
    ]);
    const afterTenMinutes = noon + 11 * 60_000;
    expect(agent.rules(afterTenMinutes, 1_000, { payee: 'another', isNewPayee: true })).toEqual([]);
  });

  it('trips at four more than ever where an agent has a history, and they take a twenty-fifth of the budget', () => {
    const agent = withHistory();
    const isNew = { payee: 'another', isNewPayee: true };
    payNew(agent, 3, 100_000);
    expect(agent.rules(noon + 8_000, 99_999, isNew)).toEqual([]);
    expect(agent.rules(noon + 8_000, 100_000, isNew)).toEqual(['new_payees']);
    const curious = agentAt();
    for (const payee of ['one', 'two', 'three'])
      curious.pay(noon - 3 * dayMs, 1_000, { payee, isNewPayee: true });
    withHistory(2, curious);
    payNew(curious, 5, 100_000);
    expect(curious.rules(noon + 8_000, 200_000, isNew)).toEqual([]);
    curious.pay(noon + 8_000, 1_000, { payee: 'a sixth', isNewPayee: true });
    expect(curious.rules(noon + 9_000, 200_000, isNew)).toEqual(['new_payees']);
  });
});

describe('not_delivered', () => {
  it('trips after five purchases in a row that brought nothing, or four that took a hundredth of the budget', () => {
    const agent = agentAt();
    const { service } = agent.memory;
    for (let time = 0; time < 4; time += 1) noteDelivery(service, false, 1_000);
    expect(agent.rules(noon, 1_000)).toEqual([]);
    noteDelivery(service, false, 1_000);
    expect(agent.rules(noon, 1_000)).toEqual(['not_delivered']);
    noteDelivery(service, true, 1_000);
    expect(agent.rules(noon, 1_000)).toEqual([]);
    for (let time = 0; time < 4; time += 1) noteDelivery(service, false, 25_000);
    expect(agent.rules(noon, 1_000)).toEqual(['not_delivered']);
  });
});

describe('refusals', () => {
  it('trips at thirty refusals of one API key within five minutes', () => {
    const { agent } = agentAt().memory;
    for (let time = 0; time < 29; time += 1) noteRefusal(agent, 'one', noon + time);
    noteRefusal(agent, 'another', noon);
    expect(refusalTrip(agent, 'one', noon + 30)).toBe(null);
    noteRefusal(agent, 'one', noon + 30);
    expect(refusalTrip(agent, 'one', noon + 30)).toMatchObject({
      rule: 'refusals',
      sentence: '30 of its requests were refused within five minutes.',
    });
    expect(refusalTrip(agent, 'another', noon + 30)).toBe(null);
    expect(refusalTrip(agent, 'one', noon + 6 * 60_000)).toBe(null);
  });
});

describe('a burst', () => {
  const trip = { rule: 'runaway', about: 'maps', sentence: '', numbers: {} } as const;

  it('lasts five minutes for a rule and what it is about', () => {
    const { agent } = agentAt().memory;
    expect(burstsBegun(agent, [trip], noon)).toEqual([trip]);
    noteBursts(agent, [trip], noon);
    expect(burstsBegun(agent, [trip], noon + 60_000)).toEqual([]);
    const other = { ...trip, about: 'search' };
    expect(burstsBegun(agent, [trip, other], noon + 120_000)).toEqual([other]);
    expect(burstsBegun(agent, [trip], noon + 5 * 60_000)).toEqual([trip]);
  });
});

/** Pays hourly until midnight. */
const hourly = (days: number): Agent => {
  const agent = agentAt();
  for (let hour = -24 * days; hour < 0; hour += 1) agent.pay(midnight + hour * hourMs, 60_000);
  return agent;
};

describe('the memory', () => {
  it('stays small, whatever the agent does', () => {
    const agent = withHistory(20);
    for (let time = 0; time < 5_000; time += 1)
      agent.pay(noon + time * 7_000, 1_000 + time, { payee: `payee-${time}`, isNewPayee: true });
    for (let key = 0; key < 100; key += 1) noteRefusal(agent.memory.agent, `key-${key}`, noon + key);
    expect(JSON.stringify(agent.memory.agent).length).toBeLessThan(6_000);
    expect(JSON.stringify(agent.memory.service).length).toBeLessThan(6_000);
  });

  it('is the same after a restart', () => {
    const file = join(newFolder(), 't.db');
    const { agent } = hourly(5).memory;
    const store = openStore(file);
    store.watch.keepAgent('scout', agent, midnight);
    store.close();
    const again = openStore(file);
    expect(agentMemoryOf(again, 'scout')).toEqual(agent);
    expect(agentMemoryOf(again, 'other')).toEqual(newAgentMemory());
    again.close();
  });

  it('tells nothing about the rhythm while an older version has kept none', () => {
    const { agent, service } = hourly(5).memory;
    const { rhythm, newPayees, ...older } = agent;
    expect([rhythm.hours.length, newPayees]).toEqual([12, []]);
    const store = openStore(join(newFolder(), 't.db'));
    store.watch.keepAgent('scout', older as typeof agent, midnight);
    const later = agentAt('maps', { agent: agentMemoryOf(store, 'scout'), service });
    store.close();
    for (let part = 0; part < 40; part += 1) {
      const now = midnight + part * 360_000;
      expect(later.ask(now, 60_000)).toEqual([]);
      later.pay(now, 60_000);
    }
  });

  it('keeps no hour of the rhythm that is still to come after the clock was set back', () => {
    const rhythm = newRhythm();
    noteRhythm(rhythm, midnight + 72 * hourMs, 1);
    noteRhythm(rhythm, midnight, 1);
    expect(rhythm.hours).toEqual([[midnight, 1, 1]]);
    for (let turn = 0; turn < 100; turn += 1) noteRhythm(rhythm, midnight + (turn % 2) * hourMs, 1);
    expect(rhythm.hours.map(([start]) => start)).toEqual([midnight, midnight + hourMs]);
  });
});
