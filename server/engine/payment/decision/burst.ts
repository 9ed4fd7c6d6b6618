// A rate limit by name, for requests that are free within reason: it stops programs that run wild.

import { AppError } from '../../../errors.ts';
import type { Caller } from '../../ports.ts';

export interface Burst {
  /** Counts one more at `now`, in Unix milliseconds; true while it is one of the first `most` of its minute. */
  admit(name: string, now: number): boolean;
}

const minuteMs = 60_000;
const mostNames = 10_000;

/** @param most the number admitted in a minute, which begins with the first of them */
export const createBurst = (most: number): Burst => {
  const minutes = new Map<string, { since: number; count: number }>();
  return {
    admit(name, now) {
      const known = minutes.get(name);
      const minute = known !== undefined && now - known.since < minuteMs ? known : { since: now, count: 0 };
      if (minute !== known) {
        if (minutes.size >= mostNames) minutes.clear();
        minutes.set(name, minute);
      }
      minute.count += 1;
      return minute.count <= most;
    },
  };
};

/**
 * An agent's changes to itself and its keys take the owner's disk space, and are rarely needed.
 * @param what the agent may do 60 times a minute: `delegate keys`
 */
export const createChangeLimit = (what: string) => {
  const burst = createBurst(60);
  return {
    /** @throws AppError `too_many_requests` when this agent changed itself too often in this minute */
    count(caller: Caller, now: number): void {
      if (caller.role !== 'agent' || burst.admit(caller.agentId, now)) return;
      throw new AppError(
        'too_many_requests',
        `An agent may ${what} 60 times a minute. Try again in a minute.`,
        { retryAfterSeconds: 60 },
      );
    },
  };
};
