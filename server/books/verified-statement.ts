// The statement that `treasury verify` proves: the entries of whole anchored spans, each with its anchor.
import type { EngineContext } from '../engine/calls/call.ts';
import type { Span } from '../engine/ports.ts';
import { memoOf } from '../lib/solana/transfer-memo.ts';
import { anchoredIn, type Anchored } from './anchors.ts';
import { lineOf } from './line.ts';
import { createMerkleTree } from './merkle.ts';
import { entriesIn } from './pass.ts';
import { anchorLine, headLine, type StatementHead } from './verify/statement-lines.ts';

type Books = Pick<EngineContext, 'store' | 'log'>;

/** Entries of one piece, which takes about a millisecond. */
const entriesPerPiece = 50;

/** The text in pieces, in memory that does not grow with the entries. @param period every span that touches it */
export function* verifiedStatement(
  context: Books,
  head: StatementHead,
  period: Span,
): IterableIterator<string> {
  yield `${headLine(head)}\n`;
  for (const anchored of anchoredIn(context, period)) yield* spanPieces(context, anchored);
}

function* spanPieces({ store, log }: Books, { row, facts, transaction }: Anchored): IterableIterator<string> {
  const tree = createMerkleTree();
  let text = '';
  for (const entry of entriesIn(store, facts)) {
    const line = lineOf(entry);
    tree.add(line);
    text += `${line}\n`;
    if (tree.count() % entriesPerPiece !== 0) continue;
    yield text;
    text = '';
  }
  // The reader learns the truth either way: the verification fails for this span.
  if (tree.root() !== facts.root)
    log.warn({ anchor: row.id }, 'the entries of a span are no longer those that were anchored');
  yield `${text}${anchorLine({ memo: memoOf(row), transaction })}\n`;
}
