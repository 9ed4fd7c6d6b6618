// Deposits into the treasury, as its history on the chain shows them.
import { depositStatuses } from '../engine/domain/wallet.ts';
import type { Deposit, Store } from '../engine/ports.ts';
import { usdc } from '../money.ts';
import type { Db } from './db.ts';
import { amountIn, mapper } from './row.ts';

/** @param post enters a deposit that is final into the ledger */
export const createDeposits = (db: Db, post: (deposit: Deposit) => void): Store['deposits'] => {
  const insertDeposit = db.prepare(/* sql */ `
    INSERT OR IGNORE INTO deposit (id, tx_signature, sender, wallet, asset, amount, slot, status, at)
    VALUES (@id, @txSignature, @from, @wallet, nullif(@asset, 'USDC'), @amount, @slot, @status, @at)`);
  const listDeposits = db.prepare(/* sql */ `
    SELECT * FROM deposit WHERE seq < ? AND (asset IS NOT NULL OR amount >= ?) ORDER BY seq DESC LIMIT ?`);
  const unsettled = db.prepare(`SELECT * FROM deposit WHERE status = 'confirmed' ORDER BY seq`);
  // Of the last thousand: a read of all of them would grow with the records.
  const dropped = db.prepare(/* sql */ `
    SELECT * FROM deposit WHERE seq > (SELECT max(seq) - 1000 FROM deposit) AND status = 'dropped' AND at > ?
    ORDER BY seq`);
  const settle = db.prepare(/* sql */ `
    UPDATE deposit SET status = @status WHERE id = @id AND status NOT IN ('final', @status) RETURNING *`);

  return {
    insert: (deposit) => insertDeposit.run(deposit).changes === 1,
    list: (before, limit, least = usdc(0n)) =>
      listDeposits.all(before ?? Number.MAX_SAFE_INTEGER, least, limit).map(toDeposit),
    unsettled: () => unsettled.all().map(toDeposit),
    dropped: (since) => dropped.all(since).map(toDeposit),
    settle(id, status) {
      const row = settle.get({ status, id });
      if (row === undefined || status !== 'final') return;
      post(toDeposit(row));
    },
  };
};

export const toDeposit = mapper('deposit', (row): Deposit => ({
  seq: row.integer('seq'),
  id: row.text('id'),
  // Of a deposit to an agent's wallet, `#` and the wallet's number follow; of one in SOL, `#SOL`.
  txSignature: row.text('tx_signature').split('#', 1)[0] ?? '',
  from: row.text('sender'),
  wallet: row.text('wallet'),
  ...amountIn(row, row.wordOrNull('asset', ['SOL']) ?? 'USDC'),
  slot: row.integer('slot'),
  status: row.word('status', depositStatuses),
  at: row.integer('at'),
}));
