// Keeps a long list live: changed entries are replaced in place, new ones go on top, and no page is read twice.
import type { Reply } from '../../../server/contract/schemas.ts';
import type { Entry } from './filters.ts';

/** `next` is the cursor: everything from it upward was read, nothing below it; null: all of it was. */
export type Page = Pick<Reply<'activity'>, 'entries' | 'next'>;

/** The list with `changed` entries replaced; those that `isShown` no longer admits are removed. */
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
 * Merges the newest page into the list. Null when the two do not overlap, so that entries in between would be missing:
 * then the list starts again.
 */
export const putOnTop = (entries: readonly Entry[], { entries: head, next }: Page): Entry[] | null => {
  if (next === null) return [...head];
  const first = entries[0];
  if (first === undefined || first.cursor < next) return null;
  return [...head, ...entries.filter(({ cursor }) => cursor < next)];
};
