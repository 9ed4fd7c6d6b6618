// Every movement of money on a line, own transfers too, with all that is known of it.
import { csvLines } from '../../lib/csv.ts';
import { clockOf } from '../../lib/local-days.ts';
import { isOwnTransfer } from '../accounts.ts';
import { counterpartyOf, type Entry } from '../entry.ts';
import { amountOf } from '../line.ts';
import type { Classified } from '../rules.ts';
import { oncePerMoment, utcTime } from './dates.ts';
import { notOnChain, oneLine, placeName } from './names.ts';
import type { Book, Writer } from './writer.ts';

interface Line {
  entry: Entry;
  /** As in `2026-11-22 11:00:00+01:00`. */
  localTime: string;
  classified: Classified;
  /** Empty: none. */
  group: string;
}

const columns: Record<string, (line: Line) => string> = {
  id: ({ entry }) => entry.id,
  date: ({ localTime }) => localTime.slice(0, 10),
  time: ({ localTime }) => localTime.slice(11),
  utc: ({ entry }) => `${utcTime(entry.at)}Z`,
  kind: ({ entry }) => entry.kind,
  from: ({ entry }) => placeName(entry.from),
  to: ({ entry }) => placeName(entry.to),
  counterparty: ({ entry }) => oneLine(counterpartyOf(entry) ?? ''),
  agent: ({ entry }) => entry.agentId ?? '',
  group: ({ group }) => oneLine(group),
  service: ({ entry }) => oneLine(entry.serviceName),
  account: ({ entry, classified }) => (isOwnTransfer(entry) ? '' : classified.account),
  'cost centre': ({ classified }) => oneLine(classified.costCentre ?? ''),
  amount: ({ entry }) => amountOf(entry),
  asset: ({ entry }) => entry.asset,
  'value in USD': ({ entry }) => (entry.asset === 'USDC' ? amountOf(entry) : ''),
  transaction: ({ entry }) => entry.txSignature ?? (entry.kind === 'tokens' ? notOnChain : ''),
  description: ({ entry }) => oneLine(entry.description),
};
const cells = Object.values(columns);

export const spreadsheet = (book: Book): Writer => {
  const localTime = oncePerMoment(localTimes(book));
  const lineOf = (entry: Entry): Line => ({
    entry,
    localTime: localTime(entry.at),
    classified: book.classify(entry),
    group: entry.groupId === null ? '' : book.groupName(entry.groupId),
  });
  return {
    before: () => {},
    // Excel takes a file without a byte order mark for the system's old code page.
    begin: () => `\uFEFF${csvLines([Object.keys(columns)])}`,
    entry(entry) {
      const line = lineOf(entry);
      return csvLines([cells.map((cell) => cell(line))]);
    },
    end: () => '',
  };
};

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The zone's clock is slow to read: that is for days on which it changes. All others are as far from UTC as they begin. */
const localTimes = ({ zone, dayAt }: Book): ((at: number) => string) => {
  const clock = clockOf(zone);
  const offsetAt = (at: number): number => {
    const { name, from, to } = dayAt(at);
    if (to - from === dayMs) return Date.parse(`${name}T00:00:00Z`) - from;
    const { day, minute } = clock.placeAt(at);
    return day + minute * minuteMs - (at - (at % minuteMs));
  };
  return (at) => {
    const offset = offsetAt(at);
    const minutes = Math.abs(offset) / minuteMs;
    const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) =>
      String(part).padStart(2, '0'),
    );
    return `${utcTime(at + offset)}${offset < 0 ? '-' : '+'}${hour}:${minute}`;
  };
};
