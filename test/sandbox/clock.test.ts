// Time on the chain, with a clock that the test moves.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { ChainClock, ClockRecord } from '../../server/sandbox/chain/clock.ts';
import { createChainClock, heightOf, isSkipped, slotOfHeight } from '../../server/sandbox/chain/clock.ts';

interface Hands {
  wallMs: number;
  monotonicMs: number;
  saved: ClockRecord | null;
  newestMs: number;
}

const start = (
  hands: Hands,
  options: { slotMs?: number; confirmMs?: number; finalizeMs?: number } = {},
): ChainClock =>
  createChainClock({
    slotMs: 400,
    confirmMs: 400,
    finalizeMs: 13_000,
    ...options,
    saved: hands.saved,
    save: (record) => (hands.saved = structuredClone(record)),
    newestMs: hands.newestMs,
    wallMs: () => hands.wallMs,
    monotonicMs: () => hands.monotonicMs,
  });

const newHands = (): Hands => ({ wallMs: 1_800_000_000_000, monotonicMs: 50, saved: null, newestMs: 0 });

describe('slots and heights', () => {
  test('every slot except the skipped ones adds one block', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), (slot) => {
        expect(heightOf(slot + 1) - heightOf(slot)).toBe(isSkipped(slot + 1) ? 0 : 1);
        if (!isSkipped(slot)) expect(slotOfHeight(heightOf(slot))).toBe(slot);
      }),
    );
  });

  test('differ from the first moment', () => {
    const slot = start(newHands()).slot('finalized');
    expect(slot - heightOf(slot)).toBeGreaterThan(10);
  });
});

test('neither a jump of the wall clock, nor a warp, nor a restart with other settings moves time backwards', () => {
  const step = fc.record({
    wallMs: fc.integer({ min: -3_600_000, max: 3_600_000 }),
    monotonicMs: fc.nat(5000),
    warp: fc.nat(200),
    restart: fc.option(
      fc.record({
        slotMs: fc.integer({ min: 1, max: 2000 }),
        confirmMs: fc.nat(2000),
        finalizeMs: fc.nat(30_000),
      }),
    ),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => {
      const hands = newHands();
      let clock = start(hands);
      const seen = (): number[] => [
        clock.now(),
        clock.slot('processed'),
        clock.slot('confirmed'),
        clock.slot('finalized'),
        clock.blockTime(clock.slot('processed')),
      ];
      let before = seen();
      for (const { wallMs, monotonicMs, warp, restart } of steps) {
        hands.newestMs = clock.now();
        hands.wallMs += wallMs;
        hands.monotonicMs += monotonicMs;
        clock.warp(warp);
        if (restart) {
          hands.newestMs = clock.now();
          hands.monotonicMs = 0;
          clock = start(hands, restart);
        }
        const after = seen();
        after.forEach((value, index) => expect(value).toBeGreaterThanOrEqual(before[index] ?? Infinity));
        const [now = 0, processed = 0, confirmed = 0, finalized = 0, seconds = 0] = after;
        expect(now).toBeGreaterThanOrEqual(hands.wallMs);
        expect(processed).toBeGreaterThanOrEqual(confirmed);
        expect(confirmed).toBeGreaterThanOrEqual(finalized);
        expect(Math.abs(now / 1000 - seconds)).toBeLessThan(5);
        before = after;
      }
    }),
  );
});

test('a warp moves slots and seconds alike', () => {
  const hands = newHands();
  const clock = start(hands);
  const [slot, seconds] = [clock.slot('processed'), clock.blockTime(clock.slot('processed'))];
  clock.warp(900);
  expect(clock.slot('processed') - slot).toBe(900);
  expect(clock.blockTime(slot + 900) - seconds).toBe(360);
});
