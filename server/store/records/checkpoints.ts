// Checkpoints of the WAL, in quiet moments.
import type { Db } from '../db.ts';
import { mapper } from '../row.ts';
import type { Transactions } from '../transfers/transactions.ts';

/** How often the WAL is checked: while commits come, and otherwise. An idle treasury lets the processor sleep. */
const lookMs = { busy: 250, quiet: 2_000 };

/** Pages in the WAL that call for a checkpoint: in a quiet moment, and at once. */
const checkpointPages = { idle: 1_000, most: 16_000 };

const toPages = mapper('wal_checkpoint', (row) => row.integer('log'));

/**
 * Checkpoints the WAL in quiet moments, so that no payment waits for it. Until then the WAL holds the commits as
 * durably as the file would. Returns a function that ends it.
 * @param isHeld while true, the file must not change
 */
export const checkpointWhenIdle = (
  db: Db,
  { commits, checkFiles, halt }: Transactions,
  isHeld: () => boolean = () => false,
): (() => void) => {
  const pagesInLog = db.prepare('PRAGMA wal_checkpoint(NOOP)');
  let seen = -1;
  let copied = -1;
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const now = commits();
    const idle = now === seen;
    seen = now;
    checkFiles();
    try {
      if (copied !== now && db.open && !db.inTransaction && !isHeld()) {
        if (toPages(pagesInLog.get()) >= (idle ? checkpointPages.idle : checkpointPages.most)) {
          db.pragma('wal_checkpoint(PASSIVE)');
          copied = now;
        }
      }
      lookIn(idle ? lookMs.quiet : lookMs.busy);
    } catch (error) {
      halt(error);
    }
  };
  const lookIn = (ms: number): void => {
    timer = setTimeout(look, ms).unref();
  };
  lookIn(lookMs.busy);
  return () => clearTimeout(timer);
};
