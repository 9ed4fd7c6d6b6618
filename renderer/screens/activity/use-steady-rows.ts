// Keeps the scroll position when entries are added above it.
import type { Virtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef } from 'react';
import type { Entry } from './filters.ts';

type Rows = Virtualizer<Window, HTMLElement>;

/** Scrolls by as much as the first visible row moved when the list changed. At the list's top, new rows are shown. */
export const useSteadyRows = (virtual: Rows, entries: readonly Entry[], top: number): void => {
  const held = useRef<{ id: string; start: number } | null>(null);
  const known = useRef(entries);
  useLayoutEffect(() => {
    if (known.current !== entries && held.current !== null) {
      const { id, start } = held.current;
      const now = virtual.measurementsCache[entries.findIndex((entry) => entry.id === id)]?.start;
      if (now !== undefined && now !== start) window.scrollBy(0, now - start);
    }
    known.current = entries;
    const first = virtual.getVirtualItems().find(({ end }) => end > window.scrollY);
    const entry = first === undefined ? undefined : entries[first.index];
    const isAtTop = window.scrollY <= top;
    held.current =
      isAtTop || first === undefined || entry === undefined ? null : { id: entry.id, start: first.start };
  });
};
