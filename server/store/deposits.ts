// Deposits into the treasury, as its history on the chain shows them.
import { usdc } from '../money.ts';
import type { Deposit, Store } from '../engine/ports.ts';
import type { Db } from './db.ts';
import type { Row } from './journal.ts';
import { integer, text, units } from './rows.ts';

/** @param post enters a deposit that is final into the ledger */
export const createDeposits = (db: Db, post: (deposit: Deposit) => void): Store['deposits'] => {
  const insertDeposit = db.prepare(/* sql */ `
    INSERT OR IGNORE INTO deposit (id, tx_signature, sender, wallet, amount, slot, status, at)
    VALUES (@id, @txSignature, @from, @wallet, @amount, @slot, @status, @at)`);
  const listDeposits = db.prepare('SELECT * FROM deposit WHERE seq < ? ORDER BY seq DESC LIMIT ?');
  const unsettled = db.prepare(`SELECT * FROM deposit WHERE status = 'confirmed' ORDER BY seq`);
  const settle = db.prepare(
    `UPDATE deposit SET status = ? WHERE id = ? AND status = 'confirmed' RETURNING *`,
  );

  return {
    insert: (deposit) => insertDeposit.run(deposit).changes === 1,
    list: (before, limit) =>
      (listDeposits.all(before ?? Number.MAX_SAFE_INTEGER, limit) as Row[]).map(toDeposit),
    unsettled: () => (unsettled.all() as Row[]).map(toDeposit),
    settle(id, status) {
      const row = settle.get(status, id) as Row | undefined;
      if (row === undefined || status !== 'final') return;
      post(toDeposit(row));
    },
  };
};

const toDeposit = (row: Row): Deposit => ({
  seq: integer(row, 'seq'),
  id: text(row, 'id'),
  txSignature: text(row, 'tx_signature'),
  from: text(row, 'sender'),
  wallet: text(row, 'wallet'),
  amount: usdc(units(row, 'amount')),
  slot: integer(row, 'slot'),
  status: text(row, 'status') as Deposit['status'],
  at: integer(row, 'at'),
});
