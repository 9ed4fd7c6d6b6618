// Sales: a seller's record gives a deposit its account where transaction, wallet and amount are those of a final deposit.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rootOf } from '../../server/books/close.ts';
import { entriesIn } from '../../server/books/pass.ts';
import { classifierOf } from '../../server/books/rules.ts';
import { verifyJournal } from '../../server/engine/records/audit.ts';
import type { BookSale, Deposit, Store } from '../../server/engine/ports.ts';
import { lamports, usdc } from '../../server/money.ts';
import { useFolders } from '../harness/folders.ts';
import { paymentOf, storeWithAgent } from '../store/store-with-agent.ts';

const newFolder = useFolders();
const whole = { from: 0, to: Number.MAX_SAFE_INTEGER };
let store: Store;
beforeAll(() => {
  store = storeWithAgent(join(newFolder(), 'treasury.db'));
});
afterAll(() => store.close());

/** By the entry's id. */
const accounts = (): Record<string, string> => {
  const classify = classifierOf(store);
  return Object.fromEntries([...entriesIn(store, whole)].map((entry) => [entry.id, classify(entry).account]));
};
const deposit = (id: string, more: Partial<Pick<Deposit, 'txSignature' | 'wallet' | 'status'>> = {}): void =>
  void store.deposits.insert({
    id,
    txSignature: id,
    from: 'buyer',
    wallet: 'treasury',
    slot: 1,
    asset: 'USDC',
    amount: usdc(5n),
    status: 'final',
    at: 1_000,
    ...more,
  });
const sale = (txSignature: string, more: Partial<BookSale> = {}): boolean =>
  store.atomically(() =>
    store.books.addSale(
      { txSignature, recipient: 'treasury', amount: usdc(5n), name: 'GET /summaries/:id', ...more },
      2_000,
    ),
  );

const refunded = (txSignature: string): string | null => {
  const terms = { kind: 'withdrawal', invoice: `refund:${txSignature}` } as const;
  const { id } = store.atomically(() => store.transfers.insert(paymentOf(`wdr_${txSignature}`, terms)));
  return store.books.refundedSaleOf(id);
};

describe('a deposit', () => {
  it('is a sale where transaction, wallet and amount are those of the record, and it is final', async () => {
    store.atomically(() => {
      for (const id of ['sold', 'plain', 'less', 'elsewhere', 'nameless']) deposit(id);
      deposit('open', { status: 'confirmed' });
      deposit('toAgent', { txSignature: 'both#1', wallet: 'wallet' });
      deposit('toTreasury', { txSignature: 'both' });
      const inSol = { from: 'buyer', wallet: 'treasury', slot: 1, status: 'final', at: 1_000 } as const;
      store.deposits.insert({
        ...inSol,
        id: 'sol',
        txSignature: 'sol#SOL',
        asset: 'SOL',
        amount: lamports(5n),
      });
    });
    const before = await rootOf({ store }, whole);
    const added = [
      sale('sold'),
      sale('less', { amount: usdc(4n) }),
      sale('elsewhere', { recipient: 'wallet' }),
      sale('nameless', { name: '' }),
      sale('open'),
      sale('both', { recipient: 'wallet' }),
      sale('sol'),
      sale('nobody'),
    ];
    expect(added).toEqual(added.map(() => true));
    expect(accounts()).toEqual({
      sold: 'Income:Sales:GET-summaries-id',
      plain: 'Equity:Deposits',
      less: 'Equity:Deposits',
      elsewhere: 'Equity:Deposits',
      nameless: 'Income:Sales',
      toAgent: 'Income:Sales:GET-summaries-id',
      toTreasury: 'Equity:Deposits',
      sol: 'Equity:Deposits',
    });
    // A closed month holds no accounts: its lines are the same.
    expect(await rootOf({ store }, whole)).toEqual(before);
  });

  it('is refunded as a sale only if it is one', () => {
    expect(['sold', 'less', 'elsewhere', 'open', 'plain'].map(refunded)).toEqual([
      'GET /summaries/:id',
      null,
      null,
      null,
      null,
    ]);
  });

  it('keeps the first record of its transaction, and follows a rule of the owner’s before it', () => {
    expect(sale('sold', { name: 'GET /other' })).toBe(false);
    expect(accounts()['sold']).toBe('Income:Sales:GET-summaries-id');
    const nowhere = { serviceId: null, origin: null, agentId: null, groupId: null, costCentre: null };
    const rule = { id: 'rule', payee: 'buyer', account: 'Income:Consulting', ...nowhere };
    store.atomically(() => store.books.setRule(rule, 0, 1));
    expect(accounts()['sold']).toBe('Income:Consulting');
    expect([store.journal.verifyRules(), verifyJournal(store)]).toEqual([null, null]);
  });
});
