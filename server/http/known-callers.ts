// Anybody on this machine may try a passphrase, or have a code sent by e-mail, so there are few tries. A stranger could use
// them up and keep the owner out. Callers that this host knows therefore have tries of their own. A token tells them apart
// and allows nothing; terminals and browsers have one each, so that neither lost one costs the others their tries.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { KnownCaller } from '../engine/ports.ts';

export interface KnownCallers {
  /** For terminals that can read the data folder; new at each start, since the file with it outlasts a host that was killed. */
  terminal: string;
  /** For browsers in which the owner signed in; the same after a restart, when they have to sign in again. */
  browser: string;
  /** Null for a stranger. */
  find(bearer: string | undefined): KnownCaller | null;
}

const digest = (token: string): Buffer => hash('sha256', token, 'buffer');
const newToken = (): string => `knw_${randomBytes(32).toString('base64url')}`;

/** @param file where the browsers' token lies, 0600; a new one is made where there is none */
export const createKnownCallers = (file: string): KnownCallers => {
  const tokens: Record<KnownCaller, string> = { terminal: newToken(), browser: kept(file) ?? made(file) };
  const known = (['terminal', 'browser'] as const).map((name) => ({ name, hashed: digest(tokens[name]) }));
  return {
    ...tokens,
    find(bearer) {
      if (bearer === undefined) return null;
      const given = digest(bearer);
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
  const token = newToken();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Removed first: the mode of a file that exists would stay what it was.
  rmSync(file, { force: true });
  writeFileSync(file, token, { mode: 0o600, flag: 'wx' });
  return token;
};
