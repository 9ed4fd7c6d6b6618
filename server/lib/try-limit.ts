// So many tries within a time for each name: passphrases, and codes by e-mail.
import { AppError } from '../errors.ts';

export interface TryLimit {
  /** @throws AppError `too_many_requests` with `retryAfterSeconds` when the name has had its tries; `why` is its message */
  check(name: string, why: string): void;
  count(name: string): void;
  /** Takes the last one back. */
  forgive(name: string): void;
}

/** @param now Unix milliseconds, as `withinMs` */
export const createTryLimit = (most: number, withinMs: number, now: () => number): TryLimit => {
  const tried = new Map<string, number[]>();
  let sweptAt = now();
  /** Now and then, so that a try costs the same however many names there were. */
  const sweep = (): void => {
    if (now() - sweptAt < withinMs) return;
    sweptAt = now();
    for (const name of tried.keys()) if (recent(name).length === 0) tried.delete(name);
  };
  const recent = (name: string): number[] =>
    (tried.get(name) ?? []).filter((time) => time > now() - withinMs);
  return {
    check(name, why) {
      const [oldest, ...others] = recent(name);
      if (oldest === undefined || others.length + 1 < most) return;
      throw new AppError('too_many_requests', why, {
        retryAfterSeconds: Math.ceil((oldest + withinMs - now()) / 1_000),
      });
    },
    count(name) {
      sweep();
      tried.set(name, [...recent(name), now()]);
    },
    forgive(name) {
      tried.set(name, recent(name).slice(0, -1));
    },
  };
};
