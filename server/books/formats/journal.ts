// Plain-text accounting with double entry: what hledger, ledger and beancount have in common. Each entry is a transaction
// and the only thing that an empty line follows; after each final day, the file says what every account has to hold.
import type { Asset } from '../../engine/ports.ts';
import { accountsOf, owedAccount } from '../accounts.ts';
import type { Day } from '../../lib/local-days.ts';
import { isOurs, type Entry } from '../entry.ts';
import { amountOf } from '../line.ts';
import { notOnChain, oneLine, payeeOf, purposeOf } from './names.ts';
import type { Book, Writer } from './writer.ts';

export interface Posting {
  account: string;
  /** As in `-0.002 USDC`. */
  amount: string;
}

export interface Transaction {
  /** YYYY-MM-DD. */
  day: string;
  id: string;
  payee: string;
  purpose: string;
  /** Each that is known; texts of one line. */
  facts: { agent?: string; group?: string; costcentre?: string; tx?: string; note?: string };
  postings: Posting[];
}

/** How a program writes these. Every text is of whole lines. */
export interface Syntax {
  /** What the file declares at its head. */
  price(day: string): string;
  /** Before an account's first use. */
  open(day: string, account: string): string;
  /** Before a payee's first use; empty where payees need no declaration. */
  meet(payee: string): string;
  transaction(transaction: Transaction): string;
  /** @param nextDay the name of the day after it */
  balances(day: string, nextDay: string, balances: Posting[]): string;
}

export const journal = (book: Book, syntax: Syntax): Writer => {
  const holdings = createHoldings();
  /** Accounts of our wallets that the day has changed so far. */
  const changed = new Set<string>();
  const opened = new Set<string>();
  const met = new Set<string>();
  let today: Day | null = null;

  const open = (day: string, accounts: string[]): string => {
    const unopened = [...new Set(accounts)].filter((account) => !opened.has(account));
    for (const account of unopened) opened.add(account);
    return unopened.map((account) => syntax.open(day, account)).join('');
  };
  const meet = (payee: string): string => {
    if (met.has(payee)) return '';
    met.add(payee);
    return syntax.meet(payee);
  };
  const write = (transaction: Transaction): string => {
    const accounts = transaction.postings.map(({ account }) => account);
    return `${open(transaction.day, accounts)}${meet(transaction.payee)}${syntax.transaction(transaction)}`;
  };
  const closeDay = (): string => {
    const isFinal = today !== null && today.to <= Math.min(book.finalUntil, book.span.to);
    const accounts = [...changed].toSorted();
    changed.clear();
    if (today === null || !isFinal || accounts.length === 0) return '';
    const balances = accounts.map((account) => holdings.posting(account, 'USDC'));
    return syntax.balances(today.name, book.dayAt(today.to).name, balances);
  };

  return {
    before(entry) {
      const { from, to } = accountsOf(entry, book.classify(entry));
      holdings.move(entry, from, to);
      if (book.continues) for (const account of [from, to]) opened.add(account);
    },
    begin() {
      const day = book.dayAt(book.span.from).name;
      const postings = book.continues ? [] : holdings.opening();
      const opening = { day, id: 'opening', payee: 'Agent Treasury', purpose: 'Balances before this file' };
      return `${headOf(book)}${syntax.price(day)}${postings.length === 0 ? '' : write({ ...opening, facts: {}, postings })}`;
    },
    entry(entry) {
      const isNewDay = today !== null && entry.at >= today.to;
      const balances = isNewDay ? closeDay() : '';
      if (today === null || isNewDay) today = book.dayAt(entry.at);
      const classified = book.classify(entry);
      const { from, to } = accountsOf(entry, classified);
      holdings.move(entry, from, to);
      if (entry.asset === 'USDC' && isOurs(entry.from)) changed.add(from);
      if (entry.asset === 'USDC' && isOurs(entry.to)) changed.add(to);
      const costCentre = classified.costCentre;
      return `${balances}${write(transactionOf({ book, entry, day: today.name, from, to, costCentre }))}\n`;
    },
    end: closeDay,
  };
};

interface Classification {
  book: Book;
  entry: Entry;
  day: string;
  from: string;
  to: string;
  costCentre: string | null;
}

const transactionOf = ({ book, entry, day, from, to, costCentre }: Classification): Transaction => {
  const { id, agentId, groupId, txSignature, asset } = entry;
  const amount = `${amountOf(entry)} ${asset}`;
  return {
    day,
    id,
    payee: payeeOf(entry),
    purpose: purposeOf(entry),
    facts: {
      ...(agentId === null ? {} : { agent: agentId }),
      ...(groupId === null ? {} : { group: oneLine(book.groupName(groupId)) }),
      ...(costCentre === null ? {} : { costcentre: oneLine(costCentre) }),
      ...(txSignature === null ? {} : { tx: txSignature }),
      ...(entry.kind === 'tokens' ? { note: notOnChain } : {}),
    },
    postings: [
      { account: to, amount },
      { account: from, amount: `-${amount}` },
    ],
  };
};

const headOf = ({ span, dayAt, zone, network }: Book): string =>
  [
    `Agent Treasury, ${dayAt(span.from).name} to ${dayAt(span.to - 1).name}, in days of ${zone}`,
    ...(network === 'mainnet' ? [] : [`Of the network ${network}, whose money is worth nothing`]),
    '1 USDC counts 1.00 USD',
    'Fees of the network are in SOL. Balances are stated in USDC alone',
  ]
    .map((line) => `; ${line}\n`)
    .join('');

const postingOf = (account: string, asset: Asset, amount: bigint): Posting => ({
  account,
  amount: `${amountOf({ asset, amount })} ${asset}`,
});

/** The balances of the owner's accounts, and what is owed to suppliers of models, in the smallest unit. */
const createHoldings = () => {
  const held = new Map<string, bigint>();
  const add = (account: string, asset: Asset, change: bigint): void => {
    if (!account.startsWith('Assets:') && !account.startsWith(owedAccount)) return;
    const key = `${account} ${asset}`;
    held.set(key, (held.get(key) ?? 0n) + change);
  };
  return {
    move({ asset, amount }: Entry, from: string, to: string): void {
      add(from, asset, -amount);
      add(to, asset, amount);
    },
    posting: (account: string, asset: Asset): Posting =>
      postingOf(account, asset, held.get(`${account} ${asset}`) ?? 0n),
    /** A transaction that gives each account its balance. */
    opening(): Posting[] {
      return (['USDC', 'SOL'] as const).flatMap((asset) => {
        const found = [...held]
          .filter(([key, amount]) => key.endsWith(` ${asset}`) && amount !== 0n)
          .toSorted(([a], [b]) => (a < b ? -1 : 1));
        const sum = found.reduce((total, [, amount]) => total + amount, 0n);
        const own = found.map(([key, amount]) => postingOf(key.split(' ')[0] ?? '', asset, amount));
        return sum === 0n ? own : [...own, postingOf('Equity:Opening-Balances', asset, -sum)];
      });
    },
  };
};
