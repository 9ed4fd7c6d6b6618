// Has anybody but us written to the database? The journal's head is sealed in the vault every 10,000 entries; a start
// verifies what came after that, and the rest in the background. A break freezes everything.
import type { JournalHead, Store } from '../ports.ts';
import type { Context } from '../payment/context.ts';
import { beginReconciliation, rolledBack } from './rollback.ts';
import { freeze } from '../payment/stop.ts';

const sealEvery = 10_000;
const tail = 2 * sealEvery;
const stretch = 500;
const lookMs = 30_000;
const quietMs = 1_000;
const pauseMs = 20;
/** Between two steps of the verification, so that less than one payment in a hundred waits for one. */
const busyMs = 500;
const beginning: JournalHead = { seq: 0, hash: Buffer.alloc(32) };

export interface Audit {
  /** Verifies from the last seal, at once; freezes on a break. Nothing is checked while the vault is locked. */
  verifyTail(): void;
  /** Verifies everything, bit by bit, and seals as the journal grows. */
  start(): void;
  stop(): void;
}

/** Verifies everything at once; null, or what is broken. */
export const verifyJournal = ({ journal }: Pick<Store, 'journal'>): string | null => {
  const check = journal.verifyAll();
  for (;;) {
    const { done, value } = check.next();
    if (done) return value?.broken ?? null;
  }
};

export const createAudit = (context: Context): Audit => {
  const { store, seals, halted, log } = context;
  let verified = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const alarm = (why: string): void => {
    stopped = true;
    log.error({ why }, 'the database was changed outside the treasury');
    freeze(context, `the treasury's records were changed from outside (${why})`);
  };

  /** What is broken after `from`, as far as a start can wait for it. */
  const faultAfter = (from: JournalHead): string | null => {
    const rules = store.journal.verifyRules();
    if (rules !== null) return rules.broken;
    let at = from;
    for (let checked = 0; at.seq < store.journal.head().seq && checked < tail; checked += stretch) {
      const result = store.journal.verifyAfter(at, stretch);
      if ('broken' in result) return result.broken;
      at = result.reached;
    }
    return null;
  };

  /** All of it may be whole: it is the past. Then reconcile.ts seals it anew; otherwise it was cut. */
  const older = (why: string): void => {
    const seq = Math.max(0, store.journal.head().seq - tail);
    const fault = faultAfter({ seq, hash: store.journal.hashAt(seq) ?? beginning.hash });
    if (fault !== null) alarm(fault);
    stopped = true;
    beginReconciliation(context, fault === null ? 'older' : 'debit', `${rolledBack} (${why})`);
  };

  /** The seal, or null when there is none; alarmed when the journal is not the one that was sealed. */
  const sealed = (): JournalHead | null => {
    const last = seals.last();
    if (last === null) return null;
    if (store.journal.head().seq < last.seq) {
      older('the journal ends before the entry that was sealed');
    } else if (!store.journal.hashAt(last.seq)?.equals(last.hash)) {
      older(`entry ${last.seq} of the journal is not the one that was sealed`);
    }
    return last;
  };

  const verifyTail = (): void => {
    if (verified || !seals.available()) return;
    verified = true;
    const last = sealed();
    if (stopped) return;
    const fault = faultAfter(last ?? beginning);
    if (fault !== null) alarm(fault);
  };

  const sealWhenDue = (): void => {
    if (!verified || stopped || !seals.available()) return;
    const head = store.atomically(() => store.journal.head());
    if (head.seq - (seals.last()?.seq ?? 0) >= sealEvery) seals.seal(head);
  };

  /** Everything, bit by bit, and slowly while something is being paid. */
  const verifyAll = (check: ReturnType<Store['journal']['verifyAll']>, headBefore: number): void => {
    if (stopped) return;
    const head = store.journal.head().seq;
    const { done, value } = check.next();
    if (!done) setTimeout(verifyAll, head === headBefore ? pauseMs : busyMs, check, head).unref();
    else if (value !== null) alarm(value.broken);
  };

  return {
    verifyTail,
    start() {
      setTimeout(verifyAll, quietMs, store.journal.verifyAll(), store.journal.head().seq).unref();
      timer = setInterval(sealWhenDue, lookMs);
    },
    stop() {
      clearInterval(timer);
      // Sealed at every clean stop, so that an older copy put in its place is noticed.
      // What waits for its commit is committed first; a database that has halted takes none, and must still be closed.
      if (verified && !stopped && seals.available() && halted.reason === null)
        seals.seal(store.atomically(() => store.journal.head()));
      stopped = true;
    },
  };
};
