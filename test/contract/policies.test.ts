// The rules of a policy. The table of its fields is compared with what derives from it: rows, requests and replies. Limits at
// single services are read as a person writes them. And whether a policy is tighter is compared with a reference that was
// written from the specification alone.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  byKind,
  eachField,
  fieldEntries,
  fieldNames,
  isFieldTighter,
  policyFields,
  readStated,
  policyInReply,
  usualPolicy,
  type PolicyField,
} from '../../server/contract/limits/policy-fields.ts';
import { policyChange, policyReply } from '../../server/contract/limits/policy.schemas.ts';
import { raisesOfField } from '../../server/contract/limits/raise.ts';
import {
  isWithinServiceLimits,
  limitAt,
  serviceLimitsChange,
  serviceLimitsIn,
  serviceLimitText,
  serviceLimitsInReply,
  withServiceLimits,
  type ServiceLimits,
} from '../../server/contract/limits/service-limits.ts';
import { isTighter } from '../../server/engine/api/limits/policies.ts';
import type { Policy, PolicyInForce, Store } from '../../server/engine/ports.ts';
import { usdc } from '../../server/money.ts';
import { applyMigrations } from '../../server/store/database.ts';
import { migrations } from '../../server/store/schema.ts';
import { anyHours } from '../harness/engine/any-hours.ts';
import { anyServiceLimits } from '../harness/engine/any-service-limits.ts';
import { openStore } from '../harness/engine/store.ts';
import { removeFolder, temporaryFolder } from '../harness/treasury.ts';

const folder = temporaryFolder();
const file = join(folder, 'treasury.db');
let store: Store;
beforeAll(() => {
  store = openStore(file);
  const agent = { agentId: 'a', displayName: 'a', status: 'active', statusReason: null } as const;
  store.atomically(() => store.agents.insert({ ...agent, createdAt: 1, archivedAt: null }, () => 'wallet'));
});
afterAll(() => {
  store.close();
  removeFolder(folder);
});

const amounts = fc.bigInt(0n, 999_999_999_999_999n).map(usdc);
const within = ({ least, most }: { least: number; most: number }) => fc.integer({ min: least, max: most });

type Kinds = Parameters<typeof byKind<fc.Arbitrary<unknown>>>[1];
const policiesOf = (kinds: Kinds): fc.Arbitrary<Policy> =>
  fc.record(
    eachField((field) => {
      const value = byKind(field, kinds);
      return field.mayBeNone === true ? fc.option(value) : value;
    }),
  ) as fc.Arbitrary<Policy>;

const policies = policiesOf({
  amount: () => amounts,
  seconds: within,
  count: within,
  services: () => fc.array(fc.constantFrom('a', 'b', 'https://c.example', '1,2 "3"'), { maxLength: 5 }),
  models: () => fc.array(fc.constantFrom('a', 'a*', 'x/b-1:free', '*'), { maxLength: 4 }),
  choice: ({ options }) => fc.constantFrom(...Object.keys(options)),
  time: () => fc.integer({ min: 0, max: 4_000_000_000_000 }),
  hours: () => anyHours,
  serviceLimits: () =>
    anyServiceLimits(['a', 'https://b.example', 'b, c 1/day', 'constructor', 'é 3/day'], amounts),
});
const fieldsOf = (policy: PolicyInForce): Policy => eachField((_, name) => policy[name]) as Policy;

describe('a policy', () => {
  it('begins with the fields of the specification, in its order', () => {
    expect(fieldNames.slice(0, 4)).toEqual([
      'dailyBudget',
      'maxPerPayment',
      'cooldownSeconds',
      'allowedServices',
    ]);
  });

  it('is the same after being written and read, and after being stated and sent back: 500 policies', () => {
    fc.assert(
      fc.property(policies, (policy) => {
        const written = fieldsOf(store.atomically(() => store.policies.set('a', policy, 1)));
        const read = fieldsOf(store.policies.get('a'));
        const stated = policyInReply(policy);
        expect([written, read, policyChange.parse(stated)]).toEqual([policy, policy, policy]);
        expect(policyReply.parse(stated)).toEqual(stated);
        for (const [name, field] of fieldEntries)
          expect(readStated(field, stated[name])).toEqual(policy[name]);
      }),
      { numRuns: 500 },
    );
  });

  it('allows nothing until somebody sets it, in values that a request could send', () => {
    expect([usualPolicy.dailyBudget, usualPolicy.maxPerPayment]).toEqual([0n, 0n]);
    expect(policyChange.parse(policyInReply(usualPolicy))).toEqual(usualPolicy);
  });
});

