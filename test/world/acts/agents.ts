// What agents do: they pay, ask again, and pay many times at once, also with keys that were delegated.
import { array, bigInt, constantFrom, integer, oneof, record } from 'fast-check';
import { of } from './command.ts';
import { agentIds } from '../keys.ts';
import type { Life } from '../life.ts';
import { isMovement } from '../judge/notes.ts';

export const agentId = constantFrom(...agentIds);
const service = constantFrom('maps', 'maps', 'news');
const amount = oneof(bigInt({ min: 1n, max: 1_100_000n }), constantFrom(500_000n, 1_000_000n));
/** Small enough for what is left of most budgets. */
export const smallAmount = bigInt({ min: 1n, max: 400_000n });
const waitMs = constantFrom(0, 30_000);
/** The agent's own key, or a delegated one, the newest first. */
export const by = constantFrom(null, null, null, 0, 0, 1);

/** A delegated key of the agent, which may have ended; null for its own. */
export const keyOf = ({ reference }: Life, owner: string, nth: number | null): string | null =>
  nth === null
    ? null
    : ([...reference.keys].filter(([, key]) => key.agentId === owner).at(-1 - nth)?.[0] ?? null);

export const via = constantFrom('pay' as const, 'pay' as const, 'receipt' as const, 'x402' as const);

export const pay = of(
  'pay',
  record({ agentId, by, service, amount, via, waitMs, copies: constantFrom(1, 1, 1, 3) }),
  ({ waitMs: wait, copies, by: nth, ...wish }, memory, life) => {
    const ask = { ...wish, keyId: keyOf(life, wish.agentId, nth), key: `k${memory.asks.length}` };
    memory.asks.push(ask);
    return life.step(() =>
      life.pay(
        Array.from({ length: copies }, () => ask),
        wait,
      ),
    );
  },
);

/** By both agents, since they share the budgets above them. */
export const burst = of(
  'pays at once',
  record({
    service,
    wishes: array(record({ agentId, by, amount, via }), { minLength: 2, maxLength: 6 }),
  }),
  ({ service: at, wishes }, memory, life) => {
    const asks = wishes.map(({ by: nth, ...wish }, n) => ({
      ...wish,
      service: at,
      keyId: keyOf(life, wish.agentId, nth),
      key: `k${memory.asks.length + n}`,
    }));
    memory.asks.push(...asks);
    return life.step(() => life.pay(asks, 0));
  },
);

export const retry = of(
  'retry',
  record({ which: integer({ min: 0, max: 40 }), other: constantFrom('', '', 'amount', 'service'), waitMs }),
  ({ which, other, waitMs: wait }, memory, life) => {
    const ask = memory.asks[which % Math.max(1, memory.asks.length)];
    if (ask === undefined) return Promise.resolve();
    const changed = {
      ...ask,
      ...(other === 'amount' ? { amount: ask.amount + 1n } : {}),
      ...(other === 'service' && !isMovement(ask)
        ? { service: ask.service === 'maps' ? 'news' : 'maps' }
        : {}),
    };
    return life.step(() => life.pay([changed], wait));
  },
);
