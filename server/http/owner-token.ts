// The owner's bearer tokens, kept as hashes: the cookie file of a headless host, browsers' sessions and terminals'
// grants; and the one-time logins that open a session.
import { timingSafeEqual } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Ending } from '../contract/proof-text.ts';
import { writePrivateFile } from '../lib/private-file.ts';
import { digestOf, newSecret, newToken } from '../lib/token.ts';
import { createSessions, type IssuedToken, type KeptSessions, type Sessions } from './sessions.ts';

export interface OwnerTokens {
  sessions: Sessions;
  isOwner(token: string): boolean;
  /** When it ends by itself, in Unix milliseconds; null for what is no owner's token. */
  endOf(token: string): number | null;
  /** Writes a new token to the file, mode 0600; it lasts until the host ends. */
  writeCookie(file: string): void;
  /** A terminal's token, valid for this long or until `revokeIssued`. */
  issue(lifetimeMs: number): IssuedToken;
  /** A token that opens one session within ten minutes, and can do nothing else. */
  issueLogin(): string;
  /** True once, for an issued login that has not expired. */
  takeLogin(login: string): boolean;
  /** Ends a terminal's token, or a session with all others of its sign-in. */
  revoke(token: string): void;
  /** Revokes all sessions and terminals' tokens; the cookie file's stays. */
  revokeIssued(why: Ending): void;
  close(): void;
}

interface OwnerTokensOptions {
  /** Unix milliseconds. */
  now?: () => number;
  /** Where sessions outlive the host; null or absent: nowhere. */
  kept?: KeptSessions | null;
}

const loginMs = 600_000;
const mostTokens = 100;

const prefix = 'own_';

export const createOwnerTokens = ({ now = Date.now, kept = null }: OwnerTokensOptions = {}): OwnerTokens => {
  const cookies = createTokenSet(now);
  const issued = createTokenSet(now);
  const logins = createTokenSet(now);
  const sessions = createSessions(now, kept);
  const files: string[] = [];
  const endOf = (token: string): number | null =>
    cookies.endOf(token) ?? issued.endOf(token) ?? sessions.endOf(token);
  return {
    sessions,
    isOwner: (token) => endOf(token) !== null,
    endOf,
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
    revoke(token) {
      issued.remove(token);
      sessions.end(token);
    },
    revokeIssued(why) {
      issued.clear();
      sessions.endAll(why);
    },
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
    endOf: (token: string): number | null => held[indexOf(token)]?.until ?? null,
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
