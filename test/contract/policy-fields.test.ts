// The table of a policy's fields, compared with what derives from it: rows, requests and replies.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import {
  byKind,
  eachField,
  fieldEntries,
  fieldNames,
  isFieldTighter,
  readTold,
  tellPolicy,
  usualPolicy,
  type FieldEntry,
} from '../../server/contract/limits/policy-fields.ts';
import { policyChange, policyReply } from '../../server/contract/limits/policy.schemas.ts';
import type { Policy, PolicyInForce, Store } from '../../server/engine/ports.ts';
import { usdc } from '../../server/money.ts';
import { anyHours } from '../harness/any-hours.ts';
import { anyServiceLimits } from '../harness/any-service-limits.ts';
import { applyMigrations } from '../../server/store/database.ts';
import { migrations } from '../../server/store/schema.ts';
import { openStore } from '../harness/store.ts';
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

const valueOf = (field: FieldEntry): fc.Arbitrary<unknown> => {
  const value = byKind<fc.Arbitrary<unknown>>(field, {
    amount: () => amounts,
    seconds: within,
    count: within,
    services: () => fc.array(fc.constantFrom('a', 'b', 'https://c.example', '1,2 "3"'), { maxLength: 5 }),
    choice: ({ options }) => fc.constantFrom(...Object.keys(options)),
    time: () => fc.integer({ min: 0, max: 4_000_000_000_000 }),
    hours: () => anyHours,
    serviceLimits: () =>
      anyServiceLimits(['a', 'https://b.example', 'b, c 1/day', 'constructor', 'é 3/day'], amounts),
  });
  return field.mayBeNone === true ? fc.option(value) : value;
};
const fieldsOf = (policy: PolicyInForce): Policy => eachField((_, name) => policy[name]) as Policy;
const policies = fc.record(eachField(valueOf)) as fc.Arbitrary<Policy>;

describe('a policy', () => {
  it('begins with the fields of the specification, in its order', () => {
    expect(fieldNames.slice(0, 4)).toEqual([
      'dailyBudget',
      'maxPerPayment',
      'cooldownSeconds',
      'allowedServices',
    ]);
  });

  it('is the same after being written and read, and after being told and sent back: 500 policies', () => {
    fc.assert(
      fc.property(policies, (policy) => {
        const written = fieldsOf(store.atomically(() => store.policies.set('a', policy, 1)));
        const read = fieldsOf(store.policies.get('a'));
        const told = tellPolicy(policy);
        expect([written, read, policyChange.parse(told)]).toEqual([policy, policy, policy]);
        expect(policyReply.parse(told)).toEqual(told);
        for (const [name, field] of fieldEntries) expect(readTold(field, told[name])).toEqual(policy[name]);
      }),
      { numRuns: 500 },
    );
  });

  it('allows nothing until somebody sets it, in values that a request could send', () => {
    expect([usualPolicy.dailyBudget, usualPolicy.maxPerPayment]).toEqual([0n, 0n]);
    expect(policyChange.parse(tellPolicy(usualPolicy))).toEqual(usualPolicy);
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
    const expected = fieldEntries.map(([, { column, mayBeNone }]) => [column, mayBeNone === true ? 0 : 1]);
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
    expect(later.filter(([, { mayBeNone, usual }]) => mayBeNone !== true || usual !== null)).toEqual([]);
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
