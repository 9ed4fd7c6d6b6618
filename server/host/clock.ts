// The machine's clock.
import { uptime } from 'node:os';
import type { Clock } from '../engine/ports.ts';

/**
 * The time since boot goes on while the machine sleeps, where the process's own monotonic clock may not. Asking the
 * system for it is slow, so that it corrects the process's clock once a second.
 */
export const createMachineClock = (): Clock => {
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
