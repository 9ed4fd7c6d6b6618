// Shows the treasury's notices on this desktop, for an owner who is looking elsewhere. A click opens the screen, and
// nothing can be approved from a notice.
import { placeOfNotice } from '../server/contract/notices/notices.ts';
import type { Message } from '../server/notices/message.ts';
import { inert } from './inert.ts';

export interface Notice {
  title: string;
  body: string;
  /** A path of the page's router. */
  path: string;
}

export const noticeOf = (message: Message): Notice => ({
  title: inert(message.title, 100),
  body: inert(message.text, 300),
  path: message.kind === 'test' ? '/settings/notices' : placeOfNotice({ ...message, kind: message.kind }),
});

interface NotifierDeps {
  show(notice: Notice): void;
  enabled(): boolean;
  now(): number;
}

export interface Notifier {
  take(message: Message): void;
  /** The owner is freezing: suppresses the notice that follows. */
  expectFreeze(): void;
}

export const createNotifier = ({ show, enabled, now }: NotifierDeps): Notifier => {
  let freezeExpectedUntil = 0;
  return {
    take(message) {
      if (message.kind === 'frozen' && now() < freezeExpectedUntil) return;
      if (enabled()) show(noticeOf(message));
    },
    expectFreeze() {
      freezeExpectedUntil = now() + 2_000;
    },
  };
};
