// The watch's memory, and how a payment, a delivery and a refusal change it. The functions change the memory
// that they are given: the store reads a fresh one in each transaction, and writes it back in the same.
import type { AgentMemory, Pace, Repeated, ServiceMemory, Trip } from '../domain/watch.ts';
import { addPart, amountIn, countIn, dayOf, newPace, raise, spans } from './pace.ts';
import { newRhythm, noteRhythm } from './rhythm.ts';

/** A request that the policy allows, before it is paid. */
export interface Asked {
  /** Unix milliseconds. */
  now: number;
  serviceId: string;
  payee: string;
  /** In micro-USDC. */
  amount: number;
  /** The agent has not paid this payee before, as far as the records of payees say. */
  isNewPayee: boolean;
  /** Of a split, the further recipients that the agent has not paid before. */
  otherNewPayees?: readonly string[];
}

export interface Memory {
  agent: AgentMemory;
  service: ServiceMemory;
}

export const recentPrices = 9;
/** Twenty before the recent ones tell what is usual. */
export const pricesKept = recentPrices + 20;
/** Amounts of a service that are counted each for itself; where each price differs, the oldest gives way. */
const amountsKept = 8;
/** A flood of new payees shows in far fewer. */
const payeesKept = 50;
const keysKept = 8;

export const newAgentMemory = (): AgentMemory => ({
  hour: newPace(),
  sixHours: newPace(),
  day: newPace(),
  rhythm: newRhythm(),
  payments: [],
  firstPaid: [],
  newPayees: [],
  refused: [],
  bursts: [],
});

export const newServiceMemory = (): ServiceMemory => ({
  prices: [],
  undelivered: { count: 0, amount: 0 },
  five: newPace(),
  hour: newPace(),
  repeated: [],
});

/** A payment was reserved. */
export const notePayment = ({ agent, service }: Memory, asked: Asked): void => {
  const { now, amount } = asked;
  noteSpending(agent, asked);
  notePayee(agent, asked);
  service.prices.push(amount);
  if (service.prices.length > pricesKept) service.prices.shift();
  for (const span of ['five', 'hour'] as const) noteCount(service[span], spans[span], asked);
  const same = repeatedOf(service, amount);
  for (const span of ['five', 'hour'] as const) addPart(same[span], spans[span], now, amount);
};

/** The agent spent so much, on whatever. */
export const noteSpending = (agent: AgentMemory, spent: Pick<Asked, 'now' | 'amount'>): void => {
  const { now, amount } = spent;
  for (const span of ['hour', 'sixHours', 'day'] as const) noteAmount(agent[span], spans[span], spent);
  noteRhythm(agent.rhythm, now, amount);
  const [today, made] = agent.payments.at(-1) ?? [0, 0];
  raise(agent.payments, now, today === dayOf(now) ? made + 1 : 1);
};

const noteAmount = (pace: Pace, spanMs: number, { now, amount }: Pick<Asked, 'now' | 'amount'>): void => {
  addPart(pace.parts, spanMs, now, amount);
  raise(pace.most, now, amountIn(pace.parts, spanMs, now));
};

const noteCount = (pace: Pace, spanMs: number, { now, amount }: Asked): void => {
  addPart(pace.parts, spanMs, now, amount);
  raise(pace.most, now, countIn(pace.parts, spanMs, now));
};

/** The amount's own entry, which becomes the newest. */
const repeatedOf = (service: ServiceMemory, amount: number): Repeated => {
  const found = service.repeated.find((one) => one.amount === amount) ?? { amount, five: [], hour: [] };
  if (service.repeated.at(-1) === found) return found;
  service.repeated = [...service.repeated.filter((one) => one !== found), found].slice(-amountsKept);
  return found;
};

/** Those that were first paid in the last ten minutes. */
export const lately = ({ firstPaid }: AgentMemory, now: number): AgentMemory['firstPaid'] =>
  firstPaid.filter(({ at }) => at > now - spans.ten);

const notYetIn = (paid: AgentMemory['firstPaid'], payees: readonly string[]): string[] =>
  payees.filter((payee) => !paid.some((one) => one.payee === payee));

/** How many payees this payment would be the first to pay within ten minutes. */
export const freshIn = (
  paid: AgentMemory['firstPaid'],
  { payee, isNewPayee, otherNewPayees = [] }: Pick<Asked, 'payee' | 'isNewPayee' | 'otherNewPayees'>,
): number => notYetIn(paid, [...(isNewPayee ? [payee] : []), ...otherNewPayees]).length;

const notePayee = (agent: AgentMemory, asked: Asked): void => {
  const { now, payee, amount, isNewPayee, otherNewPayees = [] } = asked;
  if (agent.firstPaid.length === 0 && !isNewPayee && otherNewPayees.length === 0) return;
  agent.firstPaid = lately(agent, now).slice(-payeesKept);
  const known = agent.firstPaid.find((one) => one.payee === payee);
  if (known !== undefined) known.amount += amount;
  else if (isNewPayee) agent.firstPaid.push({ payee, at: now, amount });
  // The whole amount is counted once, with the payee.
  for (const other of notYetIn(agent.firstPaid, otherNewPayees))
    agent.firstPaid.push({ payee: other, at: now, amount: 0 });
  raise(agent.newPayees, now, agent.firstPaid.length);
};

/** A paid purchase brought something, or nothing. */
export const noteDelivery = (service: ServiceMemory, isDelivered: boolean, paid: number): void => {
  const { count, amount } = service.undelivered;
  service.undelivered = isDelivered ? { count: 0, amount: 0 } : { count: count + 1, amount: amount + paid };
};

/** The policy refused a request of this API key. */
export const noteRefusal = (agent: AgentMemory, keyId: string, now: number): void => {
  const own = agent.refused.find((one) => one.keyId === keyId) ?? { keyId, parts: [] };
  addPart(own.parts, spans.five, now, 0);
  agent.refused = [...agent.refused.filter((one) => one !== own), own].slice(-keysKept);
};

/**
 * The trips that begin a burst. A burst of one rule about one service lasts five minutes: what trips again within it is
 * the same burst.
 */
export const burstsBegun = ({ bursts }: AgentMemory, trips: readonly Trip[], now: number): Trip[] =>
  trips.filter(
    ({ rule, about }) =>
      !bursts.some((one) => one.rule === rule && one.about === about && one.at > now - spans.five),
  );

export const noteBursts = (agent: AgentMemory, begun: readonly Trip[], now: number): void => {
  agent.bursts = agent.bursts.filter(({ at }) => at > now - spans.five);
  agent.bursts.push(...begun.map(({ rule, about }) => ({ rule, about, at: now })));
};
