// A long list that stays live: what changed is exchanged in place, what is new comes on top, nothing is read twice.
import type { Entry } from './filters.ts';

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
export const putOnTop = (
  entries: readonly Entry[],
  head: readonly Entry[],
  pageSize: number,
): Entry[] | null => {
  const last = head.at(-1);
  if (last === undefined) return [];
  if (head.length < pageSize) return [...head];
  const first = entries[0];
  if (first === undefined || first.cursor < last.cursor) return null;
  return [...head, ...entries.filter(({ cursor }) => cursor < last.cursor)];
};
