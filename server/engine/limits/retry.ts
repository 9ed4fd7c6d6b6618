// The time from which a refused payment can succeed, in words and in the details of the refusal. Unix milliseconds; null
// where waiting does not help.

export const next = (retryAt: number | null): string =>
  retryAt === null ? 'Ask the owner for more.' : `Try again, with a new Idempotency-Key, at ${iso(retryAt)}.`;
export const retrying = (retryAt: number | null) => (retryAt === null ? {} : { retryAt: iso(retryAt) });

export const iso = (time: number): string => new Date(time).toISOString();
