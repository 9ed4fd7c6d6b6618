// The formats of the books: what each is for, and what a file of it is called.

export interface BookFormat {
  label: string;
  /** What it is for, as a clause that ends a sentence. */
  purpose: string;
  extension: string;
  mediaType: string;
  /** `entry`: a line for each movement. `day`: a line for each day and payee, in cents, of whole final days alone. */
  unit: 'entry' | 'day';
  /** Whether a program that imports two files with common days adds nothing twice. */
  hasIds: boolean;
  /** Balances or a carry run through it, from the first day on: all that was before has to be read too. */
  needsPast: boolean;
}

const csv = { extension: 'csv', mediaType: 'text/csv; charset=utf-8' };
const text = { mediaType: 'text/plain; charset=utf-8', unit: 'entry', needsPast: true } as const;

export const bookFormats = {
  spreadsheet: {
    ...csv,
    label: 'Spreadsheet',
    purpose: 'every movement with agent, group, account, transaction and value in US dollars',
    unit: 'entry',
    hasIds: true,
    needsPast: false,
  },
  koinly: {
    ...csv,
    label: 'Koinly',
    purpose: 'crypto tax returns in Koinly',
    unit: 'entry',
    hasIds: true,
    needsPast: false,
  },
  coinledger: {
    ...csv,
    label: 'CoinLedger',
    purpose: 'crypto tax returns in CoinLedger',
    unit: 'entry',
    hasIds: true,
    needsPast: false,
  },
  cointracker: {
    ...csv,
    label: 'CoinTracker',
    purpose: 'crypto tax returns in CoinTracker',
    unit: 'entry',
    hasIds: false,
    needsPast: false,
  },
  cointracking: {
    ...csv,
    label: 'CoinTracking',
    purpose: 'crypto tax returns in CoinTracking',
    unit: 'entry',
    hasIds: true,
    needsPast: false,
  },
  quickbooks: {
    ...csv,
    label: 'QuickBooks Online',
    purpose: 'bank transactions in QuickBooks Online',
    unit: 'day',
    hasIds: false,
    needsPast: true,
  },
  xero: {
    ...csv,
    label: 'Xero',
    purpose: 'a bank statement in Xero',
    unit: 'day',
    hasIds: false,
    needsPast: true,
  },
  ofx: {
    label: 'OFX 2',
    purpose: 'a bank statement in GnuCash, QuickBooks, Banktivity and most accounting programs',
    extension: 'ofx',
    mediaType: 'application/x-ofx',
    unit: 'day',
    hasIds: true,
    needsPast: true,
  },
  hledger: {
    ...text,
    label: 'hledger',
    purpose: 'a journal for hledger, with the balance of each day',
    extension: 'journal',
    hasIds: true,
  },
  ledger: {
    ...text,
    label: 'Ledger',
    purpose: 'a journal for ledger-cli, with the balance of each day',
    extension: 'ledger',
    hasIds: false,
  },
  beancount: {
    ...text,
    label: 'Beancount',
    purpose: 'a file for beancount and Fava, with the balance of each day',
    extension: 'beancount',
    hasIds: false,
  },
} as const satisfies Record<string, BookFormat>;

export type BookFormatName = keyof typeof bookFormats;
export const bookFormatNames = Object.keys(bookFormats) as BookFormatName[];

/** The period is not part of it: `hledger import` remembers by the name what it has imported. */
export const bookFileName = (format: BookFormatName, isZipped = false): string =>
  `books-${format}.${bookFormats[format].extension}${isZipped ? '.gz' : ''}`;
