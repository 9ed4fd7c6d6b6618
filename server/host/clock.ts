// The machine's clock.
import { uptime } from 'node:os';
import type { MachineClock } from '../engine/ports.ts';

/**
 * A monotonic clock that includes sleep. The process's own may stop while the machine sleeps; the system's uptime does
 * not, but is slow to read, so it corrects the process's clock once a second.
 */
export const createMachineClock = (): MachineClock => {
  let asleepMs = 0;
  let askedAt = -Infinity;
  const awake = performance.now();
  const booted = uptime() * 1_000;
  return {
    wall: Date.now,
    monotonic() {
      const now = performance.now();
      if (process.platform !== 'darwin' && now - askedAt > 1_000) {
        askedAt = now;
        asleepMs = Math.max(asleepMs, uptime() * 1_000 - booted - (now - awake));
      }
      return now + asleepMs;
    },
  };
};
