// A long list that stays live: what changed is exchanged in place, what is new comes on top, nothing is read twice.
import type { Reply } from '../../../server/contract/schemas.ts';
import type { Entry } from './filters.ts';

/** `next`: everything from that cursor on, and nothing below it, has been looked at; null: all of it. */
export type Page = Reply<'activity'>;

/** The list with `changed` in their places; those that `isShown` no longer admits leave it. */
export const exchange = (
  entries: readonly Entry[],
  changed: ReadonlyMap<string, Entry>,
  isShown: (entry: Entry) => boolean,
): Entry[] =>
  entries.flatMap((entry) => {
    const now = changed.get(entry.id);
    if (now === undefined) return [entry];
    return isShown(now) ? [now] : [];
  });

/**
 * The list with its newest page read again. Null when the two do not touch, so that entries between them would be
 * missing: then the list begins anew.
 */
export const putOnTop = (entries: readonly Entry[], { entries: head, next }: Page): Entry[] | null => {
  if (next === null) return [...head];
  const first = entries[0];
  if (first === undefined || first.cursor < next) return null;
  return [...head, ...entries.filter(({ cursor }) => cursor < next)];
};
