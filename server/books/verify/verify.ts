// Verifies a statement line by line, in memory that does not grow with it: every byte of the file has to be that of a
// head, an entry or an anchor, and every span has to be what its anchor on the chain says.
import { createMerkleTree, type MerkleTree } from '../merkle.ts';
import { readAnchorMemo, type AnchorFacts } from './anchor-text.ts';
import { checkAnchorTransaction } from './anchor-transaction.ts';
import { fromBase58 } from './base58.ts';
import { Disproved, NotVerifiable } from './fault.ts';
import { linesOf } from './lines.ts';
import type { AskRpc } from './rpc.ts';
import {
  isAnchorLine,
  readAnchorLine,
  readEntryTime,
  readHead,
  type AnchorLine,
  type StatementHead,
} from './statement-lines.ts';

/** A span that is what its anchor says. */
export interface Proved {
  from: number;
  to: number;
  entries: number;
  /** The time of the anchor's block, in Unix milliseconds. */
  at: number;
}

export interface Verdict {
  head: StatementHead;
  /** In their order. Only where there are no faults, they follow one another. */
  proved: Proved[];
  /** Sentences; none: the statement is complete and unaltered. */
  faults: string[];
}

/** More are only counted. */
const mostFaults = 20;

export interface Reader {
  /** The address whose anchors the reader trusts. */
  signer: string;
  ask: AskRpc;
}

interface Reading {
  signer: Buffer;
  ask: AskRpc;
  verdict: Verdict;
  further: number;
  line: number;
  span: Span;
  /** The anchor of the last span; null: none yet; undefined: it could not be read. */
  last: { facts: AnchorFacts; transaction: string } | null | undefined;
}

/** The lines since the last anchor. */
interface Span {
  tree: MerkleTree;
  firstAt: number;
  lastAt: number;
  faults: string[];
}

const emptySpan = (): Span => ({
  tree: createMerkleTree(),
  firstAt: Infinity,
  lastAt: -Infinity,
  faults: [],
});

/** @throws NotVerifiable when it is no statement, when the signer is no address, or when the RPC does not answer */
export const verifyStatement = async (
  file: AsyncIterable<Uint8Array>,
  { signer, ask }: Reader,
): Promise<Verdict> => {
  const key = fromBase58(signer, 32);
  if (key === null) throw new NotVerifiable('--signer: must be a Solana address (32 bytes in base58).');
  let reading: Reading | null = null;
  for await (const lines of linesOf(file))
    for (const { text, fault } of lines) {
      reading ??= await begin(text, { signer, ask }, key);
      if (reading.line > 1) await readLine(reading, text, fault);
      else if (fault !== null) addFault(reading, `line 1 ${fault}.`);
      reading.line += 1;
    }
  if (reading === null) throw notStatement();
  return end(reading);
};

const notStatement = (): NotVerifiable =>
  new NotVerifiable('This file is not a statement that can be verified: its first line is not that of one.');

const begin = async (text: string, { signer, ask }: Reader, key: Buffer): Promise<Reading> => {
  const head = readHead(text);
  if (head === null) throw notStatement();
  const verdict: Verdict = { head, proved: [], faults: [] };
  const reading: Reading = {
    signer: key,
    ask,
    verdict,
    further: 0,
    line: 1,
    span: emptySpan(),
    last: null,
  };
  if (head.signer !== signer) addFault(reading, `The statement is that of ${head.signer}, not of ${signer}.`);
  const genesis = await ask('getGenesisHash', []);
  if (genesis !== head.genesis)
    addFault(reading, 'The statement is of another chain than the one that the RPC shows.');
  return reading;
};

const addFault = (reading: Reading, sentence: string): void => {
  if (reading.verdict.faults.length < mostFaults) reading.verdict.faults.push(sentence);
  else reading.further += 1;
};