describe('a field', () => {
  it('is a column of its own, and each column of the rules is a field', () => {
    store.close();
    const database = new Database(file, { readonly: true });
    const columns = database
      .prepare(`SELECT name, "notnull" AS needed FROM pragma_table_info('policy')`)
      .all();
    database.close();
    store = openStore(file);
    const others = new Set(['id', 'agent_id', 'version', 'total_since', 'created_at', 'journal_seq']);
    const found = (columns as { name: string; needed: number }[]).filter(({ name }) => !others.has(name));
    const expected = fieldEntries.map((entry) => [
      entry[1].column,
      entry[1].mayBeNone === true || entry[1].isLater === true ? 0 : 1,
    ]);
    expect(found.map(({ name, needed }) => [name, needed]).toSorted()).toEqual(expected.toSorted());
  });

  it('is marked as later exactly when a later version added its column, which is null in older rows', () => {
    const database = new Database(':memory:');
    database.defaultSafeIntegers(true);
    const columns = () =>
      database
        .prepare(
          `SELECT name, "notnull" = 0 AND dflt_value IS NULL AS isNullAtFirst FROM pragma_table_info('policy')`,
        )
        .all() as { name: string; isNullAtFirst: bigint }[];
    applyMigrations(database, 0, 1);
    const first = new Set(columns().map(({ name }) => name));
    applyMigrations(database, 1, migrations.length);
    const added = columns().filter(({ name }) => !first.has(name) && name !== 'total_since');
    database.close();
    const later = fieldEntries.filter(([, { isLater }]) => isLater === true);
    expect(added.map(({ name, isNullAtFirst }) => `${name} ${isNullAtFirst}`).toSorted()).toEqual(
      later.map(([, { column }]) => `${column} 1`).toSorted(),
    );
    expect(later.filter(([, { mayBeNone, usual }]) => mayBeNone === true && usual !== null)).toEqual([]);
  });

  it('is as tight as itself, and null allows most', () => {
    fc.assert(
      fc.property(policies, (policy) => {
        for (const [name, field] of fieldEntries) {
          expect(isFieldTighter(field, policy[name], policy[name])).toBe(true);
          expect(isFieldTighter(field, null, policy[name])).toBe(true);
          if (policy[name] !== null) expect(isFieldTighter(field, policy[name], null)).toBe(false);
        }
      }),
    );
  });
});

it.each(['maps 2/day, zz', 'maps 2/day', 'maps/day', 'a "b"', 'é', 'maps.'])(
  'quotes %j, which could read as a limit',
  (id) => {
    const text = serviceLimitText(id, { dailyBudget: '1' });
    expect(text).toBe(id === 'maps.' ? 'maps. 1/day' : `${JSON.stringify(id)} 1/day`);
  },
);

describe('limits at services, as text', () => {
  it.each([
    [
      'web-search 10/day 60/month 1/payment',
      { 'web-search': { dailyBudget: '10', monthlyBudget: '60', maxPerPayment: '1' } },
    ],
    ['maps 0.5/payment,  weather 2/day ', { maps: { maxPerPayment: '0.5' }, weather: { dailyBudget: '2' } }],
    ['maps none, weather 2/day', { maps: null, weather: { dailyBudget: '2' } }],
    ['https://api.example:8443/v1 3/month', { 'https://api.example:8443/v1': { monthlyBudget: '3' } }],
  ])('reads %s', (text, limits) => {
    expect(serviceLimitsIn(text)).toEqual(limits);
    const written = Object.entries(limits).map(([id, limit]) =>
      limit === null ? `${id} none` : serviceLimitText(id, limit),
    );
    expect(serviceLimitsIn(written.join(', '))).toEqual(limits);
  });

  it.each([
    '',
    'maps',
    '10/day',
    'maps 10',
    'none',
    'maps none 1/day',
    'maps 10/week',
    'maps 1/day 2/day',
    'maps 1/day x',
    'maps .5/day',
    'a long name 1/day',
    'maps 10/Day 60/month',
    'maps $10/day',
    'maps 1/day, maps 2/month',
    'maps 1/day,',
  ])('refuses %j', (text) => expect(serviceLimitsIn(text)).toBeNull());
});

it('a service has the limits of its own entry alone, whatever its name', () => {
  for (const name of ['constructor', 'toString', '__proto__', 'maps '])
    expect(limitAt({ maps: { dailyBudget: usdc(1n) } }, name)).toBeUndefined();
});

describe('a change of limits at services', () => {
  const [one, two, three] = [usdc(1n), usdc(2n), usdc(3n)].map((dailyBudget) => ({ dailyBudget }));
  const before = { maps: one, weather: two } as ServiceLimits;

  it('leaves those at services that it does not name', () => {
    expect(withServiceLimits(before, { maps: three ?? null })).toEqual({ maps: three, weather: two });
    expect(withServiceLimits(before, { maps: null })).toEqual({ weather: two });
    expect(withServiceLimits(before, { maps: null, weather: null })).toBeNull();
    expect(withServiceLimits(null, { maps: one ?? null })).toEqual({ maps: one });
    expect(withServiceLimits(before, null)).toBeNull();
  });

  it('names the services alone at which two differ, and leads from one to the other', () => {
    const after = { weather: two, news: three } as ServiceLimits;
    const change = serviceLimitsChange(serviceLimitsInReply(before), serviceLimitsInReply(after));
    expect(change).toEqual({ maps: null, news: { dailyBudget: '0.000003' } });
    expect(withServiceLimits(before, { maps: null, news: three ?? null })).toEqual(after);
    expect(serviceLimitsChange(serviceLimitsInReply(after), serviceLimitsInReply(after))).toBeNull();
    expect(serviceLimitsChange(serviceLimitsInReply({ maps: one } as ServiceLimits), null)).toEqual({
      maps: null,
    });
  });
});

