// The owner's bearer tokens, kept as hashes: the cookie file of a headless host, browser sessions and terminals'
// grants; and the one-time logins that open a session.
import { timingSafeEqual } from 'node:crypto';
import { rmSync } from 'node:fs';
import { writePrivateFile } from '../lib/private-file.ts';
import { digestOf, newSecret, newToken } from '../lib/token.ts';

interface IssuedToken {
  token: string;
  /** Unix milliseconds. */
  expiresAt: number;
}

export interface OwnerTokens {
  isOwner(token: string): boolean;
  /** Writes a new token to the file, mode 0600; it lasts until the host ends. */
  writeCookie(file: string): void;
  /** An owner's token, valid for this long or until `revokeIssued`. */
  issue(lifetimeMs: number): IssuedToken;
  /** A token that opens one session within ten minutes, and can do nothing else. */
  issueLogin(): string;
  /** True once, for an issued login that has not expired. */
  takeLogin(login: string): boolean;
  revoke(token: string): void;
  /** Revokes all issued tokens; the cookie file's stays. */
  revokeIssued(): void;
  close(): void;
}

const loginMs = 600_000;
const mostTokens = 100;

const prefix = 'own_';

export const createOwnerTokens = (now: () => number = Date.now): OwnerTokens => {
  const cookies = createTokenSet(now);
  const issued = createTokenSet(now);
  const logins = createTokenSet(now);
  const files: string[] = [];
  return {
    isOwner: (token) => cookies.has(token) || issued.has(token),
    writeCookie(file) {
      const token = newToken(prefix);
      writePrivateFile(file, token);
      cookies.add(token, Infinity);
      files.push(file);
    },
    issue(lifetimeMs) {
      const token = newToken(prefix);
      return { token, expiresAt: issued.add(token, lifetimeMs) };
    },
    issueLogin() {
      const login = newSecret();
      logins.add(login, loginMs);
      return login;
    },
    takeLogin: (login) => logins.remove(login),
    revoke: (token) => void issued.remove(token),
    revokeIssued: issued.clear,
    close() {
      for (const file of files) rmSync(file, { force: true });
      for (const set of [cookies, issued, logins]) set.clear();
    },
  };
};

/** Hashes, each with its expiry; compared in constant time, the oldest dropped when there are too many. */
const createTokenSet = (now: () => number) => {
  let held: { hashed: Buffer; until: number }[] = [];
  const indexOf = (token: string): number => {
    const given = digestOf(token);
    held = held.filter(({ until }) => until > now());
    return held.findIndex(({ hashed }) => timingSafeEqual(hashed, given));
  };
  return {
    has: (token: string): boolean => indexOf(token) >= 0,
    add(token: string, lifetimeMs: number): number {
      const until = now() + lifetimeMs;
      held = [...held.slice(1 - mostTokens), { hashed: digestOf(token), until }];
      return until;
    },
    /** True if it was there. */
    remove(token: string): boolean {
      const index = indexOf(token);
      if (index >= 0) held.splice(index, 1);
      return index >= 0;
    },
    clear(): void {
      held = [];
    },
  };
};
