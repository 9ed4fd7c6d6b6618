// Bank statements as CSV. It holds no comments: the carry and the fees in SOL are told in the documents.
import { fieldErrors } from '../../errors.ts';
import { csvLines } from '../../lib/csv.ts';
import { createBankDays } from './bank-days.ts';
import { usDate } from './dates.ts';
import type { Book, Writer } from './writer.ts';

export const quickbooks = (book: Book): Writer => {
  const days = createBankDays(book);
  const text = (lines: ReturnType<typeof days.end>): string =>
    csvLines(
      lines.map(({ day, payee, description, cents }) => [usDate(day), `${payee} (${description})`, cents]),
    );
  return {
    before: days.before,
    begin: () => 'Date,Description,Amount\r\n',
    entry: (entry) => text(days.add(entry)),
    end: () => text(days.end()),
  };
};

/** The most that Xero reads, its header counted. */
const xeroLines = 1000;

/**
 * Gives all of its text at the end, so that a file which is too long is refused before its first byte is sent.
 * `entry` and `end` throw `bad_request` for it.
 */
export const xero = (book: Book): Writer => {
  const days = createBankDays(book);
  let text = 'Date,Amount,Payee,Description,Reference\r\n';
  let count = 1;
  const add = (lines: ReturnType<typeof days.end>): void => {
    count += lines.length;
    if (count > xeroLines)
      throw fieldErrors({ to: `must be before ${lines.at(-1)?.day}: Xero takes ${xeroLines} lines a file` });
    text += csvLines(
      lines.map(({ day, cents, payee, description, id }) => [day, cents, payee, description, id]),
    );
  };
  return {
    before: days.before,
    begin: () => '',
    entry(entry) {
      add(days.add(entry));
      return '';
    },
    end() {
      add(days.end());
      return text;
    },
  };
};
