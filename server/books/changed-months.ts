// Closed months never change, except by a restore: each is read again after every start and once a day, and a change is
// sent to the owner on every channel.
import { setTimeout as wait } from 'node:timers/promises';
import { addNoticeEverywhere } from '../engine/notices/add-notice.ts';
import type { Repeated } from '../lib/repeat.ts';
import type { BooksContext } from './context.ts';
import { rootOf } from './close.ts';

const everyMs = 24 * 3_600_000;
/** After a start, payments come first. */
const firstMs = 30_000;

/** Reads all closed months again. Returns the names of those that were found changed just now. */
export const lookAtClosedMonths = async (context: BooksContext): Promise<string[]> => {
  const { store } = context;
  const changed: string[] = [];
  for (const { month } of store.books.months()) if (await hasChanged(context, month)) changed.push(month);
  for (const month of changed) {
    const message = `The closed month ${month} has changed: its entries are no longer those that were closed. Open Books to see it.`;
    context.publish({ type: 'warning', code: 'closed_month_changed', message });
    context.log.error({ month }, 'a closed month has changed');
  }
  return changed;
};

const hasChanged = async (context: BooksContext, name: string): Promise<boolean> => {
  const { store, time } = context;
  const closed = store.books.months().find(({ month }) => month === name);
  if (closed === undefined || closed.changedAt !== null) return false;
  const { lines, root } = await rootOf(context, closed);
  if (lines === closed.entries && root === closed.root) return false;
  return store.atomically(() => {
    // It may have been closed again meanwhile.
    const now = store.books.months().find(({ month }) => month === name);
    if (now === undefined || now.root !== closed.root || now.changedAt !== null) return false;
    store.books.setMonth({ ...now, changedAt: time.now() });
    addNoticeEverywhere(context, { kind: 'month_changed', month: name });
    return true;
  });
};

export const followClosedMonths = (context: BooksContext): Repeated => {
  const ending = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    for (let pause = firstMs; ; pause = everyMs) {
      await wait(pause, undefined, { signal: ending.signal, ref: false });
      await lookAtClosedMonths(context).catch((error: unknown) =>
        context.log.warn({ err: error }, 'the closed months could not be read now'),
      );
    }
  };
  return {
    start() {
      running = look().catch(() => {});
    },
    async stop() {
      ending.abort();
      await running;
    },
  };
};
