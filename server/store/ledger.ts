// Managed wallets: their balances as last read from the chain, what open transfers will still take, deposits, and the
// double-entry ledger that is posted when a transfer is final.
import { usdc } from '../money.ts';
import { isOpen, isPaid } from '../engine/domain/states.ts';
import type { Deposit, Store, Transfer, Wallet } from '../engine/ports.ts';
import type { Db } from './db.ts';
import type { Row } from './journal.ts';
import { integer, integerOrNull, text, textOrNull, units } from './rows.ts';

/** Whether the amount has yet to leave the balance that we know. */
const isPending = (transfer: Transfer): boolean => isOpen(transfer) && !isPaid(transfer);

export interface Ledger {
  wallets: Store['wallets'];
  deposits: Store['deposits'];
  balances(): Map<string, bigint>;
  open: Store['ledger']['open'];
  /** Applies a transfer's step to its wallets' pending sums and known balances. */
  reserve(before: Transfer | null, after: Transfer): void;
  /** Posts an ended transfer's entries. */
  post(transfer: Transfer): void;
}

export const createLedger = (db: Db): Ledger => {
  const get = db.prepare('SELECT * FROM wallet WHERE address = ?');
  const all = db.prepare('SELECT * FROM wallet ORDER BY wallet_index');
  const addWallet = db.prepare(
    'INSERT OR IGNORE INTO wallet (address, wallet_index, agent_id) VALUES (?, ?, ?)',
  );
  const addPending = db.prepare('UPDATE wallet SET pending = pending + ? WHERE address = ?');
  // A balance read in the transfer's own slot may predate it or not: the debit counts as gone, the credit as not yet
  // there, and the wallet is due for another reading.
  const addBalance = db.prepare(/* sql */ `
    UPDATE wallet SET balance = balance + iif(slot < @slot OR (slot = @slot AND @change < 0), @change, 0),
      moved_slot = max(moved_slot, @slot), read_at = 0 WHERE address = @address`);
  const read = db.prepare(
    'UPDATE wallet SET balance = ?, slot = ?, read_at = ? WHERE address = ? AND slot <= ? AND moved_slot <= ?',
  );
  const scanned = db.prepare('UPDATE wallet SET scanned_to = ? WHERE address = ?');
  const insertDeposit = db.prepare(/* sql */ `
    INSERT OR IGNORE INTO deposit (id, tx_signature, sender, wallet, amount, slot, status, at)
    VALUES (@id, @txSignature, @from, @wallet, @amount, @slot, @status, @at)`);
  const listDeposits = db.prepare('SELECT * FROM deposit WHERE seq < ? ORDER BY seq DESC LIMIT ?');
  const unsettled = db.prepare(`SELECT * FROM deposit WHERE status = 'confirmed' ORDER BY seq`);
  const settle = db.prepare(
    `UPDATE deposit SET status = ? WHERE id = ? AND status = 'confirmed' RETURNING *`,
  );
  const insertEntry = db.prepare('INSERT INTO entry (source, account, amount) VALUES (?, ?, ?)');
  const addAccount = db.prepare(
    'INSERT INTO account (name, balance) VALUES (?, ?) ON CONFLICT DO UPDATE SET balance = balance + excluded.balance',
  );
  const accounts = db.prepare('SELECT name, balance FROM account');
  const balanceOf = db.prepare('SELECT balance FROM account WHERE name = ?');

  let movements = 0;
  const lastMovement = new Map<string, number>();

  const enter = (source: string, from: string, to: string, amount: bigint): void => {
    if (amount === 0n) return;
    for (const [account, change] of [[from, -amount] as const, [to, amount] as const]) {
      insertEntry.run(source, account, change);
      addAccount.run(account, change);
    }
  };
  /** Each managed wallet has an account; the rest of the world is one. */
  const accountOf = (address: string, asset: string): string =>
    get.get(address) === undefined ? `${asset}:outside` : `${asset}:${address}`;

  const seenBy = (transfer: Transfer, sign: 1n | -1n, slot: number): void => {
    movements += 1;
    for (const address of [transfer.wallet, transfer.payee]) {
      if (get.get(address) !== undefined) lastMovement.set(address, movements);
    }
    addBalance.run({ change: -transfer.amount * sign, address: transfer.wallet, slot });
    addBalance.run({ change: transfer.amount * sign, address: transfer.payee, slot });
  };

  return {
    wallets: {
      add: ({ address, index, agentId }) => void addWallet.run(address, index, agentId),
      get: (address) => walletFrom(get.get(address)),
      list: () => (all.all() as Row[]).map(toWallet),
      mark: () => movements,
      read(address, balance, slot, now, mark) {
        // A balance requested before we recorded a transfer may predate it, even within one slot.
        const later = (lastMovement.get(address) ?? 0) <= mark;
        read.run(balance, slot, now, address, slot, later ? slot : slot - 1);
      },
      scanned: (address, signature) => void scanned.run(signature, address),
    },
    deposits: {
      insert: (deposit) => insertDeposit.run(deposit).changes === 1,
      list: (before, limit) =>
        (listDeposits.all(before ?? Number.MAX_SAFE_INTEGER, limit) as Row[]).map(toDeposit),
      unsettled: () => (unsettled.all() as Row[]).map(toDeposit),
      settle(id, status) {
        const row = settle.get(status, id) as Row | undefined;
        if (row === undefined || status !== 'final') return;
        const { wallet, amount } = toDeposit(row);
        enter(id, 'USDC:outside', accountOf(wallet, 'USDC'), amount);
      },
    },
    balances: () =>
      new Map((accounts.all() as Row[]).map((row) => [text(row, 'name'), units(row, 'balance')] as const)),
    open(wallet, held) {
      const account = accountOf(wallet, 'USDC');
      const posted = balanceOf.get(account) as { balance: bigint } | undefined;
      enter('opening', 'USDC:outside', account, held - (posted?.balance ?? 0n));
    },
    reserve(before, after) {
      if (after.asset !== 'USDC') return;
      const was = before !== null && isPending(before);
      const is = isPending(after);
      if (was !== is) addPending.run(is ? after.amount : -after.amount, after.wallet);
      const wasPaid = before !== null && isPaid(before);
      if (!wasPaid && isPaid(after)) seenBy(after, 1n, after.seenSlot ?? 0);
      if (wasPaid && !isPaid(after)) seenBy(after, -1n, before.seenSlot ?? 0);
    },
    post(transfer) {
      const { id, asset, amount, wallet, payee } = transfer;
      if (transfer.state === 'final') enter(id, accountOf(wallet, asset), accountOf(payee, asset), amount);
      enter(id, 'SOL:fees-paid-from', 'SOL:network-fees', transfer.feeLamports);
    },
  };
};

const walletFrom = (row: unknown): Wallet | undefined =>
  row === undefined ? undefined : toWallet(row as Row);

const toWallet = (row: Row): Wallet => ({
  address: text(row, 'address'),
  index: integer(row, 'wallet_index'),
  agentId: textOrNull(row, 'agent_id'),
  balance: usdc(units(row, 'balance')),
  pending: usdc(units(row, 'pending')),
  slot: integer(row, 'slot'),
  readAt: integerOrNull(row, 'read_at') ?? 0,
  scannedTo: textOrNull(row, 'scanned_to'),
});

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
