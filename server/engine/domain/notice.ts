// A notice to the owner, the channels that it goes to, and its delivery to each. Times are Unix milliseconds.
import { usdc } from '../../money.ts';
import type { Place } from '../../contract/notices/channels.ts';
import type { NoticeKind } from '../../contract/notices/notices.ts';

export type { Place };

export interface Channel {
  id: string;
  name: string;
  place: Place;
  /** The kinds of notices that the owner wants there. */
  kinds: readonly NoticeKind[];
  /** Notices of approvals carry the links by which a phone answers them. */
  hasPhoneLinks: boolean;
  createdAt: number;
  removedAt: number | null;
}

/** The content of a notice. It is counted, and gets its id, when it is written. */
export interface News {
  kind: NoticeKind;
  /** Null: it is about no agent. */
  agentId: string | null;
  /** The id of what it is about, such as a payment or an approval. */
  subject: string | null;
  title: string;
  text: string;
}

export interface Notice extends News {
  seq: number;
  /** The same at every attempt and on every channel. */
  id: string;
  /** How many events it stands for: those of one kind and agent fold. */
  count: number;
  createdAt: number;
  /** It is sent from then on, and from then on it does not change. */
  dueAt: number;
}

export const deliveryStates = ['waiting', 'delivered', 'failed'] as const;

export interface Delivery {
  channelId: string;
  state: (typeof deliveryStates)[number];
  attempts: number;
  /** When the next attempt is made at the earliest. */
  nextAt: number;
  /** The last attempt is made then. */
  untilAt: number;
  endedAt: number | null;
  /** The result of the last attempt; null before the first. */
  answer: string | null;
}

/** They are sent before all others, and never folded. */
const urgentKinds: readonly NoticeKind[] = ['frozen', 'halted', 'unexplained_debit', 'rpc_down'];
export const isUrgent = (kind: NoticeKind): boolean => urgentKinds.includes(kind);

const minuteMs = 60_000;
/** Events of one kind and agent within this time become one notice with a count. */
export const foldMs = 10 * minuteMs;
/** A notice that cannot be delivered is tried for this long. */
export const tryForMs = 24 * 60 * minuteMs;

/** The wait after so many failed attempts: 5 seconds, three times as long after each, and at most an hour. */
export const waitAfter = (attempts: number): number => Math.min(5_000 * 3 ** (attempts - 1), 60 * minuteMs);

/** An agent's wallet is low below this, unless the owner says otherwise. */
export const usualLowBalance = usdc(1_000_000n);
