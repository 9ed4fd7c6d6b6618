// Random trees of limits, and what happens under them.
import {
  array,
  bigInt,
  boolean,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  record,
  subarray,
  type Arbitrary,
} from 'fast-check';
import type { HeldLimits } from '../../../../server/contract/limits/policy-fields.ts';
import { usdc } from '../../../../server/money.ts';
import { anyHours } from '../../../harness/engine/any-hours.ts';
import { anyServiceLimits } from '../../../harness/engine/any-service-limits.ts';
import { agentIds } from './real.ts';

const minute = 60_000;
const hour = 60 * minute;
export const services = ['maps', 'news', 'art'] as const;
export const zones = ['Europe/Lisbon', 'America/Los_Angeles', 'Australia/Lord_Howe'] as const;

/** Clocks change, months end, or nothing happens. A life begins up to 30 hours before. */
const moments = [
  '2026-03-29T01:00:00Z',
  '2026-10-25T01:00:00Z',
  '2026-03-08T10:00:00Z',
  '2026-11-01T09:00:00Z',
  '2026-04-04T15:00:00Z',
  '2026-10-03T15:30:00Z',
  '2026-02-28T14:00:00Z',
  '2026-07-31T23:00:00Z',
  '2026-12-31T08:00:00Z',
  '2026-06-10T12:00:00Z',
].map((time) => Date.parse(time));

/** Expires after so many milliseconds. */
export type Wish = Omit<HeldLimits, 'expiresAt'> & { expiresAt: number | null };

const seldom = <T>(one: Arbitrary<T>, outOf: number): Arbitrary<T | null> =>
  oneof({ weight: outOf - 1, arbitrary: constant(null) }, { weight: 1, arbitrary: one });
const budget = oneof(bigInt({ min: 0n, max: 400n }), bigInt({ min: 50n, max: 250n })).map(usdc);

const wish: Arbitrary<Wish> = record({
  dailyBudget: seldom(budget, 3),
  weeklyBudget: seldom(budget, 4),
  monthlyBudget: seldom(budget, 4),
  totalBudget: seldom(budget, 5),
  maxPerPayment: seldom(bigInt({ min: 5n, max: 120n }).map(usdc), 12),
  cooldownSeconds: seldom(integer({ min: 0, max: 5_400 }), 14),
  allowedServices: seldom(subarray([...services]), 14),
  allowedModels: constant(null),
  modelRequestsPerHour: constant(null),
  paymentsPerHour: seldom(integer({ min: 0, max: 5 }), 12),
  paymentsPerDay: seldom(integer({ min: 0, max: 9 }), 10),
  serviceLimits: seldom(anyServiceLimits(services, budget), 4),
  activeHours: seldom(anyHours, 40),
  expiresAt: seldom(integer({ min: hour, max: 200 * hour }), 40),
});

/** Of an agent, the fields that are never null have a value. */
const policy = record({
  limits: wish,
  approveAbove: seldom(bigInt({ min: 0n, max: 80n }).map(usdc), 3),
  approvalMinutes: integer({ min: 1, max: 300 }),
});
export type PolicyWish = typeof policy extends Arbitrary<infer T> ? T : never;

export const anyTree = record({
  zone: constantFrom(...zones),
  moment: constantFrom(...moments),
  before: integer({ min: 0, max: 30 * hour }),
  treasury: wish,
  groups: array(wish, { minLength: 1, maxLength: 3 }),
  /** Each agent has a chain of delegated keys to begin with. */
  agents: array(record({ group: nat(3), policy, chain: array(wish, { maxLength: 3 }) }), {
    minLength: 4,
    maxLength: agentIds.length,
  }),
});
export type TreeWish = typeof anyTree extends Arbitrary<infer T> ? T : never;

