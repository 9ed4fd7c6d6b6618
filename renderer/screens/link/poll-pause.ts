// How long the link page waits before it asks again.
import { AppError } from '../../../server/errors.ts';

const everyMs = 2_500;
/** Two pages that are shown side by side would otherwise refuse one another for ever. */
const spreadMs = 1_000;

export const isTooSoon = (error: Error | null): error is AppError =>
  error instanceof AppError && error.code === 'too_many_requests';

/** @param random from 0 up to 1 */
export const pauseAfter = (error: Error | null, random: number): number => {
  if (!isTooSoon(error)) return everyMs;
  const seconds = Number(error.details?.['retryAfterSeconds'] ?? 0);
  return Math.max(everyMs, seconds * 1_000) + Math.floor(random * spreadMs);
};
