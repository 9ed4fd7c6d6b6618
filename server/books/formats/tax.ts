// Programs for tax returns. To them, the wallets of the treasury and of all agents are one: what goes from one of these
// to another is not in the file.
import { csvLines } from '../../lib/csv.ts';
import { isOurs, rowIdOf, type Entry } from '../entry.ts';
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
  /** Fee and rent of the transaction, in SOL, on the first line that it made. */
  fee: [string, string];
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
    fee: ['', ''],
    nature: natureOf(entry),
    description: `${payeeOf(entry)}: ${purposeOf(entry)}`,
    transaction: entry.txSignature ?? '',
    entry,
  };
};

const swapped = ([amount, asset]: [string, string]): [string, string] => [asset, amount];

/**
 * A payment and its costs are one line: such programs charge by the transaction, and have columns for its fee. The costs of
 * a transfer between own wallets have lines of their own.
 * @param columns the header, letter by letter: some of these programs refuse a file for a changed one
 */
const format = (columns: string, fields: (row: Row) => string[]) => (): Writer => {
  /** The lines of one transfer, whose costs come next. */
  let lines: Row[] = [];
  let costs = 0n;
  const flush = (): string => {
    const [first, ...others] = lines;
    if (first === undefined) return '';
    const fee: Row['fee'] = costs === 0n ? ['', ''] : [amountOf({ asset: 'SOL', amount: costs }), 'SOL'];
    [lines, costs] = [[], 0n];
    return csvLines([{ ...first, fee }, ...others].map(fields));
  };
  return {
    before: () => {},
    begin: () => `${columns}\r\n`,
    entry(entry) {
      if (isOurs(entry.from) === isOurs(entry.to)) return flush();
      const row = rowOf(entry);
      const [first] = lines;
      const goesOn = first !== undefined && first.nature !== 'fee' && rowIdOf(first.entry) === rowIdOf(entry);
      const text = goesOn ? '' : flush();
      if (goesOn && row.nature === 'fee') costs += entry.amount;
      else lines.push(row);
      return text;
    },
    end: flush,
  };
};

const koinlyLabel: Record<Nature, string> = { cost: 'cost', fee: 'cost', out: '', in: '' };

const koinly = format(
  'Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash',
  ({ entry, sent, received, fee, worth, nature, description, transaction }) => [
    utcTime(entry.at),
    ...sent,
    ...received,
    ...fee,
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
  ({ entry, sent, received, fee, nature, description, transaction }) => [
    usDate(utcTime(entry.at)),
    wallet,
    ...swapped(sent),
    ...swapped(received),
    ...swapped(fee),
    coinledgerType[nature],
    description,
    transaction,
  ],
);

/** No tag of CoinTracker is for spending: it takes money that is sent without a tag for a payment. */
const cointracker = format(
  'Date,Received Quantity,Received Currency,Sent Quantity,Sent Currency,Fee Amount,Fee Currency,Tag',
  ({ entry, sent, received, fee }) => [usDate(utcTime(entry.at)), ...received, ...sent, ...fee, ''],
);

const cointrackingType: Record<Nature, string> = {
  cost: 'Spend',
  fee: 'Other Fee',
  out: 'Withdrawal',
  in: 'Deposit',
};

const cointracking = format(
  'Type,Buy,Cur.,Sell,Cur.,Fee,Cur.,Exchange,Group,Comment,Date,Tx-ID',
  ({ entry, sent, received, fee, nature, description, transaction }) => [
    cointrackingType[nature],
    ...received,
    ...sent,
    ...fee,
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
