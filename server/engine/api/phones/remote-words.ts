// Reads the owner's words from phones off the chain, and obeys them. A freeze is obeyed once it is confirmed; an
// approval or a denial once it is final. Nothing remote ever loosens anything.
import { AppError } from '../../../errors.ts';
import { repeat } from '../../../lib/repeat.ts';
import type { EngineContext } from '../../calls/call.ts';
import { freezeMemo, mailboxOf, registerMemo } from '../../domain/phone.ts';
import { freeze } from '../../payment/owner/stop.ts';
import type { PhoneWallet, RemoteWord } from '../../ports.ts';
import {
  createMailbox,
  list,
  noted,
  passDone,
  putOff,
  readSome,
  type Mailbox,
  type Word,
} from './mailbox.ts';
import { clocksDifferMs, nothing, obeyAnswer } from './obey-word.ts';

export interface RemoteWords {
  /** Whether words may wait on the chain that this process has not read since its start. */
  unread(): boolean;
  /** Reads the mailbox up to now, or as far as one pass goes; before `start`, for stops alone. Never rejects. */
  look(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

interface Reading {
  context: EngineContext;
  mailbox: Mailbox;
  isRead: boolean;
  /** The subscription has announced a line that was not listed yet. */
  isNotified: boolean;
  endSubscription: (() => void) | null;
  /** No pass begins before: milliseconds of `performance.now()`. */
  restUntil: number;
  wakeTimer: NodeJS.Timeout | undefined;
  busy: Promise<void> | null;
  /** Approvals and denials are obeyed once the start is over: recovery cancels what it finds reserved. */
  isStarted: boolean;
}

/** The list is fetched again after this long without a hint of the subscription, which may be silent. */
const listAgainMs = 10_000;
/** A pass rests this long for each request that it made: at most 40 requests a second, whatever strangers write. */
const restMs = 25;

export const createRemoteWords = (context: EngineContext): RemoteWords => {
  const { settings } = context;
  const reading: Reading = {
    context,
    mailbox: createMailbox(context, mailboxOf(settings.owner)),
    isRead: false,
    isNotified: false,
    endSubscription: null,
    restUntil: 0,
    wakeTimer: undefined,
    busy: null,
    isStarted: false,
  };
  const timer = repeat(() => passIfDue(reading), settings.pollMs, noted(reading.mailbox));
  return {
    unread: () => !reading.isRead,
    async look() {
      while (reading.busy !== null) await reading.busy;
      reading.isNotified = true;
      await pass(reading);
      // That was a pass of the timer's, which had listed the mailbox before.
      if (reading.isNotified) await pass(reading);
    },
    start() {
      reading.isStarted = true;
      timer.start();
    },
    async stop() {
      reading.endSubscription?.();
      reading.endSubscription = null;
      clearTimeout(reading.wakeTimer);
      await timer.stop();
      await reading.busy;
    },
  };
};

const passIfDue = async (reading: Reading): Promise<void> => {
  const { mailbox, isNotified, restUntil } = reading;
  const now = performance.now();
  if (now < restUntil) return;
  if (isNotified || mailbox.lines.length > 0 || now - mailbox.listedAt >= listAgainMs) await pass(reading);
};

/** One at a time; a call during a pass waits for that one. Never rejects. */
const pass = async (reading: Reading): Promise<void> => {
  reading.busy ??= readAll(reading)
    .catch(noted(reading.mailbox))
    .finally(() => {
      reading.restUntil = performance.now() + reading.mailbox.requests * restMs;
      reading.mailbox.requests = 0;
      reading.busy = null;
      if (reading.isNotified) wake(reading);
    });
  await reading.busy;
};

/** Begins a pass as soon as the last one has rested. */
const wake = (reading: Reading): void => {
  clearTimeout(reading.wakeTimer);
  if (reading.endSubscription === null) return;
  const restMsLeft = Math.max(0, reading.restUntil - performance.now());
  reading.wakeTimer = setTimeout(() => void passIfDue(reading), Math.ceil(restMsLeft));
};

const readAll = async (reading: Reading): Promise<void> => {
  const { context, mailbox } = reading;
  if (context.store.phones.wallets().length === 0) {
    // No word can count that was sent before a wallet was registered.
    reading.isRead = true;
    reading.endSubscription?.();
    reading.endSubscription = null;
    return;
  }
  reading.endSubscription ??= context.chain.onMailbox(mailbox.address, () => {
    reading.isNotified = true;
    wake(reading);
  });
  mailbox.requests += 1;
  const finalSlot = await context.chain.finalizedSlot();
  if (reading.isNotified || performance.now() - mailbox.listedAt >= listAgainMs) {
    reading.isNotified = false;
    await list(mailbox, finalSlot).catch(noted(mailbox));
  }
  // Every stop comes before the first answer.
  await readSome(mailbox, (word) => isStop(mailbox, word) && obeyStop(context, word));
  reading.isRead ||= mailbox.fromStart?.size === 0;
  if (reading.isStarted) await answerFinal(reading, finalSlot);
  passDone(mailbox, finalSlot);
};

/** In their order. An answer that cannot be obeyed now is tried again, and those after it do not wait for it. */
const answerFinal = async ({ context, mailbox }: Reading, finalSlot: number): Promise<void> => {
  for (const line of mailbox.lines) {
    if (line.slot > finalSlot) return;
    if (line.isDone || line.word === undefined || line.tryAt > performance.now()) continue;
    try {
      if (line.word !== null) await answer(context, mailbox, line.word);
      line.isDone = true;
    } catch (error) {
      putOff(mailbox, line, error);
    }
  }
};

const answer = async (
  context: EngineContext,
  mailbox: Mailbox,
  { signature, ...confirmed }: Word,
): Promise<void> => {
  const wallet = walletOf(context, confirmed);
  if (wallet === null || context.store.phones.hasWord(signature)) return;
  // It proved the wallet, and answers nothing.
  if (confirmed.memo.startsWith(registerMemo(''))) return;
  mailbox.requests += 1;
  const word = await context.chain.remoteWord(signature, 'finalized');
  if (word === null) return;
  await obeyAnswer(context, { word, wallet, mailbox: mailbox.address });
  context.publish({ type: 'phones' });
};

const isStop = ({ address }: Mailbox, { memo, references }: RemoteWord): boolean =>
  memo === freezeMemo && references.length === 1 && references[0] === address;

/** The registered wallet that a word comes from; null for a stranger. */
const walletOf = ({ store }: EngineContext, { wallet }: Pick<RemoteWord, 'wallet'>): PhoneWallet | null =>
  store.phones.wallets().find(({ address }) => address === wallet) ?? null;

/**
 * Takes the path of the owner's own freeze. The stop is on disk before the word is: a crash between them stops again.
 * Returns whether the word is done with.
 */
const obeyStop = (context: EngineContext, word: Word): boolean => {
  const { store, time, publish } = context;
  if (store.phones.hasWord(word.signature)) return true;
  const wallet = walletOf(context, word);
  // Sent before the wallet was registered: it was no word then. Without a time it is obeyed: a stop loosens nothing.
  if (wallet === null || (word.at !== null && word.at < wallet.registeredAt - clocksDifferMs)) return false;
  freeze(context, `the phone wallet ${wallet.name} said stop in transaction ${word.signature}`);
  const said = { signature: word.signature, walletId: wallet.id, memo: word.memo, approvalId: null };
  try {
    store.atomically(() => store.phones.addWord({ ...said, amount: nothing, whyNot: null, at: time.now() }));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'halted') throw error;
  }
  publish({ type: 'phones' });
  return true;
};
