// The cold treasury's account as last read, beside the draws that were recorded since.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { usdc } from '../../server/money.ts';
import { openDatabase } from '../../server/store/database.ts';
import { createCold, createColdSums } from '../../server/store/cold.ts';
import { createJournal } from '../../server/store/records/journal.ts';
import { useFolders } from '../harness/folders.ts';

const newFolder = useFolders();

const open = () => {
  const db = openDatabase({ file: join(newFolder(), 't.db') });
  const sums = createColdSums(db);
  const cold = createCold(db, createJournal(db, Date.now), sums);
  db.transaction(() => cold.choose({ address: 'cold', since: 1, scannedTo: null }))();
  const read = (slot: number, allowance: bigint): void =>
    cold.read('cold', {
      slot,
      balance: usdc(100n),
      allowance: usdc(allowance),
      fault: null,
      mark: cold.mark(),
    });
  return { cold, sums, read };
};

it('a draw that was read in its own slot before it was recorded is not taken for a new allowance', () => {
  const { cold, sums, read } = open();
  read(10, 20n);
  sums.reserve('cold', 5n);
  read(12, 15n);
  sums.drawn('cold', 5n, 12);
  sums.reserve('cold', -5n);
  // Perhaps less than the truth, until the next reading.
  expect(cold.get()).toMatchObject({ allowance: 10n, granted: 20n, doubt: 10n });
  read(13, 15n);
  expect(cold.get()).toMatchObject({ allowance: 15n, granted: 20n, doubt: 0n });
});

it('an allowance that the owner raises, lowers or renews after draws is a new one', () => {
  const { cold, sums, read } = open();
  read(10, 20n);
  sums.drawn('cold', 5n, 12);
  expect(cold.get()).toMatchObject({ allowance: 15n, granted: 20n });
  read(13, 15n);
  read(14, 17n);
  expect(cold.get()).toMatchObject({ allowance: 17n, granted: 17n });
  read(15, 9n);
  expect(cold.get()).toMatchObject({ allowance: 9n, granted: 9n });
  read(16, 14n);
  expect(cold.get()).toMatchObject({ allowance: 14n, granted: 14n });
});
