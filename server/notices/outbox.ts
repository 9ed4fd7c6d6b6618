// Delivers the notices of the outbox: on each channel in order, at least once, and again after growing waits until it
// is taken, is refused, or was tried for 24 hours. No channel waits for another.
import { setTimeout as wait } from 'node:timers/promises';
import { tryForMs, waitAfter } from '../engine/domain/notice.ts';
import type { Channel, Delivery, News, Notice, Store } from '../engine/ports.ts';
import type { Log } from '../log.ts';
import { messageOf, unrecorded, type Message } from './message.ts';
import type { Outcome } from './outcome.ts';
import type { Send } from './senders.ts';

export interface Outbox {
  /** Delivers what is due, soon. */
  wake(): void;
  /** Delivers what is due, and resolves once nothing more is due now. */
  look(): Promise<void>;
  /** The vault was unlocked: channels with secrets go on. */
  unlocked(): void;
  /** Tells what the records do not take, from memory alone, for as long as this process lives. */
  tell(news: News, id: string): void;
  /** Ends what is under way; it is tried again after the next start. */
  close(): Promise<void>;
}

interface OutboxDeps {
  store: Pick<Store, 'notices' | 'grouped' | 'atomically'>;
  send: Send;
  /** Unix milliseconds. */
  now(): number;
  /** The links by which a phone answers an approval; null where it cannot. */
  phoneLinks(approvalId: string): { approve: string | null; deny: string | null };
  /** Called after each attempt. */
  changed(): void;
  log: Log;
}

const mostIdleMs = 3_600_000;
const leastPauseMs = 20;

interface Delivering extends OutboxDeps {
  closing: AbortController;
  running: Map<string, Promise<void>>;
  /** Channels whose secrets cannot be read until the vault is unlocked. */
  held: Set<string>;
  /** How often the vault was unlocked: a secret that was asked for before cannot have been read since. */
  unlocks: number;
  timer: NodeJS.Timeout | undefined;
  prunedAt: number;
  /** The channels as last read: notices from memory go there. */
  known: readonly Channel[];
}

export const createOutbox = (deps: OutboxDeps): Outbox => {
  const outbox: Delivering = {
    ...deps,
    closing: new AbortController(),
    running: new Map(),
    held: new Set(),
    unlocks: 0,
    timer: undefined,
    prunedAt: -Infinity,
    known: [],
  };
  const wake = (): void => arm(outbox, 0);
  deps.store.notices.onAdded(wake);
  return {
    wake,
    look: () => look(outbox),
    unlocked() {
      outbox.held.clear();
      outbox.unlocks += 1;
      wake();
    },
    tell(news, id) {
      const message = unrecorded(news, id, deps.now());
      for (const channel of channelsOf(outbox))
        if (channel.kinds.includes(news.kind)) void insist(outbox, channel, message);
    },
    async close() {
      outbox.closing.abort();
      clearTimeout(outbox.timer);
      await Promise.all(outbox.running.values());
    },
  };
};

/** As last read where the records cannot be read any more. */
const channelsOf = (outbox: Delivering): readonly Channel[] => {
  try {
    outbox.known = outbox.store.notices.channels.list();
  } catch (error) {
    outbox.log.warn({ err: error }, 'the channels of notices cannot be read');
  }
  return outbox.known;
};

const arm = (outbox: Delivering, ms: number): void => {
  clearTimeout(outbox.timer);
  if (outbox.closing.signal.aborted) return;
  const pause = Math.min(Math.max(ms, leastPauseMs), mostIdleMs);
  outbox.timer = setTimeout(() => void look(outbox), pause);
};

const look = async (outbox: Delivering): Promise<void> => {
  const { store, running, log, closing } = outbox;
  if (closing.signal.aborted) return;
  try {
    outbox.known = store.notices.channels.list();
    prune(outbox);
    for (const { id } of outbox.known) if (!running.has(id)) running.set(id, run(outbox, id));
    await Promise.all(running.values());
    arm(outbox, untilNext(outbox));
  } catch (error) {
    // A failed disk ends all writing until a restart, which goes on here.
    log.error({ err: error }, 'notices could not be delivered');
  }
};

