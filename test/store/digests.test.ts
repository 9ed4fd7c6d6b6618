// A row's digest covers every column; a column of a later version counts as soon as it holds a value.
import { describe, expect, it } from 'vitest';
import { digestRow, type ProtectedTable, type Row } from '../../server/store/digests.ts';

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
