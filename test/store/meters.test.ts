// A sum that is made in slices, between which further payments end.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createMeters } from '../../server/store/spending/meters.ts';
import { useFolders } from '../harness/folders.ts';
import { reservedPayment } from '../harness/payment-row.ts';
import { openStore } from '../harness/store.ts';

const newFolder = useFolders();
const start = 1_800_000_000_000;
const payments = 40;

/** Payments of 1 unit that are not counted yet. */
const withPayments = (): Database.Database => {
  const file = join(newFolder(), 't.db');
  const store = openStore(file);
  store.atomically(() => {
    store.wallets.add({ address: 'treasury', index: 0, agentId: null });
    const agent = { agentId: 'a', displayName: 'a', status: 'active', statusReason: null } as const;
    store.agents.insert({ ...agent, createdAt: start, archivedAt: null }, () => 'wallet-1');
    const own = { agentId: 'a', walletIndex: 1, wallet: 'wallet-1', createdAt: start, amount: 1n };
    for (let n = 1; n <= payments; n += 1)
      store.transfers.insert(reservedPayment({ ...own, id: `pay_${n}` }));
  });
  store.close();
  const db = new Database(file);
  db.defaultSafeIntegers(true);
  return db;
};

it.each([1, 3, 7, 1_000])('in slices of %s rows counts each payment once', (sliceRows) => {
  const scopes = ['a', ''];
  const db = withPayments();
  const meters = createMeters(db, () => 0n, sliceRows);
  const count = db.prepare('UPDATE transfer SET counted_at = ?, counted_amount = 1 WHERE id = ?');
  let ended = 0;
  const end = (at: number): void => {
    ended += 1;
    count.run(at, `pay_${ended}`);
    for (const scope of scopes) meters.addMoney(scope, at, 1n);
  };
  // Two in each millisecond, so that a slice ends between equal times.
  for (let n = 1; n <= 20; n += 1) end(start + Math.ceil(n / 2));
  for (const scope of scopes) {
    for (const _ of meters.build({ scope, name: 'total' }, start)) {
      if (ended >= payments - 3) continue;
      // In the part that is summed, in the part that is not, and before the edge.
      for (const at of [start + 1, start + 10, start]) end(at);
    }
  }
  end(start + 5);
  const late = Math.floor((ended - 21) / 3);
  for (const scope of scopes)
    expect([scope, meters.above(scope, 'total', start, start + 20)]).toEqual([scope, BigInt(ended - late)]);
  db.close();
});
