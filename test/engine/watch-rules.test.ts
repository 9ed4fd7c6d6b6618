// The rules of the watch, each at its threshold.
import { describe, expect, it } from 'vitest';
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
import { usdc } from '../../server/money.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Noon of a day. */
const noon = Date.UTC(2026, 4, 20, 12);

const dailyBudget = usdc(10_000_000n);

/** An agent that pays one service. */
const agentAt = (service = 'maps') => {
  const memory = { agent: newAgentMemory(), service: newServiceMemory() };
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

describe('runaway', () => {
  it('trips at the same call far more often than usual within five minutes, and says how often', () => {
    const agent = withHistory();
    payTimes(agent, 28, 10_000);
    expect(agent.rules(noon + 28_000, 10_000)).toEqual([]);
    agent.pay(noon + 28_000, 10_000);
    expect(agent.ask(noon + 30_000, 10_000)).toEqual([
      {
        rule: 'runaway',
        about: 'maps',
        sentence:
          'It asks maps for the same 0.01 USDC 30 times in five minutes, 3 % of its daily budget. The most payments there in five minutes of the last 14 days were 1.',
        numbers: { count: 30, amount: '0.01', most: 1, total: '0.30' },
      },
    ]);
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
      sentence: 'maps asks 0.030001 USDC. The median of its last 20 prices is 0.01 USDC.',
    });
  });

  it('needs five prices, and an increase of a thousandth of the daily budget', () => {
    const few = agentAt();
    payTimes(few, 4, 10_000);
    expect(few.rules(noon + 5_000, 90_000)).toEqual([]);
    const cheap = agentAt();
    payTimes(cheap, 20, 1_000);
    expect(cheap.rules(noon + 30_000, 10_999)).toEqual([]);
    expect(cheap.rules(noon + 30_000, 11_000)).toEqual(['price_jump']);
  });

  it('waits for the fifth in a row where prices vary', () => {
    const agent = agentAt();
    for (const [index, price] of [10, 20, 10, 30, 10, 10, 10, 20, 10, 10].entries())
      agent.pay(noon + index, price * 1_000);
    for (let time = 0; time < 4; time += 1) {
      expect(agent.rules(noon + 100 + time, 100_000)).toEqual([]);
      agent.pay(noon + 100 + time, 100_000);
    }
    expect(agent.rules(noon + 104, 100_000)).toEqual(['price_jump']);
  });
});

describe('fast_spending', () => {
  it('trips at an hour far above the most of the last days, and near the daily budget', () => {
    const agent = withHistory();
    for (let time = 0; time < 12; time += 1) agent.pay(noon + time * 60_000, 500_000 + time);
    expect(agent.rules(noon + 13 * 60_000, 1_000)).toEqual(['fast_spending']);
    expect(agent.ask(noon + 13 * 60_000, 1_000)[0]?.sentence).toBe(
      'It asks for 6.001066 USDC in an hour, 60 % of its daily budget. The most in an hour of the last 14 days was 0.01 USDC.',
    );
  });

  it('does not trip where an hour like that is usual', () => {
    const agent = agentAt();
    for (const start of [noon - 5 * dayMs, noon - 3 * dayMs, noon])
      for (let time = 0; time < 12; time += 1) agent.pay(start + time * 60_000, 500_000 + time);
    expect(agent.rules(noon + 13 * 60_000, 1_000)).toEqual([]);
  });

  it('goes by the budget alone while nothing is usual yet', () => {
    const agent = agentAt();
    for (let time = 0; time < 15; time += 1) agent.pay(noon + time * 60_000, 500_000 + time);
    expect(agent.ask(noon + 16 * 60_000, 1_000)).toMatchObject([
      { rule: 'fast_spending', about: '', sentence: expect.stringContaining('It is too new') },
    ]);
  });

  it('forgets a day after fourteen', () => {
    const agent = withHistory(3);
    const later = noon + 20 * dayMs;
    expect(hasHistory(agent.memory.agent, later)).toBe(false);
  });
});

describe('new_payees', () => {
  it('trips at the eighth first payment to a payee within ten minutes', () => {
    const agent = agentAt();
    payNew(agent, 7, 1_000);
    expect(agent.rules(noon + 8_000, 1_000)).toEqual([]);
    expect(agent.rules(noon + 8_000, 1_000, { payee: 'new-1', isNewPayee: true })).toEqual([]);
    expect(agent.ask(noon + 8_000, 1_000, { payee: 'another', isNewPayee: true })).toMatchObject([
      {
        rule: 'new_payees',
        about: '',
        sentence: 'It pays 8 payees for the first time within ten minutes, 0.008 USDC in all.',
      },
    ]);
    const afterTenMinutes = noon + 11 * 60_000;
    expect(agent.rules(afterTenMinutes, 1_000, { payee: 'another', isNewPayee: true })).toEqual([]);
  });

  it('trips at the fifth of an agent with a history when they take a twentieth of the budget', () => {
    const agent = withHistory();
    payNew(agent, 4, 100_000);
    expect(agent.rules(noon + 8_000, 99_999, { payee: 'another', isNewPayee: true })).not.toContain(
      'new_payees',
    );
    expect(agent.rules(noon + 8_000, 100_000, { payee: 'another', isNewPayee: true })).toContain(
      'new_payees',
    );
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

describe('the memory', () => {
  it('stays small, whatever the agent does', () => {
    const agent = withHistory(20);
    for (let time = 0; time < 5_000; time += 1)
      agent.pay(noon + time * 7_000, 1_000 + time, { payee: `payee-${time}`, isNewPayee: true });
    for (let key = 0; key < 100; key += 1) noteRefusal(agent.memory.agent, `key-${key}`, noon + key);
    expect(JSON.stringify(agent.memory.agent).length).toBeLessThan(6_000);
    expect(JSON.stringify(agent.memory.service).length).toBeLessThan(6_000);
  });
});
