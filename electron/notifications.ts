// Shows the treasury's notices on this desktop, for an owner who is looking elsewhere. A click opens the screen, and
// nothing can be approved from a notice.
import type { NoticeKind } from '../server/contract/notices/notices.ts';
import type { Message } from '../server/notices/message.ts';
import { inert } from './inert.ts';
import { agentPath } from './tray/tray-menu.ts';

export interface Notice {
  title: string;
  body: string;
  /** A path of the page's router. */
  path: string;
}

const ofAgent = ({ agentId }: Message): string => (agentId === null ? '/' : agentPath(agentId));
/** A notice of several payments opens their agent. */
const ofPayment = (message: Message): string =>
  message.subject === null || message.count > 1
    ? ofAgent(message)
    : `/activity/${encodeURIComponent(message.subject)}`;

const pathOf: Record<NoticeKind | 'test', (message: Message) => string> = {
  approval: () => '/approvals',
  login: () => '/approvals',
  refused: ofPayment,
  not_delivered: ofPayment,
  budget: ofAgent,
  unusual: ofAgent,
  low_balance: ofAgent,
  refilled: ofAgent,
  linked: ofAgent,
  deposit: () => '/treasury',
  frozen: () => '/',
  halted: () => '/',
  month_changed: () => '/books',
  unexplained_debit: () => '/',
  rpc_down: () => '/',
  test: () => '/settings',
};

export const noticeOf = (message: Message): Notice => ({
  title: inert(message.title, 100),
  body: inert(message.text, 300),
  path: pathOf[message.kind](message),
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
