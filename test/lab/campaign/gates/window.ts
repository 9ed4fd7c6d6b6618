// The rolling window under a clock that jumps: the real store, and the engine's real time and policy, with a simulated
// true time that only this file knows.
import {
  array,
  check,
  constant,
  constantFrom,
  integer,
  oneof,
  property,
  record,
  type Arbitrary,
} from 'fast-check';
import { join } from 'node:path';
import { usualPolicy } from '../../../../server/contract/limits/policy-fields.ts';
import { decide, type Facts } from '../../../../server/engine/payment/decision/decide.ts';
import type { Policy, Store } from '../../../../server/engine/ports.ts';
import { createTime, wholeClock, type Time } from '../../../../server/engine/domain/time.ts';
import { usdc } from '../../../../server/money.ts';
import { allowed, factsFrom } from '../../../harness/engine/facts.ts';
import { createStore } from '../../../../server/store/store.ts';
import { reservedPayment } from '../../../harness/engine/payment-row.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** The engine tolerates a clock that is five minutes off either way before it stops paying. */
const toleranceMs = 10 * minute;
const budget = 1_000_000n;
const sequencesPerStore = 2_000;
const begin = Date.UTC(2026, 0, 1);

export type Step =
  | { kind: 'pay'; amount: number; ends: 'at once' | 'later' | 'dead' }
  | { kind: 'wait'; ms: number }
  | { kind: 'jump'; ms: number }
  | { kind: 'set right' }
  | { kind: 'restart' }
  | { kind: 'settle' };

