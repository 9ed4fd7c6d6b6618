// The link page's pause between polls.
import { AppError } from '../../../server/errors.ts';

const everyMs = 2_500;
/** Jitter: without it, two open pages would run into the rate limit in turn, for ever. */
const spreadMs = 1_000;

export const isTooSoon = (error: Error | null): error is AppError =>
  error instanceof AppError && error.code === 'too_many_requests';

/** In milliseconds. @param random a number in [0, 1) */
export const pauseAfter = (error: Error | null, random: number): number => {
  if (!isTooSoon(error)) return everyMs;
  const seconds = Number(error.details?.['retryAfterSeconds'] ?? 0);
  return Math.max(everyMs, seconds * 1_000) + Math.floor(random * spreadMs);
};
