// Anchors: once a day, what the books hold so far is written on the chain, as a memo that the treasury signs. Each anchor
// is an ordinary transfer through the machine, and covers the time since the one before it.
import { AppError } from '../errors.ts';
import type { EngineContext } from '../engine/calls/call.ts';
import { refuseWhenStopped } from '../engine/payment/context.ts';
import { openIntent, ownAsker } from '../engine/payment/decision/intent.ts';
import { txSignatureOf } from '../engine/payment/machine/tx-signature.ts';
import type { Intent, Span, Transfer } from '../engine/ports.ts';
import { repeat, type Repeated } from '../lib/repeat.ts';
import { lamports } from '../money.ts';
import { zoneOf } from './context.ts';
import { lookAtClosedMonths } from './changed-months.ts';
import { createDays } from '../lib/local-days.ts';
import { enterDirectDeposits } from './direct-deposits.ts';
import { finalUntil, waitsFor } from './final.ts';
import { lineOf } from './line.ts';
import { createMerkleTree, type MerkleTree } from './merkle.ts';
import { forEachEntry } from './pass.ts';
import { anchorText, readAnchorText, type AnchorFacts } from './verify/anchor-text.ts';

const lookMs = 60_000;
/** Each failure costs its fee. */
const restAfterFailureMs = 3_600_000;

export interface Anchors extends Repeated {
  /** Makes the next anchor if it is due. Never rejects. */
  look(): Promise<void>;
  /** Sentences about what has to happen before the next anchor is made; none: it will be in a minute. */
  waiting(): string[];
}

/** An anchor that landed for good. */
export interface Anchored {
  row: Transfer;
  facts: AnchorFacts;
  transaction: string;
}

type Books = Pick<EngineContext, 'store' | 'time' | 'funds'>;

export const createAnchors = (context: EngineContext): Anchors => {
  const { log } = context;
  const stopping = new AbortController();
  let looking: Promise<void> | null = null;
  let refusal: string | null = null;
  const failed = (error: unknown): void => {
    // A stop, a lock or a chain that does not answer: the next look tries again.
    if (error instanceof AppError) {
      log.debug({ err: error }, 'the books are not anchored now');
      refusal = error.message;
    } else {
      log.error({ err: error }, 'an anchor of the books failed inside');
      refusal = 'The last try failed inside: the log says more.';
    }
  };
  const look = (): Promise<void> => {
    looking ??= lookOnce(context, stopping.signal)
      .then(() => void (refusal = null), failed)
      .finally(() => (looking = null));
    return looking;
  };
  const { start, stop } = repeat(look, lookMs, failed);
  return {
    look,
    waiting() {
      const known = waitsForAnchor(context);
      return known.length > 0 || refusal === null ? known : [refusal];
    },
    start,
    async stop() {
      stopping.abort();
      await Promise.all([stop(), looking]);
    },
  };
};

/** @throws AppError when the anchor that is due is not made */
const lookOnce = async (context: EngineContext, signal: AbortSignal): Promise<void> => {
  const due = dueIn(context);
  if (due !== null) await makeAnchor(context, due, signal);
};

/** The span of the next anchor, and the anchor that it follows. */
interface Due {
  span: Span;
  zone: string;
  previous: string | null;
}

/** Null: none is due. @throws AppError as `refuseWhenStopped` does */
const dueIn = (context: EngineContext): Due | null => {
  if (!context.store.books.isAnchoring()) return null;
  refuseWhenStopped(context, { kind: 'anchor', agentId: null });
  if (underWay(context) !== null) return null;
  const { zone, from, previous } = nextAfter(context);
  const to = finalUntil(context, zone);
  return to > from ? { span: { from, to }, zone, previous } : null;
};

const nextAfter = (context: Books): { zone: string; from: number; previous: string | null } => {
  const last = lastAnchored(context);
  return {
    zone: zoneOf(context),
    from: last?.facts.to ?? 0,
    previous: last?.transaction ?? null,
  };
};

