// No frequent query scans a table that grows with the payments.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, expect, it, vi } from 'vitest';
import { createStore } from '../../../server/store/store.ts';
import { removeFolder, temporaryFolder } from '../../harness/treasury.ts';

const folder = temporaryFolder();
afterAll(() => removeFolder(folder));

const growing = ['transfer', 'purchase', 'approval', 'idempotency', 'deposit', 'entry', 'journal', 'task'];
/** Indexes of a few rows each. */
const small = [
  'transfer_open',
  'approval_pending',
  'transfer_rent',
  'task_unsettled',
  'deposit_unsettled',
  'entry_opening',
];

it('no query of the store scans a table that grows', () => {
  const file = join(folder, 'treasury.db');
  const asked = vi.spyOn(Database.prototype, 'prepare');
  createStore({ file, now: Date.now, onHalt: () => {} }).close();
  const questions = new Set(
    asked.mock.calls
      .map(([sql]) => sql)
      .filter((sql) => /^\s*(SELECT|UPDATE|DELETE)/.test(sql) && !sql.includes('sqlite_schema')),
  );
  asked.mockRestore();
  expect(questions.size).toBeGreaterThan(50);
  const db = new Database(file, { readonly: true });
  const whole = [...questions].flatMap((sql) => {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...valuesOf(sql)) as { detail: string }[];
    const scans = plan
      .map(({ detail }) => detail)
      .filter((detail) => {
        const [, table = '', index] = /^SCAN (\w+)(?:.* INDEX (\w+))?/.exec(detail) ?? [];
        return growing.includes(table) && !small.includes(index ?? '');
      });
    // The newest row, or a page of the newest rows, is found at the end of an index.
    const isBounded = /LIMIT (1|\?|@limit)\s*$/.test(sql) || /^\s*SELECT coalesce\(max\(seq\)/.test(sql);
    return scans.length === 0 || isBounded ? [] : [`${scans.join()}: ${sql}`];
  });
  db.close();
  expect(whole).toEqual([]);
});

/** As many values as the query has parameters, named or not. */
const valuesOf = (sql: string): unknown[] => {
  const names = [...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, null]);
  return names.length > 0 ? [Object.fromEntries(names)] : [...sql.matchAll(/\?/g)].map(() => null);
};
