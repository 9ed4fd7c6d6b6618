// Bank statements as CSV. It holds no comments: the documents state the carry and the fees in SOL.
import { fieldErrors } from '../../errors.ts';
import { csvLines } from '../../lib/csv.ts';
import { createBankDays, type BankLine } from './bank-days.ts';
import { usDate } from './dates.ts';
import type { Book, Writer } from './writer.ts';

/** The most that a program takes in one file, its header counted. */
interface Most {
  program: string;
  lines: number;
  bytes?: number;
}

/**
 * Gives all of its text at the end, so that a file which is too long is refused before its first byte is sent.
 * `entry` and `end` throw `bad_request` for it.
 */
const bounded =
  (most: Most, header: string, cells: (line: BankLine) => (string | bigint)[]) =>
  (book: Book): Writer => {
    const days = createBankDays(book);
    let text = `${header}\r\n`;
    let count = 1;
    let bytes = text.length;
    const add = (lines: readonly BankLine[]): void => {
      if (lines.length === 0) return;
      const more = csvLines(lines.map(cells));
      text += more;
      count += lines.length;
      bytes += Buffer.byteLength(more);
      if (count > most.lines || bytes > (most.bytes ?? Infinity))
        throw fieldErrors({ to: `must be before ${lines.at(-1)?.day}: ${takes(most)} a file` });
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

const takes = ({ program, lines, bytes }: Most): string =>
  `${program} takes ${lines} lines${bytes === undefined ? '' : ` and ${bytes / 1_000} KB`}`;

/** Intuit asks for descriptions without numbers: ours has none of its own. */
export const quickbooks = bounded(
  { program: 'QuickBooks Online', lines: 1000, bytes: 350_000 },
  'Date,Description,Amount',
  ({ day, payee, kind, cents }) => [usDate(day), `${payee} (${kind})`, cents],
);

export const xero = bounded(
  { program: 'Xero', lines: 1000 },
  'Date,Amount,Payee,Description,Reference',
  ({ day, cents, payee, description, id }) => [day, cents, payee, description, id],
);