/** As far as the records tell. */
const waitsForAnchor = (context: EngineContext): string[] => {
  if (!context.store.books.isAnchoring()) return ['Anchoring is off.'];
  try {
    refuseWhenStopped(context, { kind: 'anchor', agentId: null });
  } catch (error) {
    if (error instanceof AppError) return [error.message];
    throw error;
  }
  const reason = underWay(context);
  if (reason !== null) return [reason];
  const { zone, from } = nextAfter(context);
  if (finalUntil(context, zone) > from) return [];
  const dayAt = createDays(zone);
  return waitsFor(context, from === 0 ? dayAt(context.time.now()).from : dayAt(from).to);
};

/** Why no further anchor may begin; null: one may. */
const underWay = ({ store, time }: Books): string | null => {
  if (store.transfers.open().some(({ kind }) => kind === 'anchor')) return 'The last anchor has to be final.';
  const [newest] = store.transfers.list({ kinds: ['anchor'], limit: 1 });
  const isRecent = time.now() - (newest?.endedAt ?? 0) < restAfterFailureMs;
  return newest?.state === 'failed' && isRecent
    ? 'The last anchor failed on the chain; the next is tried an hour after it.'
    : null;
};

const lastAnchored = ({ store }: Pick<Books, 'store'>): Anchored | null => {
  const [row] = store.transfers.list({ kinds: ['anchor'], states: ['final'], limit: 1 });
  return row === undefined ? null : anchoredBy(row);
};

/** Oldest first: those whose spans have a moment of the period. */
export const anchoredIn = ({ store }: Pick<Books, 'store'>, { from, to }: Span): Anchored[] =>
  [...store.transfers.iterate({ kinds: ['anchor'], states: ['final'] })]
    .flatMap((row) => anchoredBy(row) ?? [])
    .filter(({ facts }) => facts.from < to && facts.to > from)
    .toReversed();

export const factsOf = ({ invoice }: Pick<Transfer, 'invoice'>): AnchorFacts | null =>
  readAnchorText(invoice ?? '');

const anchoredBy = (row: Transfer): Anchored | null => {
  const [facts, transaction] = [factsOf(row), txSignatureOf(row)];
  return facts === null || transaction === null ? null : { row, facts, transaction };
};

const makeAnchor = async (context: EngineContext, due: Due, signal: AbortSignal): Promise<void> => {
  const { store, funds, machine, publish } = context;
  const chainFacts = await funds.prepare(intentOf(context, ''));
  // Once anchored, a span takes no further entry.
  const found = await enterDirectDeposits(context, due.span.to);
  if (found > 0) await lookAtClosedMonths(context);
  const rows = store.books.count(due.span);
  const tree = await treeOf(context, due.span, signal);
  if (tree === null) return;
  const row = store.atomically((): Transfer | null => {
    // Another anchor, the owner, or a doubt may have come meanwhile. One row and no more begins at the end of the last.
    const now = dueIn(context);
    const isSame = now?.previous === due.previous && now.zone === due.zone && now.span.to >= due.span.to;
    if (!isSame || store.books.count(due.span) !== rows) return null;
    const { span, ...rest } = due;
    const head = store.journal.head().hash.toString('hex');
    const facts = { ...rest, ...span, entries: tree.count(), root: tree.root(), head };
    return openIntent(context, intentOf(context, anchorText(facts)), ownAsker, chainFacts).row;
  });
  if (row === null) return;
  publish({ type: 'transfer', transfer: row });
  await machine.advance(row.id);
};

const intentOf = ({ settings: { owner } }: Pick<EngineContext, 'settings'>, text: string): Intent => ({
  kind: 'anchor',
  asset: 'SOL',
  amount: lamports(0n),
  agentId: null,
  walletIndex: 0,
  wallet: owner,
  payee: owner,
  serviceId: null,
  serviceName: 'Anchor of the books',
  description: '',
  invoice: text,
});

/** Null: the host stops. */
const treeOf = async (
  { store }: Pick<Books, 'store'>,
  span: Span,
  signal: AbortSignal,
): Promise<MerkleTree | null> => {
  const tree = createMerkleTree();
  const isWhole = await forEachEntry(store, span, (entry) => tree.add(lineOf(entry)), signal);
  return isWhole ? tree : null;
};
