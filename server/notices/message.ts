// A notice as its channels get it.
import type { NoticeKind } from '../contract/notices/notices.ts';
import type { News, Notice } from '../engine/ports.ts';

export interface Message {
  /** The same at every attempt, so that a receiver can drop what it has seen. */
  id: string;
  /** `test` when the owner tries the channel. */
  kind: NoticeKind | 'test';
  agentId: string | null;
  subject: string | null;
  title: string;
  text: string;
  /** How many events it stands for. */
  count: number;
  /** ISO 8601. */
  at: string;
}

export const messageOf = ({
  id,
  kind,
  agentId,
  subject,
  title,
  text,
  count,
  createdAt,
}: Notice): Message => ({
  id,
  kind,
  agentId,
  subject,
  title,
  text: count === 1 ? text : `${text} ${furtherWords(count - 1)}`,
  count,
  at: new Date(createdAt).toISOString(),
});

const furtherWords = (more: number): string =>
  more === 1 ? 'One more of this kind followed.' : `${more} more of this kind followed.`;

/** A notice that is in no record. @param now Unix milliseconds */
export const unrecorded = (news: News, id: string, now: number): Message => ({
  ...news,
  id,
  count: 1,
  at: new Date(now).toISOString(),
});
