// The lines of a bank statement: one for each day, kind of movement and counterparty, in cents. The account is the whole
// treasury: the wallets of the treasury and of all agents.
import { hash } from 'node:crypto';
import type { Day } from '../../lib/local-days.ts';
import { counterpartyOf, isOurs, type Entry, type EntryKind } from '../entry.ts';
import { oneLine } from './names.ts';
import type { Book } from './writer.ts';

export interface BankLine {
  /** YYYY-MM-DD. */
  day: string;
  /** The same in every export; only another day, counterparty or kind has another one. */
  id: string;
  payee: string;
  kind: EntryKind;
  description: string;
  cents: bigint;
}

export interface BankDays {
  before(entry: Entry): void;
  /** The lines of a day that is over. */
  add(entry: Entry): BankLine[];
  end(): BankLine[];
  /** The sum of all lines since the first day of the account. */
  balanceCents(): bigint;
  /** Micro-USDC, from 0 up to a cent, that the chain has more than the lines: they come with later ones. */
  carry(): bigint;
}

interface Group {
  kind: EntryKind;
  name: string;
  sum: bigint;
  entries: number;
}

/** A change in how lines are made changes their ids, so that no program takes new lines for old ones. */
const idVersion = 1;
const microsPerCent = 10_000n;

/**
 * A line's amount is the difference that it makes to the whole balance rounded down to cents. So the lines of any days
 * depend on what was before and on nothing else, and their sum is never a cent away from the chain.
 */
export const createBankDays = (book: Book): BankDays => {
  let micros = 0n;
  let today: Day | null = null;
  const groups = new Map<string, Group>();

  const linesOfToday = (): BankLine[] => {
    const lines = [...groups]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, group]) => {
        const before = centsIn(micros);
        micros += group.sum;
        const [day, cents] = [today?.name ?? '', centsIn(micros) - before];
        return { day, id: idOf(book, day, key), cents, ...wordsOf(group) };
      });
    groups.clear();
    return lines.filter(({ cents }) => cents !== 0n);
  };

  return {
    before(entry) {
      micros += changeBy(entry);
    },
    add(entry) {
      const isNewDay = today !== null && entry.at >= today.to;
      const lines = isNewDay ? linesOfToday() : [];
      if (today === null || isNewDay) today = book.dayAt(entry.at);
      const change = changeBy(entry);
      if (change === 0n) return lines;
      const { kind } = entry;
      const name = nameOf(entry);
      const key = `${kind} ${name}`;
      const { sum, entries } = groups.get(key) ?? { sum: 0n, entries: 0 };
      groups.set(key, { kind, name, sum: sum + change, entries: entries + 1 });
      return lines;
    },
    end: linesOfToday,
    balanceCents: () => centsIn(micros),
    carry: () => micros - centsIn(micros) * microsPerCent,
  };
};

/** Rounded down, below zero too. */
const centsIn = (micros: bigint): bigint => {
  const cents = micros / microsPerCent;
  return micros < cents * microsPerCent ? cents - 1n : cents;
};

/** To the account, in micro-USDC. SOL is not of this account. */
const changeBy = ({ asset, amount, from, to }: Entry): bigint => {
  if (asset !== 'USDC' || isOurs(from) === isOurs(to)) return 0n;
  return isOurs(to) ? amount : -amount;
};

const nameOf = (entry: Entry): string =>
  (entry.kind === 'spending' && entry.serviceName) || (counterpartyOf(entry) ?? '');

const idOf = ({ network, treasury }: Book, day: string, key: string): string =>
  hash('sha256', JSON.stringify([idVersion, network, treasury, day, key])).slice(0, 32);

const titles: Partial<Record<EntryKind, string>> = {
  deposit: 'Deposit from ',
  withdrawal: 'Withdrawal to ',
  transfer: 'Cold treasury ',
  opening: 'Balance before the records begin',
};

const wordsOf = ({ kind, name, entries }: Group): Pick<BankLine, 'payee' | 'kind' | 'description'> => ({
  kind,
  payee: `${titles[kind] ?? ''}${oneLine(name)}` || 'Unnamed service',
  description: `${kind}, ${entries} ${entries === 1 ? 'entry' : 'entries'}`,
});
