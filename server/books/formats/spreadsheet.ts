// Every movement of money on a line, own transfers too, with all that is known of it.
import { csvLines } from '../../lib/csv.ts';
import { clockOf } from '../../lib/local-days.ts';
import { isOwnTransfer } from '../accounts.ts';
import { counterpartyOf, type Entry } from '../entry.ts';
import { amountOf } from '../line.ts';
import { utcTime } from './dates.ts';
import { oneLine, placeName } from './names.ts';
import type { Book, Writer } from './writer.ts';

const columns: Record<string, (entry: Entry, book: Book, clock: Clock) => string> = {
  id: ({ id }) => id,
  date: ({ at }, _, clock) => localTime(clock, at).slice(0, 10),
  time: ({ at }, _, clock) => localTime(clock, at).slice(11),
  utc: ({ at }) => `${utcTime(at)}Z`,
  kind: ({ kind }) => kind,
  from: ({ from }) => placeName(from),
  to: ({ to }) => placeName(to),
  counterparty: (entry) => oneLine(counterpartyOf(entry) ?? ''),
  agent: ({ agentId }) => agentId ?? '',
  group: ({ groupId }, book) => (groupId === null ? '' : oneLine(book.groupName(groupId))),
  service: ({ serviceName }) => oneLine(serviceName),
  account: (entry, book) => (isOwnTransfer(entry) ? '' : book.classify(entry).account),
  'cost centre': (entry, book) => oneLine(book.classify(entry).costCentre ?? ''),
  amount: amountOf,
  asset: ({ asset }) => asset,
  'value in USD': (entry) => (entry.asset === 'USDC' ? amountOf(entry) : ''),
  transaction: ({ txSignature }) => txSignature ?? '',
  description: ({ description }) => oneLine(description),
};
const cells = Object.values(columns);

type Clock = ReturnType<typeof clockOf>;

/** As in `2026-11-22 11:00:00+01:00`. */
const localTime = (clock: Clock, at: number): string => {
  const { day, minute } = clock.placeAt(at);
  const offset = (day - (at - (at % 60_000))) / 60_000 + minute;
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map(twoDigits);
  const local = utcTime(at + offset * 60_000);
  return `${local}${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
};

const twoDigits = (number: number): string => String(number).padStart(2, '0');

export const spreadsheet = (book: Book): Writer => {
  const clock = clockOf(book.zone);
  return {
    before: () => {},
    begin: () => csvLines([Object.keys(columns)]),
    entry: (entry) => csvLines([cells.map((cell) => cell(entry, book, clock))]),
    end: () => '',
  };
};
