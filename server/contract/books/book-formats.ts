// The formats of the books: what each is for, and what a file of it is called.

/**
 * The outcome when the program imports two files with common days. `skips`: nothing is added twice. `untried`: it may be so,
 * by the hash of the transaction. `twice`: common days count twice. `id-column`: for the reader of a spreadsheet to compare.
 * `from-start`: nothing is added twice where each file begins with the first day and has the same name; any other file begins
 * with the balances so far, and the program adds these as well.
 */
export type Importing = 'skips' | 'untried' | 'twice' | 'id-column' | 'from-start';

export interface BookFormat {
  label: string;
  /** Its use, as a clause that ends a sentence. */
  purpose: string;
  extension: string;
  mediaType: string;
  /** `entry`: a line for each movement. `day`: a line for each day and payee, in cents, of whole final days alone. */
  unit: 'entry' | 'day';
  importing: Importing;
  /** Balances or a carry run through it, from the first day on: all that was before has to be read too. */
  needsPast: boolean;
}

const csv = { extension: 'csv', mediaType: 'text/csv; charset=utf-8' };
const entries = { unit: 'entry', needsPast: false } as const;
const days = { unit: 'day', needsPast: true } as const;
const text = { mediaType: 'text/plain; charset=utf-8', unit: 'entry', needsPast: true } as const;
const tax = (label: string, importing: Importing) => ({
  ...csv,
  ...entries,
  label,
  purpose: `crypto tax returns in ${label}`,
  importing,
});

export const bookFormats = {
  spreadsheet: {
    ...csv,
    ...entries,
    label: 'Spreadsheet',
    purpose: 'every transfer with its agent, group, account, transaction and value in US dollars',
    importing: 'id-column',
  },
  koinly: tax('Koinly', 'untried'),
  coinledger: tax('CoinLedger', 'untried'),
  cointracker: tax('CoinTracker', 'twice'),
  cointracking: tax('CoinTracking', 'untried'),
  quickbooks: {
    ...csv,
    ...days,
    label: 'QuickBooks Online',
    purpose: 'bank transactions in QuickBooks Online',
    importing: 'twice',
  },
  xero: { ...csv, ...days, label: 'Xero', purpose: 'a bank statement in Xero', importing: 'twice' },
  ofx: {
    label: 'OFX 2',
    purpose: 'a bank statement in GnuCash, QuickBooks, Banktivity and most accounting programs',
    extension: 'ofx',
    mediaType: 'application/x-ofx',
    ...days,
    importing: 'skips',
  },
  hledger: {
    ...text,
    label: 'hledger',
    purpose: 'a journal for hledger, with the balance of each day',
    extension: 'journal',
    importing: 'from-start',
  },
  ledger: {
    ...text,
    label: 'Ledger',
    purpose: 'a journal for ledger-cli, with the balance of each day',
    extension: 'ledger',
    importing: 'twice',
  },
  beancount: {
    ...text,
    label: 'Beancount',
    purpose: 'a file for beancount and Fava, with the balance of each day',
    extension: 'beancount',
    importing: 'twice',
  },
} as const satisfies Record<string, BookFormat>;

export type BookFormatName = keyof typeof bookFormats;
export const bookFormatNames = Object.keys(bookFormats) as BookFormatName[];

/** In a table. */
export const importingWords: Record<Importing, string> = {
  skips: 'adds nothing',
  untried: 'adds nothing, by the transaction’s hash; not tried',
  twice: 'counts twice',
  'id-column': 'counts twice, unless lines with a known id are left out',
  'from-start': 'adds nothing, if each file begins with the first day and has the same name',
};

/** Those with accounts hold what is owed for model tokens; all others are of movements on the chain. */
export const holdsModels = (format: BookFormatName): boolean =>
  format === 'spreadsheet' || bookFormats[format].mediaType === text.mediaType;
export const modelsSentence = (format: BookFormatName): string =>
  holdsModels(format)
    ? 'Model usage is included by day. The provider bills you for it, so it is not on the chain.'
    : 'Model tokens are left out, since they are not on the chain.';

/** One or two sentences about importing more than once. */
export const importingSentence = (format: BookFormatName): string => {
  const { label, importing } = bookFormats[format];
  if (importing === 'skips') return 'Each line has an id, so the program skips lines that it already has.';
  if (importing === 'untried')
    return `Each line has the hash of its transaction, by which ${label} may skip lines that it already has. That was not tried.`;
  if (importing === 'id-column') return 'Paste each day only once: a spreadsheet won’t spot duplicates.';
  if (importing === 'from-start')
    return `${label} skips lines that it already has only where every file begins with the first day and has the same name. Any other file begins with the balances so far, and importing it adds them again.`;
  return `${label} does not recognize lines that it already has: a day imported twice counts twice.`;
};

/** The period is not part of it: `hledger import` remembers by the name what it has imported. */
export const bookFileName = (format: BookFormatName, isZipped = false): string =>
  `books-${format}.${bookFormats[format].extension}${isZipped ? '.gz' : ''}`;
