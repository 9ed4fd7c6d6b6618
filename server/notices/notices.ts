// Notices that reach the owner: composes the outbox, the senders and the owner's operations, and follows the events that
// no transaction of the engine reports.
import { noticeKindNames } from '../contract/notices/notices.ts';
import { phoneRequestsFor } from '../engine/api/phones/phone-requests.ts';
import { noticeOperations } from '../engine/api/notices.ts';
import type { EngineContext } from '../engine/calls/call.ts';
import { addNotice, freezeNoticeId, newsFor } from '../engine/notices/add-notice.ts';
import type { Channel, EngineEvent } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import type { Message } from './message.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { createSend, type Send, type SenderDeps } from './senders.ts';

export interface Notices {
  operations: ReturnType<typeof noticeOperations>;
  outbox: Outbox;
  /** Delivers from now on. */
  start(): void;
  /** The disk failed: this notice is sent from memory. */
  halted(reason: string): void;
  close(): Promise<void>;
}

type Context = Pick<
  EngineContext,
  'store' | 'settings' | 'stopMarker' | 'time' | 'newId' | 'publish' | 'log'
>;

interface NoticesDeps extends Pick<SenderDeps, 'post' | 'mail' | 'desktop'> {
  context: Context;
  /** In the vault; both throw AppError `locked`. */
  secrets: { get(name: string): Buffer | undefined; set(name: string, bytes: Uint8Array): void };
  onEvent(listen: (event: EngineEvent) => void): () => void;
}

const secretName = (channelId: string): string => `notice-channel-${channelId}`;

export const createNotices = ({ context, secrets, onEvent, ...ways }: NoticesDeps): Notices => {
  const { store, time, newId, publish, log } = context;
  const changed = (): void => publish({ type: 'notices' });
  const send = createSend({
    ...ways,
    // None is stored as zero bytes.
    secretOf: (channelId) => secrets.get(secretName(channelId))?.toString() || null,
    now: Date.now,
  });
  const phoneLinks = (approvalId: string) => phoneRequestsFor(context, approvalId);
  const outbox = createOutbox({ store, send, now: time.now, changed, log, phoneLinks });
  const endEvents = onEvent((event) => follow(context, outbox, event));
  const testing = new AbortController();
  return {
    operations: noticeOperations({
      context,
      setSecret: (channelId, secret) => secrets.set(secretName(channelId), Buffer.from(secret ?? '')),
      test: (channel) => test(send, channel, { id: newId('ntc'), signal: testing.signal }),
      wake: outbox.wake,
    }),
    outbox,
    start() {
      if (ways.desktop !== null) addDesktop(context);
      outbox.wake();
    },
    halted: (reason) => outbox.tell(newsFor(store, { kind: 'halted', reason }), newId('ntc')),
    async close() {
      endEvents();
      testing.abort();
      await outbox.close();
    },
  };
};

/** A desktop gets every notice, until its owner chooses otherwise. */
const addDesktop = ({ store, time, newId }: Context): void => {
  const { channels } = store.notices;
  if (channels.hadDesktop()) return;
  store.atomically(() =>
    channels.put({
      id: newId('chn'),
      name: 'This desktop',
      place: { kind: 'desktop' },
      kinds: noticeKindNames,
      hasPhoneLinks: false,
      createdAt: time.now(),
      removedAt: null,
    }),
  );
};

const follow = (context: Context, outbox: Outbox, event: EngineEvent): void => {
  if (event.type === 'lock' && !event.locked) outbox.unlocked();
  if (event.type === 'login' && event.login.status === 'pending') addLogin(context, event.login);
  if (event.type === 'freeze' && event.frozen) tellUnrecorded(context, outbox);
};

/** Logins are in memory alone, so that their notice has a transaction of its own. */
const addLogin = (
  context: Context,
  { loginId, terminal, expiresAt }: Extract<EngineEvent, { type: 'login' }>['login'],
): void => {
  const { store, time, log } = context;
  const latestAt = (time.now() + Date.parse(expiresAt)) / 2;
  const what = { kind: 'login', asks: 'login', by: terminal, subject: loginId } as const;
  try {
    store.grouped(() => addNotice(context, what, Math.round(latestAt)));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn({ err: error }, 'the notice of a login could not be written');
  }
};

/** A stop that only the marker holds, since the database did not take it. */
const tellUnrecorded = ({ store, stopMarker, log }: Context, outbox: Outbox): void => {
  const stop = stopMarker.get();
  if (stop === null) return;
  try {
    if (store.freeze.get() !== null) return;
  } catch (error) {
    log.warn({ err: error }, 'the records cannot be read: the notice of the freeze is sent from memory');
  }
  outbox.tell(newsFor(store, { kind: 'frozen', reason: stop.reason }), freezeNoticeId(stop.since));
};

const test = async (
  send: Send,
  channel: Channel,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<{ delivered: boolean; answer: string }> => {
  const message: Message = {
    id,
    kind: 'test',
    agentId: null,
    subject: null,
    title: 'A test of your Agent Treasury',
    text: 'Notices reach you here.',
    count: 1,
    at: new Date().toISOString(),
  };
  const outcome = await send(channel, message, signal);
  if (outcome.kind === 'locked')
    throw new AppError(
      'locked',
      'The treasury is locked, so the channel’s secret cannot be read. Unlock it first.',
    );
  return { delivered: outcome.kind === 'delivered', answer: outcome.answer };
};
