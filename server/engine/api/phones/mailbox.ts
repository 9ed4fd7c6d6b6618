// Reads the mailbox: lists what names it, reads each transaction once, and hands on the words of registered wallets.
// Strangers can write there too. A flood of theirs costs a bounded number of requests, and cannot hide a word: while
// more waits than one pass reads, the histories of the registered wallets tell which lines may be theirs.
import { AppError } from '../../../errors.ts';
import type { EngineContext } from '../../calls/call.ts';
import { linesOnPage } from '../../domain/phone.ts';
import type { MailboxLine, RemoteWord } from '../../ports.ts';
import { clocksDifferMs } from './obey-word.ts';

export type Word = RemoteWord & { at: number | null };

export interface Line extends MailboxLine {
  /** Undefined until it was read; null: no word of a registered wallet, or none at all. */
  word: Word | null | undefined;
  isDone: boolean;
  /** Attempts that failed in a row, the first of them, and the next: milliseconds of `performance.now()`. */
  failures: number;
  failedAt: number;
  tryAt: number;
}

export interface Mailbox {
  context: EngineContext;
  address: string;
  /** In the chain's order: those that the cursor has not passed. */
  lines: Line[];
  /** Pages of a listing under way, newest first. */
  pages: MailboxLine[];
  /** Lines that waited at the start and are still unread; null before the first listing. */
  fromStart: Set<string> | null;
  listedAt: number;
  /** Requests to the RPC in this pass. */
  requests: number;
}

/** Transactions read in one pass. */
export const readAtOnce = 200;
const pagesAtOnce = 10;
const inParallel = 8;
/** An RPC that lists a transaction and does not show it is asked for so long. */
const mostPauseMs = 5_000;
const giveUpMs = 24 * 3_600_000;
const cursorName = 'mailbox-cursor';

export const createMailbox = (context: EngineContext, address: string): Mailbox => ({
  context,
  address,
  lines: [],
  pages: [],
  fromStart: null,
  listedAt: -Infinity,
  requests: 0,
});

export const unreadLines = ({ lines }: Mailbox): Line[] => lines.filter(({ word }) => word === undefined);

/**
 * Lists what came since the cursor, at most ten pages at once: a longer listing goes on at the next call. It begins
 * again at the newest final line, since a fork may put others in the place of those above.
 */
export const list = async (mailbox: Mailbox, finalSlot: number): Promise<void> => {
  const { context, address, lines, pages } = mailbox;
  const known = new Set(lines.map(({ signature }) => signature));
  const until = lines.findLast(({ slot }) => slot <= finalSlot)?.signature ?? cursorOf(context);
  const since = Math.min(...context.store.phones.wallets().map(({ registeredAt }) => registeredAt));
  for (let count = 0; count < pagesAtOnce; count += 1) {
    mailbox.requests += 1;
    const listed = await context.chain.linesOf(address, { before: pages.at(-1)?.signature, until });
    // No word can count that was sent before a wallet was registered.
    const wanted = listed.filter(({ at }) => at === null || at >= since - clocksDifferMs);
    pages.push(...wanted);
    if (listed.length < linesOnPage || wanted.length < listed.length) {
      const added = pages.toReversed().filter(({ signature }) => !known.has(signature));
      mailbox.pages = [];
      mailbox.lines = [...lines, ...added.map(asLine)].toSorted((a, b) => a.slot - b.slot);
      mailbox.listedAt = performance.now();
      mailbox.fromStart ??= new Set(added.map(({ signature }) => signature));
      return;
    }
  }
};

const cursorOf = ({ store }: EngineContext): string | undefined => store.meta.get(cursorName);

const asLine = (line: MailboxLine): Line => ({
  ...line,
  word: undefined,
  isDone: false,
  failures: 0,
  failedAt: 0,
  tryAt: 0,
});

/**
 * Reads at most 200 lines, the oldest and the newest first, and passes each word to `found` at once; it returns whether
 * that is done with. @throws AppError `halted`
 */
