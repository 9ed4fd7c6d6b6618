// Anybody on this machine may try a passphrase, or have a code sent by e-mail, so there are few tries. A stranger could use
// them up and keep the owner out. Callers that this host knows therefore have tries of their own: terminals that can read
// the data folder, and browsers in which the owner signed in before. Their token tells them apart and allows nothing.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface KnownCallers {
  /** The same for all of them, and after a restart. */
  token: string;
  has(bearer: string | undefined): boolean;
}

const digest = (token: string): Buffer => hash('sha256', token, 'buffer');

/** @param file where the token lies, 0600; a new one is made where there is none */
export const createKnownCallers = (file: string): KnownCallers => {
  const token = kept(file) ?? made(file);
  const known = digest(token);
  return {
    token,
    has: (bearer) => bearer !== undefined && timingSafeEqual(digest(bearer), known),
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
  const token = `knw_${randomBytes(32).toString('base64url')}`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Removed first: the mode of a file that exists would stay what it was.
  rmSync(file, { force: true });
  writeFileSync(file, token, { mode: 0o600, flag: 'wx' });
  return token;
};
