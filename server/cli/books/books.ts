// `treasury books`: a period as a file for an accounting program.
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { send } from '../../client/client.ts';
import { readEndpoint } from '../../client/endpoint.ts';
import {
  bookFormatNames,
  bookFormats,
  importingSentence,
  importingWords,
  type BookFormatName,
} from '../../contract/books/book-formats.ts';
import { addAnchor } from './anchor.ts';
import { periodEnd, periodStart } from '../arguments.ts';
import { addMonths } from './book-months.ts';
import { addRules } from './book-rules.ts';
import { Ending } from '../ending.ts';
import { piecesOf, writeNew, writeOver } from '../payments/new-file.ts';
import { asOwner, ownerToken } from '../session.ts';
import { momentIn, table } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

interface ExportOptions {
  format: BookFormatName;
  from?: string;
  to?: string;
  continue: boolean;
  gzip: boolean;
  out?: string;
  replace: boolean;
}

export const addBooks = (program: Command, terminal: () => Terminal): void => {
  const books = program
    .command('books')
    .description('files for accounting programs, the close of months, and the rules of accounts');
  books
    .command('export', { isDefault: true })
    .description('export a period for an accounting program (the word export may be left out)')
    .addOption(
      new Option('--format <format>', 'see: treasury books formats')
        .choices(bookFormatNames)
        .makeOptionMandatory(),
    )
    .option(
      '--from <time>',
      'first day, month or time, inclusive; days are those of your time zone',
      periodStart,
    )
    .option('--to <time>', 'last day, month or time, inclusive', periodEnd)
    .option('--continue', 'for a journal that holds the days before: no account is opened again', false)
    .option('--gzip', 'compress it', false)
    .option('--out <file>', 'write it to a new file instead of standard output')
    .option('--replace', 'replace the file of --out, once the new one is complete', false)
    .action((options: ExportOptions) => writeBooks(terminal(), options));
  books
    .command('formats')
    .description('list the formats, and what each is for')
    .action(() => showFormats(terminal()));
  addAnchor(books, terminal);
  addMonths(books, terminal);
  addRules(books, terminal);
};

const showFormats = (terminal: Terminal): void =>
  show(terminal, { formats: bookFormatNames.map((format) => ({ format, ...bookFormats[format] })) }, () =>
    table(
      terminal,
      ['FORMAT', 'A LINE FOR', 'PROGRAM', 'IMPORTED TWICE'],
      bookFormatNames.map((format) => {
        const { unit, importing, purpose } = bookFormats[format];
        return [
          format,
          unit === 'day' ? 'a day and payee' : 'each movement',
          purpose,
          importingWords[importing],
        ];
      }),
    ),
  );

const writeBooks = async (terminal: Terminal, options: ExportOptions): Promise<void> => {
  const { out, replace, format, continue: continues, gzip, ...period } = options;
  if (terminal.json && out === undefined)
    throw new Ending('usage', 'With --json, use --out: the file itself is not JSON.');
  if (replace && out === undefined) throw new Ending('usage', 'With --replace, name the file: --out FILE.');
  const exportId = randomUUID();
  const query = { format, ...period, continues: `${continues}`, gzip: `${gzip}`, exportId } as const;
  const stop = out === undefined ? () => {} : follow(terminal, exportId);
  const asked = send(readEndpoint(terminal.dataDir), ownerToken(terminal), 'books', { query });
  const response = await asked.catch((error: unknown) => {
    stop();
    throw error;
  });
  const pieces = piecesOf(response, 'the file');
  if (out === undefined) {
    for await (const piece of pieces) terminal.io.out(piece);
    return;
  }
  const file = resolve(out);
  const told = (name: string): string => response.headers.get(`X-Books-${name}`) ?? '';
  const writing = replace
    ? writeOver(file, 'The file', pieces)
    : writeNew(file, 'The file', pieces, 'Name another file, or replace it with --replace.');
  await writing.finally(stop);
  const written = { file, format, zone: told('Zone'), from: told('From'), to: told('To') };
  show(terminal, written, () => wordsOf(written));
};

interface Written {
  file: string;
  format: BookFormatName;
  zone: string;
  from: string;
  to: string;
}

const wordsOf = ({ file, format, zone, from, to }: Written): string[] => {
  const { unit } = bookFormats[format];
  const [first, end] = [momentIn(zone, from), momentIn(zone, to)];
  return [
    `Written to ${file}: from ${first} up to ${end}, by the clock of ${zone}.`,
    ...(unit === 'day'
      ? [`These are whole days that are final, in cents. Begin the next file at ${end}.`]
      : []),
    importingSentence(format),
  ];
};

const everyMs = 500;

/** Says in percent how far it is, where somebody watches. Returns the function that ends it. */
const follow = (terminal: Terminal, exportId: string): (() => void) => {
  const { io, json } = terminal;
  if (io.ask === null || json) return () => {};
  const owner = asOwner(terminal);
  let isOver = false;
  let said = '';
  let timer = setTimeout(look, everyMs);
  async function look(): Promise<void> {
    const progress = await owner.ask('bookProgress', { params: { exportId } }).catch(() => null);
    if (isOver) return;
    if (progress?.isUnderWay === true && progress.rows > 0) {
      said = `${Math.floor((100 * progress.read) / progress.rows)} %`;
      io.err(`\r${said}`);
    }
    timer = setTimeout(look, everyMs);
  }
  return () => {
    isOver = true;
    clearTimeout(timer);
    if (said !== '') io.err(`\r${' '.repeat(said.length)}\r`);
  };
};
