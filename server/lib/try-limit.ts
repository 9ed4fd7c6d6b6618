// A rate limit per name over a sliding window: for passphrases, and for codes sent by e-mail.
import { AppError } from '../errors.ts';

export interface TryLimit {
  /** @throws AppError `too_many_requests` with `retryAfterSeconds` and the message `why` when no try is left */
  check(name: string, why: string): void;
  count(name: string): void;
  /** Takes the last count back. */
  forgive(name: string): void;
}

/** Five passphrases a minute, for each name. */
export const createPassphraseLimit = (now: () => number): TryLimit => createTryLimit(5, 60_000, now);

/**
 * Runs one try of a passphrase: it counts, unless it succeeds.
 * @throws AppError `too_many_requests` when no try is left, or what `check` throws
 */
export const tryPassphrase = async (
  tried: TryLimit,
  name: string,
  check: () => Promise<void>,
): Promise<void> => {
  tried.check(name, 'Too many passphrases were tried. Try again in a minute.');
  tried.count(name);
  await check();
  tried.forgive(name);
};

/** At most `most` tries in any `withinMs` milliseconds. @param now gives Unix milliseconds */
export const createTryLimit = (most: number, withinMs: number, now: () => number): TryLimit => {
  const tried = new Map<string, number[]>();
  let sweptAt = now();
  /** Runs once per window, so that a try costs the same however many names there were. */
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
