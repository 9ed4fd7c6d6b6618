// Bugs of the records of SOL, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

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
