// Reads the owner's words from phones off the chain, and obeys them. A freeze is obeyed once it is confirmed; an
// approval or a denial once it is final. Nothing remote ever loosens anything.
import { AppError } from '../../errors.ts';
import { repeat } from '../../lib/repeat.ts';
import type { EngineContext } from '../calls/call.ts';
import { freezeMemo, mailboxOf } from '../domain/phone.ts';
import { freeze } from '../payment/stop.ts';
import type { MailboxLine, PhoneWallet, RemoteWord } from '../ports.ts';
import { clocksDifferMs, nothing, obeyAnswer } from './obey-word.ts';

export interface RemoteWords {
  /** Whether words may wait on the chain that this process has not read since its start. */
  unread(): boolean;
  /** Reads the mailbox up to now. Never rejects. */
  look(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

type Word = RemoteWord & { at: number | null };

interface Reading {
  context: EngineContext;
  mailbox: string;
  isRead: boolean;
  /** Lines that were read at `confirmed`, and the word in each: null for none. Emptied as the cursor passes them. */
  lines: Map<string, Word | null>;
  endSubscription: (() => void) | null;
  busy: Promise<void> | null;
}

/** Transactions read in one pass: strangers can write to the mailbox. */
const readAtOnce = 200;
const cursorName = 'mailbox-cursor';

export const createRemoteWords = (context: EngineContext): RemoteWords => {
  const { store, settings, log } = context;
  const reading: Reading = {
    context,
    mailbox: mailboxOf(settings.owner),
    isRead: false,
    lines: new Map(),
    endSubscription: null,
    busy: null,
  };
  /** One pass at a time; a call during a pass waits for it. */
  const look = async (): Promise<void> => {
    if (store.phones.wallets().length === 0) {
      // No word can count that was sent before a wallet was registered.
      reading.isRead = true;
      return;
    }
    reading.busy ??= readAll(reading)
      .catch((error: unknown) => log.warn({ err: error }, 'words from phones could not be read now'))
      .finally(() => {
        reading.busy = null;
      });
    await reading.busy;
  };
  const timer = repeat(look, settings.pollMs);
  return {
    unread: () => !reading.isRead,
    look,
    start: timer.start,
    async stop() {
      reading.endSubscription?.();
      await timer.stop();
    },
  };
};

const readAll = async (reading: Reading): Promise<void> => {
  const { context, mailbox } = reading;
  reading.endSubscription ??= context.chain.onMailbox(mailbox, () => void stopsFirst(reading));
  const lines = await context.chain.mailboxLines(mailbox, context.store.meta.get(cursorName) ?? null);
  // Every stop comes before the first answer, however many lines are between them.
  for (let from = 0; from < lines.length; from += readAtOnce)
    await readStops(reading, lines.slice(from, from + readAtOnce));
  reading.isRead = true;
  await readAnswers(reading, lines);
};

/** A line has just been confirmed: if it is a stop, it does not wait for the next pass. */
const stopsFirst = async (reading: Reading): Promise<void> => {
  const { context, mailbox } = reading;
  try {
    const after = context.store.meta.get(cursorName) ?? null;
    await readStops(reading, (await context.chain.mailboxLines(mailbox, after)).slice(-readAtOnce));
  } catch (error) {
    context.log.debug({ err: error }, 'a word is read in the next pass');
  }
};

const readStops = async (reading: Reading, lines: readonly MailboxLine[]): Promise<void> => {
  for (const line of lines) {
    if (reading.lines.has(line.signature)) continue;
    const word = await reading.context.chain.remoteWord({ ...line, isFinal: false });
    if (word !== null && isStop(reading, word)) obeyStop(reading.context, word);
    reading.lines.set(line.signature, word);
  }
};

/** In their order, up to the first that is not final. The cursor stays behind it. */
const readAnswers = async (reading: Reading, lines: readonly MailboxLine[]): Promise<void> => {
  const { context } = reading;
  for (const line of lines) {
    if (!line.isFinal) return;
    const candidate = reading.lines.get(line.signature) ?? null;
    const wallet = candidate === null ? null : walletOf(context, candidate);
    if (wallet !== null && !context.store.phones.hasWord(line.signature)) {
      const word = await context.chain.remoteWord(line);
      if (word !== null) await obeyAnswer(context, { word, wallet, mailbox: reading.mailbox });
    }
    context.store.lazily(() => context.store.meta.set(cursorName, line.signature));
    reading.lines.delete(line.signature);
  }
};

const isStop = ({ mailbox }: Reading, { memo, references }: RemoteWord): boolean =>
  memo === freezeMemo && references.length === 1 && references[0] === mailbox;

/** The registered wallet that a word comes from; null for a stranger. */
const walletOf = ({ store }: EngineContext, { wallet }: RemoteWord): PhoneWallet | null =>
  store.phones.wallets().find(({ address }) => address === wallet) ?? null;

/** Takes the path of the owner's own freeze. The stop is on disk before the word is: a crash between them stops again. */
const obeyStop = (context: EngineContext, word: Word): void => {
  const { store, time } = context;
  const wallet = walletOf(context, word);
  if (wallet === null || store.phones.hasWord(word.signature)) return;
  // Sent before the wallet was registered: it was no word then.
  if (word.at === null || word.at < wallet.registeredAt - clocksDifferMs) return;
  freeze(context, `the phone wallet ${wallet.name} said stop in transaction ${word.signature}`);
  const said = { signature: word.signature, walletId: wallet.id, memo: word.memo, approvalId: null };
  try {
    store.atomically(() => store.phones.addWord({ ...said, amount: nothing, whyNot: null, at: time.now() }));
  } catch (error) {
    if (error instanceof AppError && error.code === 'halted') return;
    throw error;
  }
};
