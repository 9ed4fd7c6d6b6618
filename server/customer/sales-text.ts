// Sales as a table, CSV, JSON and a journal of hledger.
import { csvLines } from '../lib/csv.ts';
import { formatUsdc, usdc } from '../money.ts';
import type { Sale } from '../paywall/sales.ts';
import { placeOf, type By, type Group } from './sales-groups.ts';

const heads = ['sales', 'USDC', 'refunds', 'refunded', '402s', 'paid'] as const;

const cellsOf = ({ name, sales, amount, refunds, refunded, offers }: Group): string[] => [
  name,
  String(sales),
  formatUsdc(usdc(amount)),
  String(refunds),
  formatUsdc(usdc(refunded)),
  offers > 0 ? String(offers) : '-',
  offers > 0 ? `${((100 * sales) / offers).toFixed(1)} %` : '-',
];

export const groupsAsTable = (by: By, groups: readonly Group[], sales: readonly Sale[]): string => {
  const rows = [[by, ...heads], ...groups.map(cellsOf)];
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  '),
  );
  const open = sales.filter(({ refund }) => refund?.landed === false).length;
  if (open > 0)
    lines.push(`Refunds that were begun and not seen on the chain yet: ${open}. Call refund again for them.`);
  return `${lines.join('\n')}\n`;
};

export const groupsAsCsv = (by: By, groups: readonly Group[]): string =>
  csvLines([[by, ...heads], ...groups.map(cellsOf)]);

const columns = [
  'grantedAt',
  'route',
  'service',
  'dialect',
  'amount',
  'payer',
  'recipient',
  'network',
  'txSignature',
] as const satisfies readonly (keyof Sale)[];

export const salesAsCsv = (sales: readonly Sale[]): string =>
  csvLines([
    [...columns, 'refundTxSignature', 'refundAmount', 'refundLanded'],
    ...sales.map((sale) => [
      ...columns.map((name) => sale[name] ?? ''),
      sale.refund?.txSignature ?? '',
      sale.refund?.amount ?? '',
      sale.refund === null ? '' : String(sale.refund.landed),
    ]),
  ]);

export const salesAsJson = (sales: readonly Sale[]): string =>
  sales.map((sale) => `${JSON.stringify(sale)}\n`).join('');

/** https://hledger.org/1.25/hledger.html#journal-format */
export const salesAsJournal = (sales: readonly Sale[]): string => {
  const entries = sales.map(entryOf);
  const accounts = new Set(entries.flatMap(({ postings }) => postings.map(([account]) => account)));
  const payees = new Set(sales.map(({ payer }) => payer));
  const declared = [
    'commodity 1000.000000 USDC',
    ...[...accounts].toSorted().map((account) => `account ${account}`),
    ...[...payees].toSorted().map((payee) => `payee ${payee}`),
  ];
  const texts = entries.map(({ head, postings }) =>
    [head, ...postings.map(([account, amount]) => `    ${account}  ${amount} USDC`)].join('\n'),
  );
  return [declared.join('\n'), ...texts].map((part) => `${part}\n`).join('\n');
};

const entryOf = (sale: Sale): { head: string; postings: [string, string][] } => {
  const { grantedAt, txSignature, payer, amount, refund, dialect } = sale;
  const place = accountPart(placeOf(sale));
  const wallet = `Assets:Wallet:${sale.recipient ?? 'unknown'}`;
  const repaid = refund?.landed === true ? refund : null;
  const tags = [
    `tx:${txSignature}`,
    `dialect:${dialect ?? 'unknown'}`,
    ...(repaid === null ? [] : [`refund:${repaid.txSignature}`]),
  ];
  return {
    head: `${grantedAt.slice(0, 10)} * ${payer} | ${place}  ; ${tags.join(', ')}`,
    postings: [
      [wallet, amount],
      [`Income:Sales:${place}`, `-${amount}`],
      ...(repaid === null
        ? []
        : ([
            [wallet, `-${repaid.amount}`],
            [`Income:Refunds:${place}`, repaid.amount],
          ] as [string, string][])),
    ],
  };
};

/** A colon begins an account below, two spaces end its name, `;` begins a comment, and `|` ends the payee. */
const accountPart = (text: string): string =>
  text
    .replaceAll(/:(\w+)/g, '{$1}')
    .replaceAll(/[\s:;|]+/g, ' ')
    .trim();
