// Notices to the owner in the store: an outbox, with a delivery for each channel.
import type { Usdc } from '../../../money.ts';
import type { NoticeKind } from '../../../contract/notices/notices.ts';
import type { Channel, Delivery, News, Notice } from '../../domain/notice.ts';

export interface ListedNotice extends Notice {
  deliveries: Delivery[];
}

export interface NoticeStore {
  /** Whether any channel wants this kind. */
  isWanted(kind: NoticeKind): boolean;
  /**
   * Writes a notice and its delivery to each channel that wants its kind; nothing when none does. Call it in the
   * transaction of the event. Within ten minutes of one about the same agent, it is folded into the next.
   * @param timing `at` in Unix milliseconds; `latestAt`: folding delays it no longer than that; `id`: its own, where the
   *   same notice may be sent from outside the store as well; `everywhere`: it goes to every channel, and is not folded
   */
  add(news: News, timing: { at: number; latestAt?: number; id?: string; everywhere?: true }): void;
  /** Called within the transaction of each `add`, which may still be undone. */
  onAdded(listen: () => void): void;
  /** The next notice for a channel that is due by `now`, and its delivery: urgent ones first, then in their order. */
  next(channelId: string, now: number): { notice: Notice; delivery: Delivery } | undefined;
  /** When the first of those that wait for the channel is or was due; null when none waits. */
  nextDue(channelId: string): number | null;
  /** Enters an attempt that was not the last. */
  tried(seq: number, channelId: string, attempt: { answer: string; nextAt: number }): void;
  /** Ends a delivery. One that succeeded brings the channel's next attempts forward. */
  end(
    seq: number,
    channelId: string,
    ending: { state: 'delivered' | 'failed'; answer: string; at: number },
  ): void;
  /** Tries a notice again from `now` on, for another 24 hours, wherever it waits or has failed. */
  retry(seq: number, now: number): void;
  /** The same for all that a channel's trouble is about. */
  retryAll(channelId: string, now: number): void;
  get(id: string): ListedNotice | undefined;
  /** Newest first. @param query `before`: a number to go on from, or null */
  list(query: { before: number | null; limit: number; failed: boolean }): ListedNotice[];
  /** Removes what is older than 30 days, and beyond 10,000 the oldest that wait for nothing. */
  prune(now: number): void;
  channels: ChannelStore;
  /** The balance below which an agent's wallet is low; null: never. Without an agent: for those without their own. */
  lowBalance(agentId: string | null): Usdc | null;
  /** Those of agents that have their own. */
  lowBalances(): { agentId: string; limit: Usdc | null }[];
  /** @param limit undefined: an agent goes by the common one again */
  setLowBalance(agentId: string | null, limit: Usdc | null | undefined): void;
}

export interface ChannelStore {
  /** Those that were not removed, in the order in which they were added. */
  list(): readonly Channel[];
  /** Also one that was removed. */
  get(id: string): Channel | undefined;
  /** Whether there is, or ever was, a channel to the desktop. */
  hadDesktop(): boolean;
  /** Adds it, or changes one of the same id. */
  put(channel: Channel): void;
  /** All notices that wait for it fail, with the reason. */
  remove(id: string, now: number): void;
  /**
   * How many notices wait, where one was tried, and how many failed since the newest that was delivered. `answer`: what the
   * last attempt came to; null without trouble.
   */
  trouble(id: string): { waiting: number; failed: number; answer: string | null };
}
