// A statement of all transfers in a period, newest first, made row by row so that any size streams.
import { payeesOf } from '../domain/purchase.ts';
import type { Context } from '../payment/context.ts';
import type { Transfer } from '../ports.ts';
import { txSignatureOf } from '../payment/tx-signature.ts';
import { amountOf } from '../domain/transfer.ts';
import { iso } from '../calls/views.ts';
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
] as const;
type Line = Record<(typeof columns)[number], string>;

export interface Period extends Omit<Filter, 'q'> {
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

/** A chunk takes about a millisecond; between two chunks, the caller lets payments go first. */
const linesPerChunk = 50;

/** Chunks of text, in constant memory. */
export function* statement(
  { store }: Pick<Context, 'store'>,
  { format, from, to, ...filter }: Period,
): IterableIterator<string> {
  let chunk = format === 'csv' ? `${columns.join(',')}\r\n` : '{"transfers":[';
  let lines = 0;
  const nameOf = groupNames(store);
  for (const transfer of store.transfers.iterate({
    ...queryOf(filter),
    ...store.transfers.between(periodOf({ from, to })),
  })) {
    const line = lineOf(transfer, nameOf);
    if (format === 'csv') chunk += `${columns.map((column) => csvField(line[column])).join(',')}\r\n`;
    else chunk += `${lines === 0 ? '' : ','}\n${JSON.stringify(line)}`;
    lines += 1;
    if (lines % linesPerChunk !== 0) continue;
    yield chunk;
    chunk = '';
  }
  yield format === 'json' ? `${chunk}\n]}\n` : chunk;
}

/** Names a group as it is called now, archived or not; empty for none. */
const groupNames = ({ groups }: Pick<Context['store'], 'groups'>): ((id: string | null) => string) => {
  const names = new Map(groups.list().map(({ id, name }) => [id, name]));
  return (id) => (id === null ? '' : (names.get(id) ?? id));
};

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
});

/** RFC 4180; a leading = + - @ would make a spreadsheet run an agent's text as a formula. */
const csvField = (text: string): string => {
  const inert = /^[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
};
