// The double-entry ledger: each entry takes from one account what it gives to another, so that all sum to zero.
import type { Db } from './db.ts';
import { ifAny, mapper } from './row.ts';

interface Accounts {
  /** Does nothing for an amount of zero. @param amount in the smallest unit of the accounts' asset */
  enter(source: string, from: string, to: string, amount: bigint): void;
  balance(account: string): bigint;
  balances(): Map<string, bigint>;
}

export const createAccounts = (db: Db): Accounts => {
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
