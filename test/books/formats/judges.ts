// The programs that the files are for, as judges of them: each says which accounts and transactions it reads.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingTools } from '../../../build/setup.ts';
import { readCsv, readSums, type Sums } from './files.ts';

export const run = (program: string, args: string[], cwd?: string): string =>
  execFileSync(program, args, {
    encoding: 'utf8',
    cwd,
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

export const isMissing = (...names: Parameters<typeof missingTools>): boolean =>
  missingTools(...names).length > 0;

/** The title, with the reason where a judge is missing. */
export const judgedBy = (title: string, ...names: Parameters<typeof missingTools>): string =>
  isMissing(...names) ? `${title} (skipped, missing: ${missingTools(...names).join(', ')})` : title;

export const fileIn = (folder: string, name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};

export interface Judge {
  tool: Parameters<typeof missingTools>[0];
  format: 'hledger' | 'ledger' | 'beancount';
  /** Throws where the file is no good, or an account does not hold what the file says. */
  check(file: string): void;
  balances(file: string): Sums;
  /** Of all transactions, in the order of the file. */
  ids(file: string): string[];
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

export const judges: Judge[] = [
  {
    tool: 'hledger',
    format: 'hledger',
    check: (file) => void run('hledger', ['-f', file, 'check', '--strict', 'payees']),
    balances: (file) => {
      const rows = readCsv(
        run('hledger', ['-f', file, 'bal', '--flat', '-N', '-O', 'csv']).replaceAll('\n', '\r\n'),
      );
      return readSums(rows.slice(1).map(([account = '', balance = '']) => [account, balance]));
    },
    ids: (file) => lines(run('hledger', ['-f', file, 'codes'])),
  },
  {
    tool: 'ledger',
    format: 'ledger',
    check: (file) => void run('ledger', ['-f', file, 'bal']),
    balances: (file) => {
      const format = String.raw`%(account)\t%(join(scrub(display_total)))\n`;
      const rows = lines(
        run('ledger', ['-f', file, 'bal', '--flat', '--no-total', '--balance-format', format]),
      );
      return readSums(
        rows.map((row): [string, string] => {
          const [account = '', balance = ''] = row.split('\t');
          return [account, balance.replaceAll('\\n', ',')];
        }),
      );
    },
    ids: (file) => {
      const codes = lines(run('ledger', ['-f', file, 'reg', '--empty', '--format', String.raw`%(code)\n`]));
      return codes.filter((code, index) => code !== codes[index - 1]);
    },
  },
  {
    tool: 'bean-check',
    format: 'beancount',
    check: (file) => void run('bean-check', ['-C', file]),
    balances: (file) => {
      // As text: by itself, it rounds to the digits that most amounts of the file have.
      const query = 'select account, currency, str(sum(number)) as sum group by account, currency';
      const rows = lines(run('bean-query', ['-f', 'csv', file, query])).slice(1);
      return readSums(
        rows.map((row): [string, string] => {
          const [account = '', asset = '', sum = ''] = row.split(',').map((cell) => cell.trim());
          return [account, `${/'(.*)'/.exec(sum)?.[1]} ${asset}`];
        }),
      );
    },
    ids: (file) => {
      const rows = lines(
        run('bean-query', ['-f', 'csv', file, "select entry_meta('id') as i, lineno"]).replaceAll('\r', ''),
      );
      const ids = rows.slice(1).map((row) => row.split(',')[0]?.trim() ?? '');
      return ids.filter((id, index) => id !== ids[index - 1]);
    },
  },
];

export interface OfxLine {
  id: string;
  amount: string;
  name: string;
  type: string;
  day: string;
}

const field = (block: string, name: string): string =>
  new RegExp(String.raw`^\s*${name}: (.*)$`, 'm').exec(block)?.[1]?.trim() ?? '';

/** The reading of libofx. */
export const readOfx = (file: string): { balance: string; lines: OfxLine[] } => {
  const text = run('ofxdump', [file]);
  const blocks = text.split('ofx_proc_transaction():').slice(1);
  return {
    balance: field(text, 'Ledger balance'),
    lines: blocks.map((block) => ({
      id: field(block, "Financial institution's ID for this transaction"),
      amount: field(block, 'Total money amount'),
      name: field(block, 'Name of payee or transaction description'),
      type: field(block, 'Transaction type'),
      day: field(block, 'Date posted'),
    })),
  };
};
