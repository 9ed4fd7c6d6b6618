// Requests that were decided stay for a moment, in their place, to say what became of them.
import { useLayoutEffect, useRef, useState } from 'react';

const stayMs = 6_000;

const isNotIn =
  (items: readonly { id: string }[]) =>
  ({ id }: { id: string }): boolean =>
    items.every((item) => item.id !== id);

/** The items that were among `items` a moment ago and no longer are. */
export const useLeaving = <T extends { id: string }>(items: readonly T[]): readonly T[] => {
  const [leaving, setLeaving] = useState<readonly T[]>([]);
  const before = useRef(items);
  const now = items.map(({ id }) => id).join();
  // Before the page is drawn: a place that is empty for a moment would move the cards below it twice.
  useLayoutEffect(() => {
    const gone = before.current.filter(isNotIn(items));
    before.current = items;
    // One that came back begins anew when it leaves again.
    setLeaving((others) => [...others.filter(isNotIn([...items, ...gone])), ...gone]);
    if (gone.length === 0) return;
    setTimeout(() => setLeaving((all) => all.filter((item) => !gone.includes(item))), stayMs);
  }, [now]);
  return leaving.filter(isNotIn(items));
};
