// `agent-treasury-paywall sales FILE`: what was sold, for people, spreadsheets, programs and books.
import { readOffers, readSales, type Offers, type Sale } from '../paywall/sales.ts';
import { groupsOf, type By } from './sales-groups.ts';
import { groupsAsCsv, groupsAsTable, salesAsCsv, salesAsJson, salesAsJournal } from './sales-text.ts';
import { withStoreFile } from './store-file.ts';
import { readArguments, UsageError, type Command } from './command.ts';

const usage = `Says what was sold, from a store of grants. The file is only read, also while its sellers run.

Usage: agent-treasury-paywall sales FILE [options]

  --from DAY         the first day, such as 2026-11-01; days are those of UTC
  --to DAY           the last day
  --by route|day     what is summed up (route)
  --format NAME      table; csv, with one line for each sale, or for each sum with --by; json, with one line for each sale;
                     or hledger (table)
  --without WALLET   leaves out what this wallet bought, such as one of yours; may be said several times

A refund stands with its sale, and counts once it was seen on the chain. "paid" is the share of the 402s that led to a sale;
402s are counted since version 0.2, and a seller that ends suddenly forgets those of its last seconds.
`;

const text = { type: 'string' } as const;
const formats = ['table', 'csv', 'json', 'hledger'] as const;
const dayMs = 86_400_000;

const readCommand = (args: string[]) => {
  const { values, positionals } = readArguments({
    args,
    options: {
      from: text,
      to: text,
      by: text,
      format: text,
      without: { type: 'string', multiple: true },
    },
  });
  const [file] = positionals;
  if (file === undefined || positionals.length > 1)
    throw new UsageError('Say: agent-treasury-paywall sales FILE');
  const format = formats.find((one) => one === (values.format ?? 'table'));
  if (format === undefined) throw new UsageError(`--format must be ${formats.join(', ')}`);
  if (values.by !== undefined && values.by !== 'route' && values.by !== 'day')
    throw new UsageError('--by must be route or day');
  if (values.by !== undefined && (format === 'json' || format === 'hledger'))
    throw new UsageError(`--by is of no use with --format ${format}, which names each sale`);
  const by: By | null = values.by ?? null;
  const to = dayOf('--to', values.to);
  const period = { from: dayOf('--from', values.from), to: to === undefined ? undefined : to + dayMs };
  return { file, format, by, period, without: new Set(values.without) };
};

const dayOf = (name: string, given: string | undefined): number | undefined => {
  if (given === undefined) return undefined;
  const at = /^\d{4}-\d{2}-\d{2}$/.test(given) ? Date.parse(`${given}T00:00:00.000Z`) : NaN;
  if (Number.isNaN(at)) throw new UsageError(`${name} must be a day such as 2026-11-01`);
  return at;
};

const run = (args: string[]): number => {
  process.stdout.write(saidOf(readCommand(args)));
  return 0;
};

const saidOf = (command: ReturnType<typeof readCommand>): string => {
  const { file, format, by, period, without } = command;
  const all = withStoreFile(file, { readonly: true }, (database) => ({
    sales: [...readSales(database, period)],
    offers: readOffers(database, period),
  }));
  const sales = all.sales.filter(({ payer }) => !without.has(payer));
  if (format === 'json') return salesAsJson(sales);
  if (format === 'hledger') return salesAsJournal(sales);
  if (format === 'csv' && by === null) return salesAsCsv(sales);
  const groups = groupsOf(by ?? 'route', sales, othersIn(all, sales));
  return format === 'csv' ? groupsAsCsv(by ?? 'route', groups) : groupsAsTable(by ?? 'route', groups, sales);
};

/** The offers less those that the wallets that are left out paid. */
const othersIn = ({ sales, offers }: { sales: Sale[]; offers: Offers[] }, kept: Sale[]): Offers[] => {
  const isKept = new Set(kept);
  const own = sales.filter((sale) => !isKept.has(sale));
  return [
    ...offers,
    ...own.map(({ grantedAt, service, route }) => ({
      day: grantedAt.slice(0, 10),
      service,
      route,
      made: -1,
    })),
  ];
};

export const salesCommand = { usage, run } satisfies Command;
