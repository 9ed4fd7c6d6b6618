// Managed wallets: their balances as last read from the chain, what open transfers will still take, deposits, and the
// double-entry ledger that is posted when a transfer is final.
import { payerOf } from '../../engine/domain/transfer.ts';
import { isOpen, isPaid } from '../../engine/domain/states.ts';
import type { Store, Transfer, Wallet } from '../../engine/ports.ts';
import type { ColdSums } from '../cold.ts';
import type { Db } from '../db.ts';
import { createDeposits } from '../deposits.ts';
import { createReadSlots } from '../transfers/read-slots.ts';
import { ifAny, mapper } from '../row.ts';

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

export const createLedger = (db: Db, cold: ColdSums): Ledger => {
  const { get, all, addWallet, addPending, addBalance, read, forget, scanned } = statementsOf(db);
  const accounts = createAccounts(db);
  const slots = createReadSlots();

  let movements = 0;
  const lastMovement = new Map<string, number>();
  const enterReading: Store['wallets']['readPast'] = (address, { balance, slot, now, mark }) => {
    // A balance requested before we recorded a transfer may predate it, even within one slot.
    const later = (lastMovement.get(address) ?? 0) <= mark;
    return read.run({ address, balance, slot, now, asOf: later ? slot : slot - 1 }).changes === 1;
  };

  /** Each managed wallet has an account; the rest of the world is one. */
  const accountOf = (address: string, asset: string): string =>
    get.get(address) === undefined ? `${asset}:outside` : `${asset}:${address}`;

  const seenBy = (transfer: Transfer, sign: 1n | -1n, slot: number): void => {
    movements += 1;
    const isUndone = sign < 0n ? 1 : 0;
    for (const address of [payerOf(transfer), transfer.payee]) {
      if (get.get(address) !== undefined) lastMovement.set(address, movements);
    }
    if (transfer.source !== null) cold.drawn(transfer.source, transfer.amount * sign, slot);
    else addBalance.run({ change: -transfer.amount * sign, address: transfer.wallet, slot, isUndone });
    addBalance.run({ change: transfer.amount * sign, address: transfer.payee, slot, isUndone });
  };

  return {
    deposits: createDeposits(db, ({ id, wallet, asset, amount }) =>
      accounts.enter(id, `${asset}:outside`, accountOf(wallet, asset), amount),
    ),
    wallets: {
      add: ({ address, index, agentId }) => void addWallet.run(address, index, agentId),
      get: (address) => walletIn(get.get(address)),
      list: () => all.all().map(toWallet),
      mark: () => movements,
      read: (address, reading) => slots.admit(address, reading.slot) && enterReading(address, reading),
      readPast: enterReading,
      unchanged: (address, slot) => void slots.admit(address, slot),
      forgetBeyond(slot) {
        slots.forgetBeyond(slot);
        forget.run({ slot });
      },
      scanned: (address, signature) => void scanned.run(signature, address),
    },
    open(wallet, held) {
      const account = accountOf(wallet, 'USDC');
      accounts.enter('opening', 'USDC:outside', account, held - accounts.balance(account));
    },
    balances: accounts.balances,
    reserve(before, after) {
      if (after.asset !== 'USDC') return;
      const was = before !== null && isPending(before);
      const is = isPending(after);
      const change = is ? after.amount : -after.amount;
      if (was !== is && after.source !== null) cold.reserve(after.source, change);
      else if (was !== is) addPending.run(change, after.wallet);
      const wasPaid = before !== null && isPaid(before);
      if (!wasPaid && isPaid(after)) seenBy(after, 1n, after.seenSlot ?? 0);
      if (wasPaid && !isPaid(after)) seenBy(after, -1n, before.seenSlot ?? 0);
    },
    post(transfer) {
      const { id, asset, amount, payee } = transfer;
      if (transfer.state === 'final')
        accounts.enter(id, accountOf(payerOf(transfer), asset), accountOf(payee, asset), amount);
      accounts.enter(id, 'SOL:fees-paid-from', 'SOL:network-fees', transfer.feeLamports);
    },
  };
};

