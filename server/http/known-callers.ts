// Anyone on this machine may try a passphrase or have a code e-mailed, so tries are limited. A stranger could use them
// up and keep the owner out; known callers therefore have tries of their own. Their token identifies them and allows
// nothing. Terminals and browsers have one each, so that losing one does not cost the other its tries.
import { timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { KnownCaller } from '../engine/ports.ts';
import { writePrivateFile } from '../lib/files/private-file.ts';
import { digestOf, newToken } from '../lib/token.ts';

export interface KnownCallers {
  /** For terminals that can read the data folder. New at each start, since its file survives a host that was killed. */
  terminal: string;
  /** For browsers in which the owner has signed in. It survives a restart, after which they have to sign in again. */
  browser: string;
  /** Null for an unknown caller. */
  find(bearer: string | undefined): KnownCaller | null;
}

const prefix = 'knw_';

/** @param file of the browsers' token, mode 0600; created when it is missing */
export const createKnownCallers = (file: string): KnownCallers => {
  const tokens: Record<KnownCaller, string> = {
    terminal: newToken(prefix),
    browser: kept(file) ?? made(file),
  };
  const known = (['terminal', 'browser'] as const).map((name) => ({ name, hashed: digestOf(tokens[name]) }));
  return {
    ...tokens,
    find(bearer) {
      if (bearer === undefined) return null;
      const given = digestOf(bearer);
      return known.find(({ hashed }) => timingSafeEqual(given, hashed))?.name ?? null;
    },
  };
};

const kept = (file: string): string | undefined => {
  try {
    return /^knw_[\w-]{43}$/.exec(readFileSync(file, 'utf8'))?.[0];
  } catch {
    return undefined;
  }
};

const made = (file: string): string => {
  const token = newToken(prefix);
  writePrivateFile(file, token);
  return token;
};
