// Programs for tax returns. To them, the wallets of the treasury and of all agents are one: what goes from one of these
// to another is not in the file.
import { csvLines } from '../../lib/csv.ts';
import { isOurs, type Entry } from '../entry.ts';
import { amountOf } from '../line.ts';
import { usDate, utcTime } from './dates.ts';
import { payeeOf, purposeOf } from './names.ts';
import type { Book, Writer } from './writer.ts';

const wallet = 'Agent Treasury';

interface Row {
  /** Decimal amount and asset, or two empty texts. */
  sent: [string, string];
  received: [string, string];
  /** 1 USDC counts 1.00 USD; the worth of SOL is for the program to find. */
  worth: [string, string];
  nature: Nature;
  description: string;
  transaction: string;
  entry: Entry;
}

/** `out` and `in` are to and from another wallet of the owner, as far as the treasury can tell. */
type Nature = 'cost' | 'fee' | 'out' | 'in';

const natureOf = ({ kind, from, to }: Entry): Nature => {
  if (kind === 'fee') return 'fee';
  if (kind === 'spending' && to.kind === 'outside') return 'cost';
  return isOurs(from) ? 'out' : 'in';
};

const rowOf = (entry: Entry): Row => {
  const amount = amountOf(entry);
  const moved: [string, string] = [amount, entry.asset];
  return {
    sent: isOurs(entry.from) ? moved : ['', ''],
    received: isOurs(entry.from) ? ['', ''] : moved,
    worth: entry.asset === 'USDC' ? [amount, 'USD'] : ['', ''],
    nature: natureOf(entry),
    description: `${payeeOf(entry)}: ${purposeOf(entry)}`,
    transaction: entry.txSignature ?? '',
    entry,
  };
};

const swapped = ([amount, asset]: [string, string]): [string, string] => [asset, amount];

/** @param columns the header, letter by letter: some of these programs refuse a file for a changed one */
const format = (columns: string, fields: (row: Row) => string[]) => (): Writer => ({
  before: () => {},
  begin: () => `${columns}\r\n`,
  entry: (entry) => (isOurs(entry.from) === isOurs(entry.to) ? '' : csvLines([fields(rowOf(entry))])),
  end: () => '',
});

const koinlyLabel: Record<Nature, string> = { cost: 'cost', fee: 'cost', out: '', in: '' };

const koinly = format(
  'Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash',
  ({ entry, sent, received, worth, nature, description, transaction }) => [
    utcTime(entry.at),
    ...sent,
    ...received,
    '',
    '',
    ...worth,
    koinlyLabel[nature],
    description,
    transaction,
  ],
);

const coinledgerType: Record<Nature, string> = {
  cost: 'Merchant Payment',
  fee: 'Merchant Payment',
  out: 'Withdrawal',
  in: 'Deposit',
};

const coinledger = format(
  'Date (UTC),Platform (Optional),Asset Sent,Amount Sent,Asset Received,Amount Received,Fee Currency (Optional),Fee Amount (Optional),Type,Description (Optional),TxHash (Optional)',
  ({ entry, sent, received, nature, description, transaction }) => [
    usDate(utcTime(entry.at)),
    wallet,
    ...swapped(sent),
    ...swapped(received),
    '',
    '',
    coinledgerType[nature],
    description,
    transaction,
  ],
);

/** No tag of CoinTracker is for spending: it takes money that is sent without a tag for a payment. */
const cointracker = format(
  'Date,Received Quantity,Received Currency,Sent Quantity,Sent Currency,Fee Amount,Fee Currency,Tag',
  ({ entry, sent, received }) => [usDate(utcTime(entry.at)), ...received, ...sent, '', '', ''],
);

const cointrackingType: Record<Nature, string> = {
  cost: 'Spend',
  fee: 'Other Fee',
  out: 'Withdrawal',
  in: 'Deposit',
};

const cointracking = format(
  'Type,Buy,Cur.,Sell,Cur.,Fee,Cur.,Exchange,Group,Comment,Date,Tx-ID',
  ({ entry, sent, received, nature, description, transaction }) => [
    cointrackingType[nature],
    ...received,
    ...sent,
    '',
    '',
    wallet,
    '',
    description,
    utcTime(entry.at),
    transaction,
  ],
);

export const taxWriters: Record<
  'koinly' | 'coinledger' | 'cointracker' | 'cointracking',
  (book: Book) => Writer
> = { koinly, coinledger, cointracker, cointracking };
