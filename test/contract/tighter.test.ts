// Whether a policy is tighter, compared with a reference that was written from the specification alone.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  byKind,
  eachField,
  fieldNames,
  usualPolicy,
  type FieldEntry,
} from '../../server/contract/limits/policy-fields.ts';
import { isTighter } from '../../server/engine/api/limits/policies.ts';
import { type Policy } from '../../server/engine/ports.ts';
import { usdc } from '../../server/money.ts';
import { anyHours } from '../harness/any-hours.ts';
import { anyServiceLimits } from '../harness/any-service-limits.ts';

describe('isTighter', () => {
  const services = ['a', 'b', 'c'];
  const small = fc.bigInt(0n, 4n).map(usdc);
  const valueOf = (field: FieldEntry): fc.Arbitrary<unknown> => {
    const value = byKind<fc.Arbitrary<unknown>>(field, {
      amount: () => small,
      seconds: ({ least }) => fc.integer({ min: least, max: least + 3 }),
      count: ({ least }) => fc.integer({ min: least, max: least + 2 }),
      services: () => fc.subarray(services),
      choice: ({ options }) => fc.constantFrom(...Object.keys(options)),
      time: () => fc.integer({ min: 0, max: 2 }),
      hours: () => anyHours,
      serviceLimits: () => anyServiceLimits(['a', 'b'], small),
    });
    return field.mayBeNone === true ? fc.option(value) : value;
  };
  const policy = fc.record(eachField(valueOf)) as fc.Arbitrary<Policy>;
  interface Payment {
    amount: bigint;
    spent: bigint;
    /** Payments in the last hour. */
    made: number;
    sinceLast: number;
    service: string;
    payeeKnown: boolean;
  }

  /** 0: denied, 1: the owner is asked, 2: paid. Written from the specification, without a look at the engine. */
  const outcome = (one: Policy, payment: Payment): number => {
    const { amount, spent, made, sinceLast, service, payeeKnown } = payment;
    const isOver = (budget: bigint | null | undefined): boolean => budget != null && spent + amount > budget;
    const isFull = (most: number | null): boolean => most !== null && made >= most;
    if (amount > one.maxPerPayment || sinceLast < one.cooldownSeconds) return 0;
    if (isOver(one.dailyBudget) || isOver(one.weeklyBudget)) return 0;
    if (isOver(one.monthlyBudget) || isOver(one.totalBudget)) return 0;
    if (isFull(one.paymentsPerHour) || isFull(one.paymentsPerDay)) return 0;
    const here = one.serviceLimits?.[service];
    if (amount > (here?.maxPerPayment ?? amount)) return 0;
    if (isOver(here?.dailyBudget) || isOver(here?.monthlyBudget)) return 0;
    if (one.allowedServices.length > 0 && !one.allowedServices.includes(service)) return 0;
    if (one.approveAbove !== null && amount > one.approveAbove) return 1;
    return one.newPayees === 'approve' && !payeeKnown ? 1 : 2;
  };
  const payments: Payment[] = [];
  for (const amount of [1n, 2n, 3n, 4n, 5n])
    for (const spent of [0n, 1n, 3n])
      for (const sinceLast of [0, 1, 2, 3])
        for (const service of [...services, 'other'])
          for (const payeeKnown of [true, false])
            for (const made of [0, 1, 2])
              payments.push({ amount, spent, made, sinceLast, service, payeeKnown });
  const isLooser = (from: Policy, to: Policy): boolean =>
    payments.some((one) => outcome(to, one) > outcome(from, one));

  it('never calls tighter what lets a payment through that was held or denied: 20,000 pairs', () => {
    let tighter = 0;
    fc.assert(
      fc.property(policy, policy, fc.subarray(fieldNames), (from, other, names) => {
        const to = { ...from, ...Object.fromEntries(names.map((name) => [name, other[name]])) };
        if (!isTighter(from, to)) return true;
        tighter += 1;
        return !isLooser(from, to);
      }),
      { numRuns: 20_000 },
    );
    expect(tighter).toBeGreaterThan(1_000);
  });

  it('agrees with the reference on a change of any one rule of a policy whose other rules do not hide it', () => {
    const open: Policy = { ...usualPolicy, dailyBudget: usdc(100n), maxPerPayment: usdc(100n) };
    const rules = [
      'dailyBudget',
      'weeklyBudget',
      'monthlyBudget',
      'totalBudget',
      'paymentsPerHour',
      'paymentsPerDay',
      'maxPerPayment',
      'cooldownSeconds',
      'allowedServices',
      'approveAbove',
      'newPayees',
    ] as const;
    fc.assert(
      fc.property(policy, policy, fc.constantFrom(...rules), (one, two, rule) => {
        const [from, to] = [
          { ...open, [rule]: one[rule] },
          { ...open, [rule]: two[rule] },
        ];
        return isTighter(from, to) === !isLooser(from, to);
      }),
      { numRuns: 6_000 },
    );
  });
});
