// Sales as sums, CSV, JSON and a journal of hledger.
import { csvLines } from '../lib/csv.ts';
import { refundMemo } from '../lib/solana/transfer-memo.ts';
import { formatUsdc, parseUsdc, usdc } from '../money.ts';
import type { Offers, Sale } from '../paywall/store/sales.ts';

export type By = 'route' | 'day';

/** Service and route, as far as they were named. */
const placeOf = ({ service, route }: Pick<Sale, 'service' | 'route'>): string =>
  [service, route].filter((one) => one !== null).join(' ') || '-';
const dayOf = (one: Sale | Offers): string => ('day' in one ? one.day : one.grantedAt.slice(0, 10));
const landedOf = ({ refund }: Sale) => (refund?.landed === true ? [refund] : []);
const sumOf = (amounts: readonly { amount: string }[]): string =>
  formatUsdc(usdc(amounts.reduce((sum, { amount }) => sum + (parseUsdc(amount) ?? 0n), 0n)));

/** A line for each route or day in the order of their names, one for all, and what stands above them. */
export const sumsOf = (by: By, sales: readonly Sale[], offers: readonly Offers[]): string[][] => {
  const nameOf = by === 'route' ? placeOf : dayOf;
  const [sold, offered] = [Map.groupBy(sales, nameOf), Map.groupBy(offers, nameOf)];
  const names = [...new Set([...sold.keys(), ...offered.keys()])].toSorted();
  return [
    [by, 'sales', 'USDC', 'refunds', 'refunded', '402s', 'paid'],
    ...names.map((name) => lineOf(name, sold.get(name) ?? [], offered.get(name) ?? [])),
    lineOf('all', sales, offers),
  ];
};

const lineOf = (name: string, sales: readonly Sale[], offers: readonly Offers[]): string[] => {
  const repaid = sales.flatMap(landedOf);
  const made = offers.reduce((sum, one) => sum + one.made, 0);
  const share = made > 0 ? [String(made), `${((100 * sales.length) / made).toFixed(1)} %`] : ['-', '-'];
  return [name, String(sales.length), sumOf(sales), String(repaid.length), sumOf(repaid), ...share];
};

export const asTable = (rows: readonly string[][]): string => {
  const widthOf = (at: number): number => Math.max(...rows.map((row) => row[at]?.length ?? 0));
  const padded = (row: string[]): string[] =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widthOf(at)) : cell.padStart(widthOf(at))));
  return rows.map((row) => `${padded(row).join('  ')}\n`).join('');
};

/** A line for each sale. */
export const salesAsCsv = (sales: readonly Sale[]): string => {
  const head = 'grantedAt,route,service,dialect,amount,payer,recipient,network,txSignature';
  const columns = head.split(',') as Exclude<keyof Sale, 'refund'>[];
  const lines = sales.map(({ refund, ...sale }) => [
    ...columns.map((name) => sale[name] ?? ''),
    ...(refund === null ? ['', '', ''] : [refund.txSignature, refund.amount, String(refund.landed)]),
  ]);
  return csvLines([[...columns, 'refundTxSignature', 'refundAmount', 'refundLanded'], ...lines]);
};

/** https://hledger.org/1.25/hledger.html#journal-format; its strict checks want each account declared. */
export const salesAsJournal = (sales: readonly Sale[]): string => {
  const entries = sales.map(entryOf).join('\n');
  const accounts = [...new Set(entries.match(/(?<=^ {4})\S.*?(?= {2})/gm))].toSorted();
  return `commodity 1000.000000 USDC\n${accounts.map((one) => `account ${one}\n`).join('')}\n${entries}`;
};

const entryOf = (sale: Sale): string => {
  const { txSignature, payer, amount, recipient, dialect } = sale;
  // A colon begins an account below, two spaces end its name, `;` begins a comment, and `|` ends the payee.
  const place = placeOf(sale)
    .replaceAll(/:(\w+)/g, '{$1}')
    .replaceAll(/[\s:;|]+/g, ' ')
    .trim();
  const wallet = `Assets:Wallet:${recipient ?? 'unknown'}`;
  return [
    `${dayOf(sale)} * ${payer} | ${place}  ; tx:${txSignature}, dialect:${dialect ?? 'unknown'}`,
    `    ${wallet}  ${amount} USDC\n    Income:Sales:${place}  -${amount} USDC`,
    ...landedOf(sale).flatMap((refund) => [
      `    ${wallet}  -${refund.amount} USDC  ; ${refundMemo(refund.txSignature)}`,
      `    Income:Refunds:${place}  ${refund.amount} USDC`,
    ]),
    '',
  ].join('\n');
};
