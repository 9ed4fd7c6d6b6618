// Detects changes to the database from outside. The journal's head is sealed in the vault every 10,000 entries, and soon
// after a language model was used, which nothing else would show to an older copy; a start verifies the entries after it, and
// the rest in the background. A break freezes everything.
import type { JournalHead, Store } from '../ports.ts';
import type { Context } from '../payment/context.ts';
import { beginReconciliation, rolledBack } from './rollback.ts';
import { freeze } from '../payment/owner/stop.ts';
import { repeat } from '../../lib/repeat.ts';

const sealEvery = 10_000;
const tail = 2 * sealEvery;
const stretch = 500;
const lookMs = 30_000;
const quietMs = 1_000;
const pauseMs = 20;
/** The pause between two steps while payments are made, so that less than one payment in a hundred waits for a step. */
const busyMs = 500;
const beginning: JournalHead = { seq: 0, hash: Buffer.alloc(32) };

export interface Audit {
  /**
   * Verifies from the last seal, at once; freezes on a break. Checks nothing while the vault is locked.
   * @throws the database's Error when the records cannot be read: they then stay unverified
   */
  verifyTail(): void;
  /** Verifies everything in small steps, and seals as the journal grows. */
  start(): void;
  stop(): void;
}

/** Verifies everything without a pause. Returns the break, or null. */
export const verifyJournal = ({ journal }: Pick<Store, 'journal'>): string | null => {
  const check = journal.verifyAll();
  for (;;) {
    const { done, value } = check.next();
    if (done) return value?.broken ?? null;
  }
};

/** The first break after `from`, as far as a start can wait for the check. */
const faultAfter = ({ journal }: Pick<Store, 'journal'>, from: JournalHead): string | null => {
  const rules = journal.verifyRules();
  if (rules !== null) return rules.broken;
  let at = from;
  for (let checked = 0; at.seq < journal.head().seq && checked < tail; checked += stretch) {
    const result = journal.verifyAfter(at, stretch);
    if ('broken' in result) return result.broken;
    at = result.reached;
  }
  return null;
};

export const createAudit = (context: Context): Audit => {
  const { store, seals, halted, log } = context;
  let verified = false;
  let stopped = false;

  const alarm = (why: string): void => {
    stopped = true;
    log.error({ why }, 'the database was changed outside the treasury');
    freeze(context, `the treasury's records were changed from outside (${why})`);
  };

  /** An intact journal is a rolled-back copy, which reconciliation.ts seals anew; otherwise the journal was cut. */
  const older = (why: string): void => {
    const seq = Math.max(0, store.journal.head().seq - tail);
    const fault = faultAfter(store, { seq, hash: store.journal.hashAt(seq) ?? beginning.hash });
    if (fault !== null) alarm(fault);
    stopped = true;
    beginReconciliation(context, fault === null ? 'older' : 'debit', `${rolledBack} (${why})`);
  };

  /** The last seal, or null. Raises the alarm when the journal is not the one that was sealed. */
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
    const last = sealed();
    const fault = stopped ? null : faultAfter(store, last ?? beginning);
    verified = true;
    if (fault !== null) alarm(fault);
  };

  const sealing = createSealing(context, () => verified && !stopped);

  /** Verifies everything in small steps, and slowly while payments are made. */
  const verifyAll = (check: ReturnType<Store['journal']['verifyAll']>, headBefore: number): void => {
    if (stopped) return;
    try {
      const head = store.journal.head().seq;
      const { done, value } = check.next();
      if (!done) setTimeout(verifyAll, head === headBefore ? pauseMs : busyMs, check, head).unref();
      else if (value !== null) alarm(value.broken);
    } catch (error) {
      log.error({ err: error }, 'the records could not be verified');
      // A disk that has failed has stopped everything already. Otherwise a row that cannot be read may have been changed.
      if (halted.reason === null) alarm('they cannot be read');
    }
  };

  return {
    verifyTail,
    start() {
      setTimeout(verifyAll, quietMs, store.journal.verifyAll(), store.journal.head().seq).unref();
      sealing.start();
    },
    stop() {
      void sealing.stop();
      // Seals at every clean stop, so that a rolled-back copy is noticed. Pending work is committed first; a database
      // that has halted takes no commit, and must still be closed.
      if (verified && !stopped && seals.available() && halted.reason === null)
        seals.seal(store.atomically(() => store.journal.head()));
      stopped = true;
    },
  };
};

const createSealing = (
  { store, seals, halted, log }: Context,
  isSound: () => boolean,
): ReturnType<typeof repeat> => {
  /** The newest request to a model under the last seal. */
  let sealedUse: number | undefined;
  const sealWhenDue = (): void => {
    if (!isSound() || halted.reason !== null || !seals.available()) return;
    const head = store.atomically(() => store.journal.head());
    const used = store.modelRequests.list({ limit: 1 })[0]?.seq;
    if (used === sealedUse && head.seq - (seals.last()?.seq ?? 0) < sealEvery) return;
    seals.seal(head);
    sealedUse = used;
  };
  return repeat(sealWhenDue, lookMs, (error) =>
    log.warn({ err: error }, 'the journal could not be sealed now'),
  );
};
