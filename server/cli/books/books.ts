// `treasury books`: a period as a file for an accounting program.
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import {
  bookFormatNames,
  bookFormats,
  holdsModels,
  importingSentence,
  importingWords,
  modelsSentence,
  type BookFormatName,
} from '../../contract/books/book-formats.ts';
import { anchorCommands } from './anchor.ts';
import { periodOptions } from '../arguments.ts';
import { monthCommands } from './book-months.ts';
import { addRules } from './book-rules.ts';
import { modelBookCommands } from './model-books.ts';
import { command, commandGroup, ownerCommand } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { piecesOf, printAll, writeNew, writeOver } from '../payments/new-file.ts';
import { asOwner, documentFor } from '../session.ts';
import { facts, listing, momentIn } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';
import { readFileSync } from 'node:fs';
import { enterSales, salesFacts, salesFile, salesIn } from '../../contract/books/sales.ts';

/** @throws Ending for a file that cannot be read, or a line that is no sale */
const read = (file: string): ReturnType<typeof salesIn> => {
  let text;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new Ending('usage', `${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  try {
    return salesIn(text, file);
  } catch (error) {
    throw new Ending('usage', (error as Error).message);
  }
};

/** `treasury books sales`: a seller's records, by which the books tell sales from other deposits. */
const salesCommand = ownerCommand('sales <file>', {
  about: 'enter the sales of a seller that is paid into your wallets; again: adds what is new',
  examples: ['treasury books sales sales.jsonl'],
  arguments: { file: [`written by: ${salesFile}; or - for standard input`] },
  ask: (owner, { file }) => enterSales(read(file), (sales) => owner.ask('addBookSales', { body: { sales } })),
  show: (entered) => facts(salesFacts(entered)),
});

export const addBooks = commandGroup(
  'books',
  'files for accounting programs, the close of months, and the rules of accounts',
  [
    command('export', {
      isDefault: true,
      about: 'export a period for an accounting program (the word export may be left out)',
      examples: [
        'treasury books --format hledger --out books-hledger.journal --replace',
        'treasury books --format ofx --from 2030-01-01 --to 2030-01-31 --out january.ofx',
        'treasury books --format spreadsheet --gzip --out books.csv.gz',
      ],
      options: {
        format: { needed: ['format', 'see: treasury books formats', bookFormatNames] },
        ...periodOptions,
        continue: 'for a journal that holds the days before: no account is opened again',
        gzip: 'compress it',
        out: ['file', 'write it to a new file instead of standard output'],
        replace: 'replace the file of --out, once the new one is complete',
      },
      async run(terminal, { out, replace, format, continue: continues, gzip, ...period }) {
        if (terminal.json && out === undefined)
          throw new Ending('usage', 'With --json, use --out: the file itself is not JSON.');
        if (replace && out === undefined)
          throw new Ending('usage', 'With --replace, name the file: --out FILE.');
        const exportId = randomUUID();
        const query = { format, ...period, continues: `${continues}`, gzip: `${gzip}`, exportId } as const;
        const stop = out === undefined ? () => {} : follow(terminal, exportId);
        const response = await documentFor(terminal, 'books', query).catch((error: unknown) => {
          stop();
          throw error;
        });
        const pieces = piecesOf(response, 'the file');
        if (out === undefined) return printAll(terminal, pieces);
        const file = resolve(out);
        const headerOf = (name: string): string => response.headers.get(`X-Books-${name}`) ?? '';
        const writing = replace
          ? writeOver(file, 'The file', pieces)
          : writeNew(file, 'The file', pieces, 'Name another file, or replace it with --replace.');
        await writing.finally(stop);
        const written = { file, format, zone: headerOf('Zone'), from: headerOf('From'), to: headerOf('To') };
        show(terminal, written, () => wordsOf(written));
      },
    }),
    command('formats', {
      about: 'list the formats, and what each is for',
      examples: ['treasury books formats'],
      run(terminal) {
        const formats = bookFormatNames.map((format) => ({ format, ...bookFormats[format] }));
        show(terminal, { formats }, () =>
          listing(terminal, formats, null, {
            FORMAT: 'format',
            'A LINE FOR': ({ unit }) => (unit === 'day' ? 'a day and payee' : 'each movement'),
            PROGRAM: 'purpose',
            'MODEL TOKENS': ({ format }) => (holdsModels(format) ? 'by day' : 'left out'),
            'IMPORTED TWICE': ({ importing }) => importingWords[importing],
          }),
        );
      },
    }),
    ...anchorCommands,
    ...monthCommands,
    ...modelBookCommands,
    salesCommand,
    addRules,
  ],
);

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
    modelsSentence(format),
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
      said = `${Math.floor((100 * progress.read) / progress.rows)}%`;
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