export const readSome = async (mailbox: Mailbox, found: (word: Word) => boolean): Promise<void> => {
  if (unreadLines(mailbox).length > readAtOnce) await setAside(mailbox).catch(noted(mailbox));
  const due = unreadLines(mailbox).filter(({ tryAt }) => tryAt <= performance.now());
  const half = readAtOnce / 2;
  const chosen = due.length <= readAtOnce ? due : [...due.slice(0, half), ...due.slice(-half)];
  for (let from = 0; from < chosen.length; from += inParallel) {
    const some = chosen.slice(from, from + inParallel);
    const read = await Promise.all(some.map((line) => readLine(mailbox, line, found)));
    // The RPC is away: it is not asked 200 times.
    if (some.length > 1 && !read.includes(true)) break;
  }
};

const readLine = async (mailbox: Mailbox, line: Line, found: (word: Word) => boolean): Promise<boolean> => {
  try {
    mailbox.requests += 1;
    const word = await mailbox.context.chain.remoteWord(line.signature, 'confirmed');
    line.isDone = word !== null && found(word);
    line.word = word;
    line.failures = 0;
    mailbox.fromStart?.delete(line.signature);
    return true;
  } catch (error) {
    putOff(mailbox, line, error);
    return false;
  }
};

/** Tries the line again later, and for a day: the lines after it do not wait for it. @throws AppError `halted` */
export const putOff = (mailbox: Mailbox, line: Line, error: unknown): void => {
  if (error instanceof AppError && error.code === 'halted') throw error;
  const now = performance.now();
  if (line.failures === 0) line.failedAt = now;
  line.failures += 1;
  line.tryAt = now + Math.min(500 * 2 ** line.failures, mostPauseMs);
  noted(mailbox)(error);
  if (now - line.failedAt < giveUpMs) return;
  mailbox.context.log.error(
    { transaction: line.signature },
    'a word from a phone could not be read for a day',
  );
  line.word = null;
  line.isDone = true;
  mailbox.fromStart?.delete(line.signature);
};

export const noted =
  ({ context }: Mailbox) =>
  (error: unknown): void =>
    context.log.warn({ err: error }, 'a word from a phone could not be read now');

/**
 * Sets strangers' lines aside unread: a word is signed by a registered wallet, so that wallet's own history has it.
 * A history that is flooded itself is read as far as ten pages reach, and decides as far.
 */
const setAside = async (mailbox: Mailbox): Promise<void> => {
  const { context } = mailbox;
  const unread = unreadLines(mailbox);
  const [oldest, newest] = [unread[0]?.slot ?? 0, unread.at(-1)?.slot ?? 0];
  const theirs = new Set<string>();
  let decidedAbove = 0;
  for (const { address } of context.store.phones.wallets()) {
    const history = await historyOf(mailbox, address, { oldest, newest });
    for (const { signature } of history.lines) theirs.add(signature);
    decidedAbove = Math.max(decidedAbove, history.reachesTo);
  }
  for (const line of unread) {
    if (line.slot <= decidedAbove || theirs.has(line.signature)) continue;
    line.word = null;
    mailbox.fromStart?.delete(line.signature);
  }
};

/** `reachesTo`: the history is complete above this slot. */
const historyOf = async (
  mailbox: Mailbox,
  wallet: string,
  { oldest, newest }: { oldest: number; newest: number },
): Promise<{ lines: MailboxLine[]; reachesTo: number }> => {
  const lines: MailboxLine[] = [];
  for (let count = 0; count < pagesAtOnce; count += 1) {
    // An RPC that lags behind the one that listed the mailbox would lack the newest word.
    mailbox.requests += 1;
    const page = await mailbox.context.chain.linesOf(wallet, {
      before: lines.at(-1)?.signature,
      minSlot: newest,
    });
    lines.push(...page);
    if (page.length < linesOnPage || (lines.at(-1)?.slot ?? 0) < oldest) return { lines, reachesTo: -1 };
  }
  return { lines, reachesTo: lines.at(-1)?.slot ?? Infinity };
};

/** The cursor passes the lines that are done, up to the first that is not. */
export const passDone = (mailbox: Mailbox, finalSlot: number): void => {
  const { context, lines } = mailbox;
  const waiting = lines.findIndex(({ isDone, slot }) => !isDone || slot > finalSlot);
  const count = waiting === -1 ? lines.length : waiting;
  const last = lines[count - 1];
  if (last === undefined) return;
  context.store.lazily(() => context.store.meta.set(cursorName, last.signature));
  mailbox.lines = lines.slice(count);
};