/** Amounts that do not divide the budgets. */
const amount = constantFrom(7n, 11n, 13n, 29n, 31n, 53n, 97n);
const agent = nat(agentIds.length - 1);
/** One of those that there are, counted round. */
const any = nat(40);
const waits = oneof(
  { weight: 12, arbitrary: integer({ min: 1, max: minute / 2 }) },
  { weight: 6, arbitrary: integer({ min: 1, max: 40 * minute }) },
  { weight: 5, arbitrary: integer({ min: hour, max: 30 * hour }) },
  { weight: 2, arbitrary: constantFrom(hour, 24 * hour, 168 * hour) },
  { weight: 1, arbitrary: integer({ min: 24 * hour, max: 20 * 24 * hour }) },
);
const sight = oneof(
  { weight: 5, arbitrary: constant('finalized' as const) },
  { weight: 3, arbitrary: constant('confirmed' as const) },
  {
    weight: 4,
    arbitrary: constantFrom('failed' as const, 'dead' as const, 'unknown' as const, 'fork' as const),
  },
);
const blockLag = oneof(integer({ min: -10 * minute, max: 10 * minute }), constant(0));

const edit = record({ do: constant('edit' as const), node: any, policy });
const joins = record({ do: constant('join' as const), agent, group: nat(3) });
const shortWait = record({ do: constant('wait' as const), ms: integer({ min: 1, max: minute / 2 }) });

const pay = record({
  do: constant('pay' as const),
  agent,
  by: oneof(
    { weight: 1, arbitrary: constant('owner' as const) },
    { weight: 3, arbitrary: constant('agent' as const) },
    { weight: 5, arbitrary: any },
  ),
  kind: oneof(
    { weight: 4, arbitrary: constant('payment' as const) },
    { weight: 1, arbitrary: constant('charge' as const) },
  ),
  amount,
  service: constantFrom(...services),
  /** How far it goes at once. */
  goes: constantFrom('wait' as const, 'sign' as const, 'final' as const, 'final' as const),
  lag: blockLag,
  /** Between the reservation and the signature. */
  between: array(oneof(edit, joins, shortWait), { maxLength: 3 }),
});

const weighted = [
  [70, pay],
  [3, record({ do: constant('grant' as const), row: any })],
  [
    8,
    record({
      do: constant('sign' as const),
      row: any,
      isUp: oneof({ weight: 9, arbitrary: constant(true) }, { weight: 1, arbitrary: constant(false) }),
    }),
  ],
  [6, record({ do: constant('see' as const), row: any, sight, lag: blockLag })],
  [
    2,
    record({
      do: constant('refund' as const),
      row: any,
      goes: constantFrom('sign' as const, 'final' as const),
    }),
  ],
  [8, edit],
  [1, record({ do: constant('zone' as const), zone: constantFrom(...zones) })],
  [3, joins],
  [
    14,
    record({
      do: constant('mint' as const),
      agent,
      parent: any,
      isOwners: boolean(),
      limits: wish,
      lives: oneof(integer({ min: 1, max: 2 * minute }), integer({ min: hour, max: 400 * hour })),
    }),
  ],
  [1, record({ do: constant('end key' as const), key: any })],
  [1, record({ do: constant('delegation' as const), agent, allowed: boolean() })],
  [1, record({ do: constant('suspend' as const), agent })],
  [9, record({ do: constant('resume' as const), agent })],
  [1, record({ do: constant('stop group' as const), group: nat(2) })],
  [7, record({ do: constant('resume group' as const), group: nat(2) })],
  [
    1,
    record({
      do: constant('freeze' as const),
      unfreezes: constantFrom(true, true, true, true, true, true, false),
    }),
  ],
  [1, record({ do: constant('late' as const) })],
  [20, record({ do: constant('wait' as const), ms: waits })],
  [
    1,
    record({
      do: constant('jump' as const),
      ms: oneof(integer({ min: -48 * hour, max: 48 * hour }), integer({ min: -5 * minute, max: 5 * minute })),
    }),
  ],
  [6, record({ do: constant('set right' as const) })],
  [1, record({ do: constant('restart' as const) })],
  [2, record({ do: constant('look' as const) })],
] as const;

export const anyStep = oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })));
export type Step = typeof anyStep extends Arbitrary<infer T> ? T : never;
