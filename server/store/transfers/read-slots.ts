// The slots at which accounts were read from the chain, in memory: those of readings that changed nothing, and were not
// stored, too. Answers come late and in any order, and an older one must not undo what a later one showed.

export interface ReadSlots {
  /** False for a reading that is older than one of this account before it. */
  admit(address: string, slot: number): boolean;
  /** Forgets slots beyond this one, which came from a wrong answer. */
  forgetBeyond(slot: number): void;
}

export const createReadSlots = (): ReadSlots => {
  const latest = new Map<string, number>();
  return {
    admit(address, slot) {
      if (slot < (latest.get(address) ?? 0)) return false;
      latest.set(address, slot);
      return true;
    },
    forgetBeyond(slot) {
      for (const [address, known] of latest) if (known > slot) latest.delete(address);
    },
  };
};