/** Each channel sets the timer when it is done, so that none waits for another's endpoint. */
const run = async (outbox: Delivering, channelId: string): Promise<void> => {
  try {
    await deliverAll(outbox, channelId);
  } finally {
    outbox.running.delete(channelId);
  }
  arm(outbox, untilNext(outbox));
};

const untilNext = ({ store: { notices }, now, held, running, known }: Delivering): number => {
  const at = now();
  const times = known
    .filter(({ id }) => !held.has(id) && !running.has(id))
    .map(({ id }) => notices.next(id, at)?.delivery.nextAt ?? notices.nextDue(id) ?? Infinity);
  return Math.min(...times, Infinity) - at;
};

const deliverAll = async (outbox: Delivering, channelId: string): Promise<void> => {
  const { store, now, send, held, closing } = outbox;
  while (!held.has(channelId) && !closing.signal.aborted) {
    // The row that is read may be part of a commit under way: nothing is sent before it is on disk.
    const { result: head, durable } = store.grouped(() => store.notices.next(channelId, now()));
    await durable;
    const channel = store.notices.channels.get(channelId);
    if (head === undefined || head.delivery.nextAt > now() || channel?.removedAt !== null) return;
    const { unlocks } = outbox;
    const outcome = await send(channel, messageFor(outbox, channel, head.notice), closing.signal);
    if (outcome.kind === 'locked') {
      if (unlocks === outbox.unlocks) held.add(channelId);
    } else if (outcome.kind === 'delivered' || !closing.signal.aborted)
      settle(outbox, channelId, head, outcome);
  }
};

/** The links are in no record: they are read as the notice leaves. */
const messageFor = ({ phoneLinks }: Delivering, { hasPhoneLinks }: Channel, notice: Notice): Message => {
  const { kind, subject } = notice;
  const message = messageOf(notice);
  if (!hasPhoneLinks || kind !== 'approval' || subject === null) return message;
  const { approve, deny } = phoneLinks(subject);
  const links = [
    ...(approve === null ? [] : [`Approve from your phone: ${approve}`]),
    ...(deny === null ? [] : [`Decline from your phone: ${deny}`]),
  ];
  return { ...message, text: [message.text, ...links].join('\n') };
};

interface Head {
  notice: Notice;
  delivery: Delivery;
}

const settle = (
  { store, now, changed }: Delivering,
  channelId: string,
  { notice: { seq }, delivery: { attempts, untilAt } }: Head,
  { kind, answer }: Exclude<Outcome, { kind: 'locked' }>,
): void => {
  const at = now();
  const isOver = kind !== 'failed' || at >= untilAt;
  const state = kind === 'delivered' ? 'delivered' : 'failed';
  store.atomically(() => {
    if (isOver) store.notices.end(seq, channelId, { state, answer, at });
    else
      store.notices.tried(seq, channelId, {
        answer,
        nextAt: Math.min(at + waitAfter(attempts + 1), untilAt),
      });
  });
  changed();
};

/** As the outbox does, without records. */
const insist = async (
  { send, now, closing, log }: Delivering,
  channel: Channel,
  message: Message,
): Promise<void> => {
  const untilAt = now() + tryForMs;
  try {
    for (let attempt = 1; !closing.signal.aborted && now() < untilAt; attempt += 1) {
      const outcome = await send(channel, message, closing.signal);
      if (outcome.kind === 'delivered' || outcome.kind === 'refused') return;
      await wait(waitAfter(attempt), undefined, { signal: closing.signal });
    }
  } catch (error) {
    if (!closing.signal.aborted) log.error({ err: error }, 'a notice could not be sent');
  }
};

const pruneEveryMs = 3_600_000;

const prune = (outbox: Delivering): void => {
  const { store, now } = outbox;
  if (now() - outbox.prunedAt < pruneEveryMs) return;
  outbox.prunedAt = now();
  store.atomically(() => store.notices.prune(now()));
};
