// `agent-treasury-paywall sales FILE`: what was sold, for people, spreadsheets, programs and books.
import { csvLines } from '../lib/csv.ts';
import { readOffers, readSales } from '../paywall/store/sales.ts';
import { fileIn, readArguments, UsageError, type Command } from './command.ts';
import { asTable, salesAsCsv, salesAsJournal, sumsOf, type By } from './sales-text.ts';
import { withStoreFile } from './store-file.ts';

const usage = `Says what was sold, from a store of grants. The file is only read, also while its sellers run.

Usage: agent-treasury-paywall sales FILE [options]

  --from DAY         the first day, such as 2026-11-01; days are those of UTC
  --to DAY           the last day
  --by route|day     what is summed up (route)
  --format NAME      table; csv, with one line for each sale, or for each sum with --by; json, with one line for each sale;
                     or hledger (table)
  --without WALLET   leaves out what this wallet bought, such as one of yours; may be given several times

A refund is listed with its sale, and counts once it was seen on the chain. "paid" is the share of the 402s that led to a sale;
a seller that ends suddenly forgets the 402s of its last seconds.
`;

const text = { type: 'string' } as const;
const texts = { ...text, multiple: true } as const;
const formats = ['table', 'csv', 'json', 'hledger'] as const;
const bys = ['route', 'day'] as const;
const dayMs = 86_400_000;

const readCommand = (args: string[]) => {
  const options = {
    from: text,
    to: text,
    by: text,
    format: text,
    without: texts,
  } as const;
  const { values, positionals } = readArguments({ args, options });
  const file = fileIn('sales', positionals);
  const format = formats.find((one) => one === (values.format ?? 'table'));
  if (format === undefined) throw new UsageError(`--format must be ${formats.join(', ')}`);
  const by: By | undefined = bys.find((one) => one === values.by);
  if (by !== values.by) throw new UsageError('--by must be route or day');
  const to = timeOf('--to', values.to);
  const period = { from: timeOf('--from', values.from), to: to === undefined ? undefined : to + dayMs };
  return { file, format, by, period, without: new Set(values.without) };
};

const timeOf = (name: string, day: string | undefined): number | undefined => {
  if (day === undefined) return undefined;
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00.000Z`) : NaN;
  // A 31st of February is read as a day of March.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(day))
    throw new UsageError(`${name} must be a day such as 2026-11-01`);
  return at;
};

const run = (args: string[]): number => {
  process.stdout.write(saidOf(readCommand(args)));
  return 0;
};

const saidOf = (command: ReturnType<typeof readCommand>): string => {
  const { file, format, by, period, without } = command;
  const [all, offers] = withStoreFile(file, { readonly: true }, (database) => [
    [...readSales(database, period)],
    readOffers(database, period),
  ]);
  const sales = all.filter(({ payer }) => !without.has(payer));
  if (format === 'json') return sales.map((sale) => `${JSON.stringify(sale)}\n`).join('');
  if (format === 'hledger') return salesAsJournal(sales);
  if (format === 'csv' && by === undefined) return salesAsCsv(sales);
  // The 402s that the wallets paid which are left out are left out too.
  const own = all
    .filter(({ payer }) => without.has(payer))
    .map((sale) => ({ ...sale, day: sale.grantedAt.slice(0, 10), made: -1 }));
  const sums = sumsOf(by ?? 'route', sales, [...offers, ...own]);
  if (format === 'csv') return csvLines(sums);
  const open = sales.filter(({ refund }) => refund?.landed === false).length;
  return `${asTable(sums)}${open === 0 ? '' : `Not seen on the chain yet: ${open} of the refunds. Call refund again.\n`}`;
};

export const salesCommand = { usage, run } satisfies Command;
