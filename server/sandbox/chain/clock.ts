// The chain's time. Slots follow the real clock plus any warp; every 18th slot produces no block, so that slot and
// block height differ. All else (heights, block times, what is confirmed) is computed from the time.

export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** The state that a later start needs to continue this clock, even with other settings. */
export interface ClockRecord {
  segments: readonly Segment[];
  warpedMs: number;
  confirmMs: number;
  finalizeMs: number;
  confirmedFloorMs: number;
  finalizedFloorMs: number;
}

/** From `fromMs` on, slots are counted from `fromSlot` and last `slotMs`. */
interface Segment {
  fromSlot: number;
  fromMs: number;
  slotMs: number;
}

export interface ChainClock {
  /** Milliseconds of chain time: never backward, never behind the real clock. */
  now(): number;
  warp(slots: number): void;
  /** Transactions that arrived at or before this time have the commitment. */
  horizon(commitment: Commitment): number;
  slot(commitment: Commitment): number;
  /** The newest slot with a block at that time. */
  slotAt(ms: number): number;
  blockTime(slot: number): number;
  readonly slotMs: number;
  readonly lagMs: Readonly<Record<Commitment, number>>;
}

interface ClockOptions {
  slotMs: number;
  confirmMs: number;
  finalizeMs: number;
  saved: ClockRecord | null;
  save: (record: ClockRecord) => void;
  /** The newest time in the ledger. */
  newestMs: number;
  wallMs: () => number;
  monotonicMs: () => number;
}

/** Slots that a new chain starts with, so that its blockhash queue is full from the first moment. */
const genesisSlots = 1000;
const skipEvery = 18;

export const isSkipped = (slot: number): boolean => slot % skipEvery === skipEvery - 1;
export const heightOf = (slot: number): number => slot - Math.floor((slot + 1) / skipEvery);
export const slotOfHeight = (height: number): number => height + Math.floor(height / (skipEvery - 1));

export const createChainClock = (options: ClockOptions): ChainClock => {
  const { saved, save, slotMs, confirmMs, wallMs, monotonicMs } = options;
  const finalizeMs = Math.max(options.finalizeMs, confirmMs);
  let warpedMs = saved?.warpedMs ?? 0;
  let aheadMs = Math.max(wallMs() + warpedMs, options.newestMs) - monotonicMs();

  const now = (): number => {
    aheadMs = Math.max(aheadMs, wallMs() + warpedMs - monotonicMs());
    return Math.floor(monotonicMs() + aheadMs);
  };
  const startMs = now();
  const segments = segmentsFrom(saved?.segments ?? [], startMs, slotMs);
  // Confirmed transactions stay confirmed when a restart lengthens the lag.
  const confirmedFloorMs = saved ? Math.max(saved.confirmedFloorMs, startMs - saved.confirmMs) : 0;
  const finalizedFloorMs = saved ? Math.max(saved.finalizedFloorMs, startMs - saved.finalizeMs) : 0;
  const persist = (): void =>
    save({ segments, warpedMs, confirmMs, finalizeMs, confirmedFloorMs, finalizedFloorMs });
  persist();

  const horizon = (commitment: Commitment): number => {
    if (commitment === 'processed') return now();
    return commitment === 'confirmed'
      ? Math.max(confirmedFloorMs, now() - confirmMs)
      : Math.max(finalizedFloorMs, now() - finalizeMs);
  };
  const slotAt = (ms: number): number => {
    const segment = segments.findLast(({ fromMs }) => fromMs <= ms);
    const slot = segment ? segment.fromSlot + Math.floor((ms - segment.fromMs) / segment.slotMs) : 0;
    return isSkipped(slot) ? slot - 1 : slot;
  };
  return {
    slotMs,
    lagMs: { processed: 0, confirmed: confirmMs, finalized: finalizeMs },
    now,
    horizon,
    slotAt,
    slot: (commitment) => slotAt(horizon(commitment)),
    blockTime: (slot) => {
      const segment = segments.findLast(({ fromSlot }) => fromSlot <= slot);
      return segment ? Math.floor((segment.fromMs + (slot - segment.fromSlot) * segment.slotMs) / 1000) : 0;
    },
    warp: (slots) => {
      warpedMs += slots * slotMs;
      persist();
      aheadMs += slots * slotMs;
    },
  };
};

const segmentsFrom = (saved: readonly Segment[], nowMs: number, slotMs: number): readonly Segment[] => {
  const last = saved.at(-1);
  if (!last) return [{ fromSlot: 0, fromMs: nowMs - genesisSlots * slotMs, slotMs }];
  if (last.slotMs === slotMs) return saved;
  const elapsed = Math.max(0, Math.floor((nowMs - last.fromMs) / last.slotMs));
  return [...saved, { fromSlot: last.fromSlot + elapsed + 1, fromMs: nowMs, slotMs }];
};
