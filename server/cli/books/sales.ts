// `treasury books sales`: a seller's records, by which the books tell sales from other deposits.
import { readFileSync } from 'node:fs';
import { enterSales, salesFacts, salesFile, salesIn } from '../../contract/books/sales.ts';
import { ownerCommand } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { facts } from '../table.ts';

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

export const salesCommand = ownerCommand('sales <file>', {
  about: 'enter the sales of a seller that is paid into your wallets; again: adds what is new',
  examples: ['treasury books sales sales.jsonl'],
  arguments: { file: [`written by: ${salesFile}; or - for standard input`] },
  ask: (owner, { file }) => enterSales(read(file), (sales) => owner.ask('addBookSales', { body: { sales } })),
  show: (entered) => facts(salesFacts(entered)),
});
