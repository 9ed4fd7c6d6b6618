// Bugs of the books: of their entries, their rules, the carry of cents, the close of a month, and the records of SOL.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const entry = 'server/books/entry.ts';
const entries = 'test/books/entries.test.ts';
const closing = 'test/books/close.test.ts';
const compareChain = 'server/books/compare-chain.ts';

export const bugsOfMonths: readonly (Bug & TestTrial)[] = [
  {
    name: 'month01: the further recipients of a split are forgotten',
    edits: one(entry, '...splits];', '...splits.slice(0, 0)];'),
    file: entries,
    title: 'an entry for each part of a split',
  },
  {
    name: 'month02: a payment that failed is booked as spent',
    edits: one(entry, 'const movesNothing = row.isFailed ||', 'const movesNothing ='),
    file: entries,
    title: 'the fee alone where it failed',
  },
  {
    name: 'month03: a charge for a picture leaves the owner',
    edits: one(
      entry,
      `if (kind === 'charge' || kind === 'refund') return kind;`,
      `if (kind === 'refund') return kind;`,
    ),
    file: entries,
    title: 'a charge, which stays with the owner',
  },
  {
    name: 'month04: a page forgets the rest of its last second',
    edits: one('server/store/books.ts', ' OR transfer.seq > @seq)', ' AND transfer.seq > @seq OR @seq = 0)'),
    file: entries,
    title: 'thousands of one second',
  },
  {
    name: 'month05: the balance on the chain is not compared',
    edits: one(compareChain, 'if (onChain !== held)', 'if (onChain < 0n)'),
    file: closing,
    title: 'names what the chain shows otherwise',
  },
  {
    name: 'month06: a transaction that no row explains is passed over',
    edits: one(compareChain, 'else if (move.change !== 0n)', 'else if (move.change === 0n)'),
    file: closing,
    title: 'names what the chain shows otherwise',
  },
  {
    name: 'month07: a row whose transaction the chain does not show is passed over',
    edits: one(compareChain, 'if (expected !== matched)', 'if (expected < matched)'),
    file: closing,
    title: 'names what the chain shows otherwise',
  },
  {
    name: 'month08: a month is closed while it runs',
    edits: one('server/books/close.ts', 'if (waiting.length > 0)', 'if (waiting.length > 9)'),
    file: closing,
    title: 'that runs is not closed',
  },
  {
    name: 'month09: a closed month may change unseen',
    edits: one(
      'server/books/changed-months.ts',
      'lines === closed.entries && root === closed.root',
      'lines > 0',
    ),
    file: closing,
    title: 'is shouted about',
  },
  {
    name: 'month10: the last rule that matches decides',
    edits: one('server/books/rules.ts', 'rules.find(', 'rules.findLast('),
    file: 'test/http/books.test.ts',
    title: 'are tried in their order',
  },
  {
    name: 'month11: what is left of a cent is lost',
    edits: one(
      'server/books/formats/bank-days.ts',
      'micros += group.sum;',
      'micros += centsIn(group.sum) * microsPerCent;',
    ),
    file: 'test/books/formats/read-by-programs.test.ts',
    title: 'of QuickBooks is within a cent of the chain',
  },
];

const deposits = 'server/books/sol-deposits.ts';
const comparison = 'server/books/compare-sol.ts';
const beginning = 'server/books/sol-beginning.ts';
const file = 'test/books/sol.test.ts';
const whole = 'has in its books the SOL that it has on the chain';
const upgraded = 'keeps its closed month';

export const bugsOfSol: readonly (Bug & TestTrial)[] = [
  {
    name: 'sol01: dust is no deposit',
    edits: one(deposits, 'move.failed || change <= 0n', 'move.failed || change < noticeFrom'),
    file,
    title: whole,
  },
  {
    name: 'sol02: rent that was not taken stays in the books',
    edits: one(deposits, 'row === undefined || row.rentLamports > 0n', 'row === undefined'),
    file,
    title: whole,
  },
  {
    name: 'sol03: the records begin above a row that is open',
    edits: one(beginning, 'lines.slice(0, lines.findLastIndex(isUnbooked) + 1)', 'lines.slice(0, 0)'),
    file,
    title: 'begins below a row that is still open',
  },
  {
    name: 'sol04: the close compares no balance of SOL',
    edits: one(comparison, 'onChain === reading.held', 'onChain >= 0n'),
    file,
    title: 'differs when the RPC hides',
  },
  {
    name: 'sol05: months before the opening are compared too',
    edits: one(comparison, 'since === null || span.from < since', 'since === null'),
    file,
    title: upgraded,
  },
  {
    name: 'sol06: the opening is dated at the beginning of all records',
    edits: one(beginning, 'openSol({ at: time.now(),', 'openSol({ at: store.books.firstAt() ?? 0,'),
    file,
    title: upgraded,
  },
  {
    name: 'sol07: a fee counts in the month in which its failure was seen',
    edits: one(comparison, 'row.endedAt < to !== isInside', 'false'),
    file,
    title: 'closes, though the fee is in the books of the next',
  },
];
