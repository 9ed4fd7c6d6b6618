// `treasury books`: the owner's bookkeeping.
import type { Command } from 'commander';
import { addAnchor } from './anchor.ts';
import type { Terminal } from './terminal.ts';

export const addBooks = (program: Command, terminal: () => Terminal): void => {
  const books = program
    .command('books')
    .description('bookkeeping: files for accounting programs, and proofs');
  addAnchor(books, terminal);
};
