// The virtualised list: only visible rows are drawn, however many there are; the window scrolls it.
import { Loader } from '@mantine/core';
import { useWindowVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import {
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
} from 'react';
import styles from './activity.module.css';
import { ActivityRow } from './ActivityRow.tsx';
import type { Entry } from './filters.ts';
import { useZone } from '../../shared/hooks/use-zone.ts';
import { wholeDayOf } from '../../shared/time.ts';
import { placesOf } from '../../shared/format.ts';
import { useSteadyRows } from './use-steady-rows.ts';

interface ActivityTableProps {
  entries: readonly Entry[];
  /** The newest first, under the headings of their days; otherwise the largest first. */
  isByTime: boolean;
  hasMore: boolean;
  isReadingMore: boolean;
  readMore: () => void;
}

const columns = ['Time', 'Description', 'Agent', 'Status', 'Amount'];
const usualRowPx = 56;
const overscan = 12;
/** The next page is read this many rows before the end. */
const rowsAhead = 60;

export const ActivityTable = (props: ActivityTableProps) => {
  const { entries, isByTime, hasMore, isReadingMore, readMore } = props;
  const zone = useZone();
  const places = useMemo(() => placesOf(entries), [entries]);
  const body = useRef<HTMLDivElement>(null);
  const scrollMargin = useTopOf(body);
  const virtual = useWindowVirtualizer<HTMLElement>({
    count: entries.length,
    estimateSize: () => usualRowPx,
    getItemKey: (index) => entries[index]?.id ?? index,
    overscan,
    scrollMargin,
    useFlushSync: false,
  });
  const rows = virtual.getVirtualItems();
  useSteadyRows(virtual, entries, scrollMargin);
  const { tabStop, onKeyDown, onFocus } = useRowFocus(virtual, body, entries.length);

  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isReadingMore && last >= entries.length - rowsAhead) readMore();
  }, [hasMore, isReadingMore, last, entries.length, readMore]);

  return (
    <div
      role="table"
      aria-label={`Activity, ${isByTime ? 'newest' : 'largest'} first`}
      aria-rowcount={hasMore ? -1 : entries.length + 1}
      className={styles['table']}
    >
      <TableHead isByTime={isByTime} />
      <div
        role="rowgroup"
        ref={body}
        className={styles['body']}
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={onKeyDown}
        onFocus={onFocus}
        onClick={openRow}
      >
        {rows.map(({ index, key, start }) => {
          const entry = entries[index];
          const before = entries[index - 1];
          const day = entry === undefined || !isByTime ? null : wholeDayOf(entry.timestamp, zone);
          const isSameDay = before !== undefined && wholeDayOf(before.timestamp, zone) === day;
          return entry === undefined ? null : (
            <ActivityRow
              key={key}
              entry={entry}
              index={index}
              day={isSameDay ? null : day}
              zone={zone}
              isByTime={isByTime}
              places={places}
              start={start - scrollMargin}
              isTabStop={index === tabStop}
              measure={virtual.measureElement}
            />
          );
        })}
      </div>
      {isReadingMore && <Loader size="sm" m="md" aria-label="Reading more" />}
    </div>
  );
};

const TableHead = ({ isByTime }: { isByTime: boolean }) => (
  <div role="rowgroup" className={styles['head']}>
    <div role="row" aria-rowindex={1} className={styles['headRow']}>
      {columns.map((name) => (
        <div
          key={name}
          role="columnheader"
          className={name === 'Amount' ? styles['right'] : undefined}
          {...(name === (isByTime ? 'Time' : 'Amount') ? { 'aria-sort': 'descending' } : {})}
        >
          {name}
        </div>
      ))}
    </div>
  </div>
);

/** The list's distance from the page's top, which changes with the filters and banners above it. */
const useTopOf = (element: React.RefObject<HTMLElement | null>): number => {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const rect = element.current?.getBoundingClientRect();
    if (rect !== undefined) setTop(Math.round(rect.top + window.scrollY));
  });
  return top;
};

/** A click on a row's text opens it, as one beside the text does, unless text was selected. */
const openRow = ({ target, currentTarget }: MouseEvent): void => {
  if (!(target instanceof Element) || target.closest('a') !== null) return;
  if (getSelection()?.isCollapsed === false) return;
  const index = target.closest<HTMLElement>('[data-index]')?.dataset['index'];
  currentTarget.querySelector<HTMLElement>(`[data-index="${index}"] a`)?.click();
};

/** One row of the list can be reached with Tab; the arrow keys move from row to row. */
type Rows = Virtualizer<Window, HTMLElement>;

/** @param body holds the rows, which carry `data-index` */
const useRowFocus = (virtual: Rows, body: RefObject<HTMLElement | null>, count: number) => {
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
