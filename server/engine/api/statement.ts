// A statement of all transfers in a period, newest first, made row by row so that any size streams.
import { becameOf } from '../../contract/payments/outcomes.ts';
import { csvLines } from '../../lib/csv.ts';
import { payeesOf } from '../domain/purchase.ts';
import type { Context } from '../payment/context.ts';
import type { Transfer } from '../ports.ts';
import { txSignatureOf } from '../payment/machine/tx-signature.ts';
import { amountOf } from '../domain/transfer.ts';
import { activityView, groupNames, iso } from '../calls/views.ts';
import { zoneNamed } from '../calls/zone.ts';
import { statusOf } from '../domain/states.ts';
import { queryOf, type Filter } from './filter.ts';

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
  'reason',
  'group',
  'outcome',
] as const;
type Line = Record<(typeof columns)[number], string>;

export interface Period extends Omit<Filter, 'q'> {
  format: 'csv' | 'json';
}

/** A chunk takes about a millisecond; between two chunks, the caller lets payments go first. */
const linesPerChunk = 50;

/** Chunks of text, in constant memory. */
export function* statement(
  context: Pick<Context, 'store'>,
  { format, ...filter }: Period,
): IterableIterator<string> {
  const { store } = context;
  const nameOf = groupNames(store);
  const zone = JSON.stringify(zoneNamed(context, filter.zone));
  yield format === 'csv' ? csvLines([columns]) : `{"zone":${zone},"transfers":[`;
  let lines: Line[] = [];
  let separator = '';
  const chunk = (): string => {
    const text = format === 'csv' ? csvOf(lines) : `${separator}${jsonOf(lines)}`;
    separator = ',';
    lines = [];
    return text;
  };
  for (const transfer of store.transfers.iterate(queryOf(context, filter))) {
    lines.push(lineOf(transfer, nameOf));
    if (lines.length === linesPerChunk) yield chunk();
  }
  if (lines.length > 0) yield chunk();
  if (format === 'json') yield '\n]}\n';
}

const csvOf = (lines: readonly Line[]): string =>
  csvLines(lines.map((line) => columns.map((column) => line[column])));

const jsonOf = (lines: readonly Line[]): string => lines.map((line) => `\n${JSON.stringify(line)}`).join(',');

const lineOf = (transfer: Transfer, nameOf: (groupId: string | null) => string): Line => ({
  timestamp: iso(transfer.createdAt),
  id: transfer.id,
  kind: transfer.kind,
  agentId: transfer.agentId ?? '',
  service: transfer.serviceName,
  amount: amountOf(transfer),
  currency: transfer.asset,
  status: statusOf(transfer),
  txSignature: txSignatureOf(transfer) ?? '',
  // Of a payment that its seller split, each recipient.
  payee: payeesOf(transfer).join(' '),
  description: transfer.description,
  reason: transfer.reason ?? '',
  // The one that it was charged to, whichever the agent is in by now.
  group: nameOf(transfer.groupId),
  // As the dashboard and the command call it.
  outcome: becameOf(activityView(transfer)).label,
});