const readLine = async (reading: Reading, text: string, fault: string | null): Promise<void> => {
  const { span, line } = reading;
  if (fault !== null) addOnce(span, `line ${line} ${fault}`);
  if (isAnchorLine(text)) return readAnchor(reading, text);
  span.tree.add(text);
  const at = readEntryTime(text);
  if (at === null) return addOnce(span, `line ${line} is not the line of an entry`);
  if (at < span.lastAt) addOnce(span, `line ${line} is out of order`);
  span.firstAt = Math.min(span.firstAt, at);
  span.lastAt = Math.max(span.lastAt, at);
};

/** The first fault of a span is what the others follow from. */
const addOnce = ({ faults }: Span, fault: string): void => {
  if (faults.length === 0) faults.push(fault);
};

const readAnchor = async (reading: Reading, text: string): Promise<void> => {
  const { span, last } = reading;
  reading.span = emptySpan();
  const read = readAnchorLine(text);
  const facts = read === null ? null : readAnchorMemo(read.memo);
  if (read === null || facts === null) {
    reading.last = undefined;
    addFault(reading, `Line ${reading.line} is not the line of an anchor.`);
    return;
  }
  reading.last = { facts, transaction: read.transaction };
  const at = await checkSpan(reading, { span, facts, read, last });
  if (at !== null) reading.verdict.proved.push({ ...facts, at });
};

/** The time of the anchor's block; null when there is a fault. */
const checkSpan = async (
  reading: Reading,
  found: { span: Span; facts: AnchorFacts; read: AnchorLine; last: Reading['last'] },
): Promise<number | null> => {
  const { span, facts, read, last } = found;
  const faults = [...span.faults, ...chainFaults(facts, last), ...contentFaults(span, facts)];
  let at: number | null = null;
  // A span that contradicts itself costs the reader's RPC nothing.
  if (faults.length === 0)
    try {
      at = await checkAnchorTransaction(reading.ask, read, reading.signer);
      const before = reading.verdict.proved.at(-1)?.at ?? -Infinity;
      if (at < facts.to) faults.push('it was anchored before it had ended');
      if (at < before) faults.push('it was anchored before the span that it follows');
    } catch (error) {
      if (!(error instanceof Disproved)) throw error;
      faults.push(error.message);
    }
  if (faults.length === 0) return at;
  addFault(reading, `${spanText(facts)}: ${faults.join('; ')}.`);
  return null;
};

const chainFaults = (facts: AnchorFacts, last: Reading['last']): string[] => {
  const isFirst = facts.previous === null;
  if (isFirst !== (facts.from === 0))
    return [
      'its anchor contradicts itself: only the first begins at 0, and only it names no anchor before it',
    ];
  if (last === null || last === undefined) return [];
  const follows = facts.previous === last.transaction && facts.from === last.facts.to;
  return follows ? [] : ['it does not follow the span before it'];
};

const contentFaults = ({ tree, firstAt, lastAt }: Span, facts: AnchorFacts): string[] => {
  if (tree.count() !== facts.entries)
    return [`it holds ${tree.count()} entries, and ${facts.entries} were anchored`];
  if (tree.root() !== facts.root) return ['its entries are not those that were anchored'];
  const isWithin = tree.count() === 0 || (firstAt >= facts.from && lastAt < facts.to);
  return isWithin ? [] : ['it holds entries of another time'];
};

const end = (reading: Reading): Verdict => {
  const { verdict, span, last, further } = reading;
  const left = span.tree.count();
  if (left > 0)
    addFault(
      reading,
      `The ${left === 1 ? 'entry' : `${left} entries`} at the end ${left === 1 ? 'has' : 'have'} no anchor: nothing is proved about ${left === 1 ? 'it' : 'them'}.`,
    );
  if (last === null && left === 0) addFault(reading, 'The statement holds no anchor: nothing is proved.');
  if (further > 0) verdict.faults.push(`${further} further faults are not listed.`);
  return verdict;
};

const spanText = ({ from, to, zone }: AnchorFacts): string =>
  `From ${momentText(from)} to ${momentText(to)} (days of ${zone})`;

/** UTC; 0 is before everything. */
export const momentText = (at: number): string =>
  at === 0 ? 'the beginning' : new Date(at).toISOString().replace('.000Z', 'Z');
