// The engine's time. It never falls behind the newest recorded time, and never runs more than five minutes ahead of the
// machine's monotonic clock, so that changing the system clock moves no budget's window.
import type { Clock, MachineClock, Milliseconds } from '../ports.ts';

/** How far this machine's clock and the chain's may differ, unless the clock is in doubt. Milliseconds. */
export const toleranceMs = 5 * 60_000;

export interface Time {
  /** Unix milliseconds; never less than the newest payment's time, and the time since which a total budget counts. */
  now(): number;
  /** What the machine's clock shows, also when it was set back. */
  wall(): number;
  /** Why the clock cannot be trusted, or null. */
  doubt(): string | null;
  /** The time of a block on a real network contradicts the clock. */
  suspect(why: string): void;
  /** The owner, or the time of a block on a real network, confirms the clock. */
  trust(): void;
}

const whole = (reading: number): Milliseconds => Math.floor(reading) as Milliseconds;

/** The one way by which a reading of the machine's clocks gets in. */
export const wholeClock = ({ wall, monotonic }: MachineClock): Clock => ({
  wall: () => whole(wall()),
  monotonic: () => whole(monotonic()),
});

export const createTime = (clock: Clock, newestTime: () => number): Time => {
  let anchor = { wall: clock.wall(), monotonic: clock.monotonic() };
  let newest = newestTime();
  let suspicion: string | null = null;
  /** How far the newest row was ahead of the clock when the clock was confirmed. */
  let confirmedLagMs = 0;
  const bound = (): number => anchor.wall + (clock.monotonic() - anchor.monotonic) + toleranceMs;

  return {
    wall: () => clock.wall(),
    now() {
      newest = Math.max(newest, Math.min(clock.wall(), bound()));
      return newest;
    },
    doubt() {
      const wall = clock.wall();
      if (wall > bound()) return 'the clock of this machine jumped ahead by more than five minutes';
      if (newest > wall + toleranceMs + confirmedLagMs)
        return 'the clock of this machine was set back by more than five minutes';
      return suspicion;
    },
    suspect(why) {
      suspicion = why;
    },
    trust() {
      suspicion = null;
      anchor = { wall: clock.wall(), monotonic: clock.monotonic() };
      newest = newestTime();
      confirmedLagMs = Math.max(0, newest - anchor.wall);
    },
  };
};