const anyStep: Arbitrary<Step> = oneof(
  {
    weight: 6,
    arbitrary: record({
      kind: constant('pay' as const),
      amount: integer({ min: 1, max: 400_000 }),
      ends: constantFrom('at once' as const, 'at once' as const, 'later' as const, 'dead' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: record({
      kind: constant('wait' as const),
      ms: oneof(integer({ min: 1, max: 30 * hour }), integer({ min: 1, max: 10 * minute }), constant(day)),
    }),
  },
  {
    weight: 3,
    arbitrary: record({
      kind: constant('jump' as const),
      ms: oneof(integer({ min: -48 * hour, max: 48 * hour }), integer({ min: -5 * minute, max: 5 * minute })),
    }),
  },
  { weight: 2, arbitrary: constant({ kind: 'set right' as const }) },
  { weight: 1, arbitrary: constant({ kind: 'restart' as const }) },
  { weight: 1, arbitrary: constant({ kind: 'settle' as const }) },
);

const policy: Policy = {
  ...usualPolicy,
  dailyBudget: usdc(budget),
  maxPerPayment: usdc(budget),
};

const refusal = { code: 'payment_failed' as const, message: 'It never landed.', details: {} };

const factsOf = (store: Store, agentId: string, now: number): Facts => {
  const { open, final } = store.spend.at(agentId, now);
  return factsFrom({
    ...allowed,
    policy,
    spent: usdc(open + final),
    available: usdc(budget * 1_000n),
    freedAt: (needed) => store.spend.freedAt(agentId, now, needed, 86_400_000),
  });
};

interface Paid {
  /** True time. */
  at: number;
  amount: bigint;
}

/** Windows of the given length, ending at a payment, that hold more than the budget. */
const overBudget = (paid: readonly Paid[], windowMs: number): string[] =>
  paid.flatMap(({ at }) => {
    const sum = paid
      .filter((one) => one.at <= at && one.at > at - windowMs)
      .reduce((total, { amount }) => total + amount, 0n);
    return sum > budget ? [`${sum} units in the window that ends ${at - begin} ms after the beginning`] : [];
  });

export interface WindowReport {
  sequences: number;
  payments: number;
  refusedByClock: number;
  refusedByBudget: number;
  /** Violations by the simulated true time, in 24 hours less the clock's tolerance. */
  overByTrueTime: string[];
  /** Violations by the time that the treasury recorded, in exactly 24 hours. */
  overByOwnTime: string[];
}

/** @param folder for the many stores */
export const checkWindows = (folder: string, seed: number, sequences: number): WindowReport => {
  const report: WindowReport = {
    sequences: 0,
    payments: 0,
    refusedByClock: 0,
    refusedByBudget: 0,
    overByTrueTime: [],
    overByOwnTime: [],
  };
  let store: Store | null = null;
  let inStore = 0;
  let stores = 0;
  let base = begin;
  let names = 0;
  const storeNow = (): Store => {
    if (store === null || inStore >= sequencesPerStore) {
      store?.close();
      stores += 1;
      inStore = 0;
      base = begin;
      store = createStore({ file: join(folder, `window-${stores}.db`), now: () => base, onHalt: () => {} });
    }
    inStore += 1;
    return store;
  };

  const runOne = (steps: readonly Step[]): void => {
    const one = storeNow();
    report.sequences += 1;
    one.atomically(() => live(one, steps));
  };

  const live = (one: Store, steps: readonly Step[]): void => {
    names += 1;
    const agentId = `agent-${names}`;
    const wallet = `wallet-${names}`;
    const agent = one.agents.insert(
      {
        agentId,
        displayName: agentId,
        status: 'active',
        statusReason: null,
        createdAt: base,
        archivedAt: null,
      },
      () => wallet,
    );
    let truth = base;
    let offset = 0;
    const clock = { wall: () => truth + offset, monotonic: () => truth - begin };
    const newTime = (): Time => createTime(wholeClock(clock), one.newestTime);
    let time = newTime();
    const paid: Paid[] = [];
    const recorded: Paid[] = [];
    const pending: (() => void)[] = [];

    const pay = (amount: bigint, ends: 'at once' | 'later' | 'dead'): void => {
      if (time.doubt() !== null) {
        report.refusedByClock += 1;
        return;
      }
      const now = time.now();
      const request = { agentId, amount: usdc(amount), serviceId: 'any', payee: 'payee', now };
      if (decide(request, factsOf(one, agentId, now)).kind !== 'allow') {
        report.refusedByBudget += 1;
        return;
      }
      report.payments += 1;
      names += 1;
      const id = `pay-${names}`;
      const { walletIndex } = agent;
      one.transfers.insert(reservedPayment({ id, agentId, walletIndex, wallet, amount, createdAt: now }));
      const lifetime = { blockhash: 'b', lastValidHeight: 1, slot: 1, height: 1 };
      const signed = { messageHash: id, signature: id, wire: new Uint8Array(), lifetime, at: now };
      one.transfers.move(id, 'reserved', 'signed', { signed });
      one.transfers.move(id, 'signed', 'sent', { sentAt: now });
      if (ends !== 'dead') {
        paid.push({ at: truth, amount });
        recorded.push({ at: now, amount });
      }
      const end = (): void => {
        if (ends === 'dead')
          return void one.transfers.move(id, 'sent', 'dead', { refusal, endedAt: time.now() });
        one.transfers.move(id, 'sent', 'seen', { seenAt: time.now(), seenSlot: 1, blockTime: truth });
        one.transfers.move(id, 'seen', 'final', { endedAt: time.now() });
      };
      if (ends === 'at once') end();
      else pending.push(end);
    };

    const compareClocks = (): void => {
      if (Math.abs(offset) < 5 * minute) time.trust();
      else time.suspect('it differs from the network’s');
    };

    for (const step of steps) {
      // A host reads its clock twice a second.
      time.now();
      switch (step.kind) {
        case 'pay':
          pay(BigInt(step.amount), step.ends);
          break;
        case 'wait':
          truth += step.ms;
          break;
        case 'jump':
          offset = step.ms;
          break;
        case 'set right':
          offset = 0;
          time.trust();
          break;
        case 'restart':
          time = newTime();
          compareClocks();
          break;
        case 'settle':
          for (const end of pending.splice(0)) end();
          break;
      }
    }
    for (const end of pending.splice(0)) end();
    base = Math.max(truth, one.newestTime()) + 10 * day;
    const found = overBudget(paid, day - toleranceMs);
    if (found.length > 0) report.overByTrueTime.push(`${found[0]}: ${JSON.stringify(steps)}`);
    const own = overBudget(recorded, day);
    if (own.length > 0) report.overByOwnTime.push(`${own[0]}: ${JSON.stringify(steps)}`);
    if (found.length + own.length > 0) throw new Error(found[0] ?? own[0]);
  };

  const holds = property(array(anyStep, { minLength: 4, maxLength: 24, size: 'max' }), runOne);
  const details = check(holds, { seed, numRuns: sequences });
  if (details.failed && report.overByTrueTime.length + report.overByOwnTime.length === 0)
    throw new Error(`the simulation itself failed: ${String(details.errorInstance)}`, {
      cause: details.errorInstance,
    });
  (store as Store | null)?.close();
  // The last failure is the smallest one that fast-check found.
  report.overByTrueTime = report.overByTrueTime.slice(-1);
  report.overByOwnTime = report.overByOwnTime.slice(-1);
  return report;
};
