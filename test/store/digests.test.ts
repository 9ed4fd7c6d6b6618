// A row's digest covers every column; a column of a later version counts as soon as it holds a value.
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import {
  digestRow,
  protectedTables,
  type ProtectedTable,
  type Row,
} from '../../server/store/records/digests.ts';
import { applyMigrations } from '../../server/store/database.ts';
import { migrations } from '../../server/store/schema.ts';

const rows: Partial<Record<ProtectedTable, { row: Row; later: Row }>> = {
  standing_grant: { row: { id: 'grt_1', used: 1n }, later: { payees: '["a"]', ended_because: 'why' } },
  agent: { row: { agent_id: 'a' }, later: { color: 'sky', picture: 'A', tags: '["b"]' } },
  transfer: { row: { id: 'pay_1', amount: 1n }, later: { reason: 'lunch', key_id: 'key_1' } },
};

describe.each(Object.entries(rows))('a row of %s', (table, { row, later }) => {
  const digest = (of: Row): string => digestRow(table as ProtectedTable, of).toString('hex');

  it.each(Object.entries(later))(
    'has another digest with any value in %s, and the same while it is empty',
    (name, value) => {
      const empty = { ...row, [name]: null };
      expect(digest(empty)).toBe(digest(row));
      const others = [value, 'other', '', 0n].map((one) => digest({ ...row, [name]: one }));
      expect(new Set([digest(row), ...others]).size).toBe(5);
    },
  );

  it('has another digest when any of its first columns is empty', () => {
    for (const name of Object.keys(row)) expect(digest({ ...row, [name]: null })).not.toBe(digest(row));
  });
});

/** The version after which 0.1 was released; its rows were entered with the columns that they had then. */
const released = 9;

it('of an older row stays the same over every migration that adds a column', () => {
  const database = new Database(':memory:');
  const columnsOf = (table: string): string[] =>
    (database.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
  const first = new Map<string, readonly string[]>();
  for (let version = 0; version < migrations.length; version += 1) {
    applyMigrations(database, version, version + 1);
    for (const table of Object.keys(protectedTables)) {
      const columns = columnsOf(table);
      if (version + 1 >= released && columns.length > 0 && !first.has(table)) first.set(table, columns);
    }
  }
  for (const [table, columns] of first) {
    const old = Object.fromEntries(columns.map((name) => [name, 1n]));
    const added = columnsOf(table).filter((name) => !columns.includes(name));
    const now = { ...old, ...Object.fromEntries(added.map((name) => [name, null])) };
    const digest = (row: Row): string => digestRow(table as ProtectedTable, row).toString('hex');
    expect([table, digest(now)]).toEqual([table, digest(old)]);
  }
  expect(first.size).toBe(Object.keys(protectedTables).length);
  database.close();
});