const statementsOf = (db: Db) => ({
  get: db.prepare('SELECT * FROM wallet WHERE address = ?'),
  all: db.prepare('SELECT * FROM wallet ORDER BY wallet_index'),
  addWallet: db.prepare('INSERT OR IGNORE INTO wallet (address, wallet_index, agent_id) VALUES (?, ?, ?)'),
  addPending: db.prepare('UPDATE wallet SET pending = pending + ? WHERE address = ?'),
  // A balance read in the transfer's own slot may predate it or not: the debit counts as gone, the credit as not yet
  // there, and both as in doubt, until the wallet is read again. So may one read before a fork took the transfer back.
  addBalance: db.prepare(/* sql */ `
    UPDATE wallet SET balance = balance + iif(slot < @slot OR (slot = @slot AND @change < 0), @change, 0),
      doubt = doubt + iif(slot = @slot OR (slot > @slot AND @isUndone), abs(@change), 0),
      moved_slot = max(moved_slot, @slot), read_at = 0 WHERE address = @address`),
  // A balance that fell may have paid an open transfer that we have not seen yet: so much stays in doubt.
  read: db.prepare(/* sql */ `
    UPDATE wallet SET balance = @balance, slot = @slot, read_at = @now,
      doubt = max(0, min(pending, balance + doubt - @balance))
    WHERE address = @address AND slot <= @slot AND moved_slot <= @asOf`),
  forget: db.prepare(/* sql */ `
    UPDATE wallet SET slot = iif(slot > @slot, 0, slot), moved_slot = iif(moved_slot > @slot, 0, moved_slot)
    WHERE slot > @slot OR moved_slot > @slot`),
  scanned: db.prepare('UPDATE wallet SET scanned_to = ? WHERE address = ?'),
});

const toWallet = mapper('wallet', (row): Wallet => ({
  address: row.text('address'),
  index: row.integer('wallet_index'),
  agentId: row.textOrNull('agent_id'),
  balance: row.usdc('balance'),
  pending: row.usdc('pending'),
  doubt: row.usdc('doubt'),
  slot: row.integer('slot'),
  readAt: row.integer('read_at'),
  scannedTo: row.textOrNull('scanned_to'),
}));

const walletIn = ifAny(toWallet);

/**
 * The double-entry ledger: each entry takes from one account what it gives to another, so that all sum to
 * zero.
 */
interface Accounts {
  /** Does nothing for an amount of zero. @param amount in the smallest unit of the accounts' asset */
  enter(source: string, from: string, to: string, amount: bigint): void;
  balance(account: string): bigint;
  balances(): Map<string, bigint>;
}

const createAccounts = (db: Db): Accounts => {
  const insertEntry = db.prepare('INSERT INTO entry (source, account, amount) VALUES (?, ?, ?)');
  const addAccount = db.prepare(
    'INSERT INTO account (name, balance) VALUES (?, ?) ON CONFLICT DO UPDATE SET balance = balance + excluded.balance',
  );
  const all = db.prepare('SELECT name, balance FROM account');
  const balanceOf = db.prepare('SELECT balance FROM account WHERE name = ?');

  return {
    enter(source, from, to, amount) {
      if (amount === 0n) return;
      for (const [account, change] of [[from, -amount] as const, [to, amount] as const]) {
        insertEntry.run(source, account, change);
        addAccount.run(account, change);
      }
    },
    balance: (account) => balanceIn(balanceOf.get(account)) ?? 0n,
    balances: () => new Map(all.all().map(toAccount)),
  };
};

const toAccount = mapper('account', (row) => [row.text('name'), row.bigint('balance')] as const);
const balanceIn = ifAny(mapper('account', (row) => row.bigint('balance')));