it('narrower limits keep every entry, and widen none', () => {
  const from = { maps: { dailyBudget: usdc(2n) } };
  expect(isWithinServiceLimits(from, { maps: { dailyBudget: usdc(2n), monthlyBudget: usdc(9n) } })).toBe(
    true,
  );
  expect(isWithinServiceLimits(from, { ...from, weather: { maxPerPayment: usdc(9n) } })).toBe(true);
  expect(isWithinServiceLimits(from, { maps: { monthlyBudget: usdc(0n) } })).toBe(false);
  expect(isWithinServiceLimits(from, { maps: { dailyBudget: usdc(3n) } })).toBe(false);
  expect(isWithinServiceLimits(from, { weather: { dailyBudget: usdc(0n) } })).toBe(false);
});

it('an amount that is removed is asked about, also at a service, like one that is raised more than ten times over', () => {
  const field = policyFields.serviceLimits;
  const raises = (to: object) =>
    raisesOfField(field, { maps: { dailyBudget: '1.00' } }, to).map(({ label, times }) => [label, times]);
  expect(raises({ maps: { dailyBudget: '10.00' }, weather: { dailyBudget: '900.00' } })).toEqual([]);
  expect(raises({ maps: { dailyBudget: '11.00' } })).toEqual([
    ['Limits at single services, maps, per day', 11],
  ]);
  for (const to of [{}, { maps: { maxPerPayment: '0.50' } }])
    expect(raises(to)).toEqual([['Limits at single services, maps, per day', null]]);
  const budget = policyFields.dailyBudget;
  expect(raisesOfField(budget, '5.00', null)).toEqual([
    { label: 'Daily budget', before: '5.00', after: null, times: null },
  ]);
  for (const [from, to] of [
    [null, null],
    [null, '5.00'],
    ['5.00', '4.00'],
  ])
    expect(raisesOfField(budget, from, to)).toEqual([]);
});

it.each<[PolicyField, unknown, unknown, string | undefined]>([
  ['cooldownSeconds', 60, 0, 'None'],
  ['allowedServices', ['maps'], [], 'Every service'],
  ['newPayees', 'approve', 'allow', 'Paid without asking you'],
  ['activeHours', { days: [1], from: '08:00', to: '19:00' }, null, 'At any hour'],
  ['expiresAt', '2027-01-01T00:00:00Z', null, 'Never'],
  ['allowedModels', ['gpt-5'], null, undefined],
  ['allowedModels', ['gpt-5'], ['*'], 'Every model'],
  ['allowedModels', [], null, undefined],
])('the removal of %s is asked about, and what restricts further is not', (name, before, after, instead) => {
  const raises = (from: unknown, to: unknown) => raisesOfField(policyFields[name], from, to);
  const { label } = policyFields[name];
  expect(raises(before, after)).toEqual([
    { label, before: null, after: null, times: null, ...(instead !== undefined && { instead }) },
  ]);
  for (const [from, to] of [
    [before, before],
    [after, before],
    [after, after],
  ])
    expect(raises(from, to)).toEqual([]);
});

it.each([
  ['paymentsPerHour', 'payments'],
  ['paymentsPerDay', 'payments'],
  ['modelRequestsPerHour', 'requests'],
] as const)('%s is asked about like an amount', (name, unit) => {
  const { label } = policyFields[name];
  const raises = (to: number | null) => raisesOfField(policyFields[name], 60, to);
  expect(raises(null)).toEqual([{ label, before: '60', after: null, times: null, unit }]);
  expect(raises(601)).toEqual([{ label, before: '60', after: '601', times: 10, unit }]);
  for (const to of [600, 60, 6]) expect(raises(to)).toEqual([]);
  expect(raisesOfField(policyFields[name], null, null)).toEqual([]);
});

it('a list of models that is emptied allows none, and is not asked about', () => {
  expect(raisesOfField(policyFields.allowedModels, ['gpt-5'], [])).toEqual([]);
  expect(raisesOfField(policyFields.allowedModels, [], ['*'])).toEqual([]);
  // Nor is the time to answer in a limit on what is spent.
  expect(raisesOfField(policyFields.approvalMinutes, 1, 15)).toEqual([]);
});

describe('isTighter', () => {
  const services = ['a', 'b', 'c'];
  const small = fc.bigInt(0n, 4n).map(usdc);
  const policy = policiesOf({
    amount: () => small,
    seconds: ({ least }) => fc.integer({ min: least, max: least + 3 }),
    count: ({ least }) => fc.integer({ min: least, max: least + 2 }),
    services: () => fc.subarray(services),
    models: () => fc.subarray(['claude-4', 'claude-*', 'claude-4-*', 'gpt-5', '*']),
    choice: ({ options }) => fc.constantFrom(...Object.keys(options)),
    time: () => fc.integer({ min: 0, max: 2 }),
    hours: () => anyHours,
    serviceLimits: () => anyServiceLimits(['a', 'b'], small),
  });
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
