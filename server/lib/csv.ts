// CSV for spreadsheets and accounting programs, as RFC 4180 has it.
import { stringify, type Options } from 'csv-stringify/sync';
import { formatCents } from '../money.ts';

/** A bigint is cents of a dollar: a number, which may be below zero. Text may be anybody's. */
export type CsvField = string | bigint;

/** Each line with its end. */
export const csvLines = (lines: readonly (readonly CsvField[])[]): string =>
  lines.map((line) => `${line.map(fieldText).join(',')}\r\n`).join('');

/**
 * Most fields are like this: no formula, and nothing to quote. The library is asked about all others, since it takes longer
 * than the rest of a line.
 */
const harmless = /^(?:\w[^",\r\n]*)?$/;

const fieldText = (field: CsvField): string =>
  typeof field === 'string' && harmless.test(field) ? field : stringify([[field]], options);

const options: Options = {
  record_delimiter: '\r\n',
  eof: false,
  // A lone line break is quoted too.
  quote_record_delimiter: true,
  // A leading = + - @ would make a spreadsheet run an agent's text as a formula.
  escape_formulas: true,
  cast: { bigint: formatCents },
};
