// One row of the list can be reached with Tab; the arrow keys move from row to row.
import type { Virtualizer } from '@tanstack/react-virtual';
import { useState, type FocusEvent, type KeyboardEvent, type RefObject } from 'react';

type Rows = Virtualizer<Window, HTMLElement>;

/** @param body holds the rows, which carry `data-index` */
export const useRowFocus = (virtual: Rows, body: RefObject<HTMLElement | null>, count: number) => {
  const rows = virtual.getVirtualItems();
  const [active, setActive] = useState(0);
  const isActiveDrawn = rows.some(({ index }) => index === active);
  const firstInSight = rows[Math.min(virtual.options.overscan, rows.length - 1)]?.index ?? 0;
  return {
    tabStop: isActiveDrawn ? active : firstInSight,
    onKeyDown(event: KeyboardEvent): void {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const next = Math.min(count - 1, Math.max(0, active + step));
      virtual.scrollToIndex(next);
      body.current?.querySelector<HTMLElement>(`[data-index="${next}"] a`)?.focus({ preventScroll: true });
    },
    onFocus(event: FocusEvent): void {
      const index = event.target.closest<HTMLElement>('[data-index]')?.dataset['index'];
      if (index !== undefined) setActive(Number(index));
    },
  };
};
