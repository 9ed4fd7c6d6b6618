// A statement of all movements in a period, oldest last, made row by row so that any size streams.
import type { Context } from './context.ts';
import type { Transfer } from './ports.ts';
import { txSignatureOf } from './tx-signature.ts';
import { amountOf, iso, statusOf } from './views.ts';

const columns = [
  'timestamp',
  'id',
  'kind',
  'agentId',
  'service',
  'amount',
  'currency',
  'status',
  'txSignature',
  'payee',
  'description',
] as const;
type Line = Record<(typeof columns)[number], string>;

export interface Period {
  format: 'csv' | 'json';
  /** ISO dates or times, both inclusive; a bare date is the whole day in UTC. */
  from: string | undefined;
  to: string | undefined;
}

/** The period in Unix milliseconds, both ends inclusive. */
export const periodOf = ({ from, to }: { from?: string | undefined; to?: string | undefined }) => ({
  ...(from === undefined ? {} : { from: Date.parse(from) }),
  ...(to === undefined ? {} : { to: Date.parse(to) + (to.includes('T') ? 0 : 86_399_999) }),
});

/** Chunks of text. */
export function* statement(
  { store }: Pick<Context, 'store'>,
  { format, ...period }: Period,
): IterableIterator<string> {
  if (format === 'csv') yield `${columns.join(',')}\r\n`;
  else yield '{"transfers":[';
  let first = true;
  for (const transfer of store.transfers.iterate(periodOf(period))) {
    const line = lineOf(transfer);
    if (format === 'csv') yield `${columns.map((column) => csvField(line[column])).join(',')}\r\n`;
    else yield `${first ? '' : ','}\n${JSON.stringify(line)}`;
    first = false;
  }
  if (format === 'json') yield '\n]}\n';
}

const lineOf = (transfer: Transfer): Line => ({
  timestamp: iso(transfer.createdAt),
  id: transfer.id,
  kind: transfer.kind,
  agentId: transfer.agentId ?? '',
  service: transfer.serviceName,
  amount: amountOf(transfer),
  currency: transfer.asset,
  status: statusOf(transfer),
  txSignature: txSignatureOf(transfer) ?? '',
  payee: transfer.payee,
  description: transfer.description,
});

/** RFC 4180; a leading = + - @ would make a spreadsheet run an agent's text as a formula. */
const csvField = (text: string): string => {
  const inert = /^[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
};
