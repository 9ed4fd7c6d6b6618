// The journal that makes changes from outside visible.

/** A position in the journal: an entry's number and its hash, which covers all entries before it. */
export interface JournalHead {
  seq: number;
  hash: Buffer;
}

export interface JournalBreak {
  broken: string;
}

export interface JournalStore {
  head(): JournalHead;
  hashAt(seq: number): Buffer | undefined;
  /** Checks up to `limit` of the entries that follow, and the rows that they cover. */
  verifyAfter(from: JournalHead, limit: number): JournalBreak | { reached: JournalHead };
  /** Checks every row that governs payments: agents, policies, API keys, standing approvals, services, the freeze. */
  verifyRules(): JournalBreak | null;
  /**
   * Checks all of that and every row, that none was added or removed without an entry, and rows written meanwhile.
   * Yields every few milliseconds.
   */
  verifyAll(): Generator<void, JournalBreak | null>;
}
