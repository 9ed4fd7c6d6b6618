// Has anybody but us written to the database? The journal's head is sealed in the vault every 10,000 entries; a start
// verifies what came after that, and the rest in the background. A break freezes everything.
import type { JournalHead, Store } from './ports.ts';
import type { Context } from './context.ts';
import { freeze } from './stop.ts';

const sealEvery = 10_000;
const stretch = 500;
const lookMs = 30_000;
const quietMs = 1_000;
const pauseMs = 20;
const beginning: JournalHead = { seq: 0, hash: Buffer.alloc(32) };

export interface Audit {
  /** Verifies from the last seal, at once; freezes on a break. Nothing is checked while the vault is locked. */
  verifyTail(): void;
  /** Verifies everything, bit by bit, and seals as the journal grows. */
  start(): void;
  stop(): void;
}

/** Verifies everything at once; null, or what is broken. */
export const verifyJournal = ({ journal }: Pick<Store, 'journal'>, from = beginning): string | null => {
  let at = from;
  while (at.seq < journal.head().seq) {
    const result = journal.verifyAfter(at, stretch);
    if ('broken' in result) return result.broken;
    at = result.reached;
  }
  return journal.verifyCounts()?.broken ?? null;
};

export const createAudit = (context: Context): Audit => {
  const { store, seals, log } = context;
  let verified = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const alarm = (why: string): void => {
    stopped = true;
    log.error({ why }, 'the database was changed outside the treasury');
    freeze(context, `the treasury's records were changed from outside (${why})`);
  };

  /** The seal, or null when there is none; alarmed when the journal is not the one that was sealed. */
  const sealed = (): JournalHead | null => {
    const last = seals.last();
    if (last === null) return null;
    if (store.journal.head().seq < last.seq) {
      alarm('the journal ends before the entry that was sealed: this is an older copy');
    } else if (!store.journal.hashAt(last.seq)?.equals(last.hash)) {
      alarm(`entry ${last.seq} of the journal is not the one that was sealed`);
    }
    return last;
  };

  const verifyTail = (): void => {
    if (verified || !seals.available()) return;
    verified = true;
    const last = sealed();
    if (stopped) return;
    const rules = store.journal.verifyRules();
    if (rules !== null) return alarm(rules.broken);
    let at = last ?? beginning;
    for (let checked = 0; at.seq < store.journal.head().seq && checked < 2 * sealEvery; checked += stretch) {
      const result = store.journal.verifyAfter(at, stretch);
      if ('broken' in result) return alarm(result.broken);
      at = result.reached;
    }
  };

  const sealWhenDue = (): void => {
    if (!verified || stopped || !seals.available()) return;
    const head = store.journal.head();
    if (head.seq - (seals.last()?.seq ?? 0) >= sealEvery) seals.seal(head);
  };

  /** Everything from the first entry on, a stretch at a time and only while nothing is being paid. */
  const verifyAll = (at: JournalHead, headBefore: number): void => {
    if (stopped) return;
    const head = store.journal.head().seq;
    if (head !== headBefore) {
      setTimeout(verifyAll, quietMs, at, head).unref();
      return;
    }
    if (at.seq >= head) {
      const counts = store.journal.verifyCounts();
      if (counts !== null) alarm(counts.broken);
      return;
    }
    const result = store.journal.verifyAfter(at, stretch);
    if ('broken' in result) return alarm(result.broken);
    setTimeout(verifyAll, pauseMs, result.reached, head).unref();
  };

  return {
    verifyTail,
    start() {
      setTimeout(verifyAll, quietMs, beginning, store.journal.head().seq).unref();
      timer = setInterval(sealWhenDue, lookMs);
    },
    stop() {
      clearInterval(timer);
      // Sealed at every clean stop, so that an older copy put in its place is noticed.
      if (verified && !stopped && seals.available()) seals.seal(store.journal.head());
      stopped = true;
    },
  };
};
