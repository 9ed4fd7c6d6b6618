// Who reads further down is not moved by what comes on top of the list.
import type { Virtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef } from 'react';
import type { Entry } from './filters.ts';

type Rows = Virtualizer<Window, HTMLElement>;

/** Scrolls along by as much as the first row in view moved when the list changed; at its top, new rows come into view. */
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
