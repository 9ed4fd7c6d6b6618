// The owner's bearer tokens, kept as hashes: the cookie file of a headless host, browsers' sessions and terminals'
// grants; and the one-time logins that open a session. Each counts at one door alone: the file's and the one-time logins at
// the local one, sessions and grants where they were issued.
import { timingSafeEqual } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Ending } from '../contract/host/proof-text.ts';
import { writePrivateFile } from '../lib/files/private-file.ts';
import { doorNames, type DoorName } from '../lib/net/public-url.ts';
import { digestOf, newSecret, newToken } from '../lib/token.ts';
import { createSessions, type IssuedToken, type KeptSessions, type Sessions } from './sessions.ts';

export interface OwnerTokens {
  sessions: Sessions;
  isOwner(token: string, door: DoorName): boolean;
  /** The place of an owner's token: a browser's session, or a terminal's. */
  placeOf(token: string, door: DoorName): 'dashboard' | 'command' | null;
  /** Whether it is an owner's token at any door. */
  isLive(token: string): boolean;
  /** When it ends by itself, in Unix milliseconds; null for what is no owner's token at this door. */
  endOf(token: string, door: DoorName): number | null;
  /** Writes a new token to the file, mode 0600; it lasts until the host ends. */
  writeCookie(file: string): void;
  /** A terminal's token, valid for this long or until `revokeIssued`. */
  issue(lifetimeMs: number, door: DoorName): IssuedToken;
  /** A token that opens one session within ten minutes, and can do nothing else. */
  issueLogin(): string;
  /** True once, at the local door, for an issued login that has not expired. */
  takeLogin(login: string, door: DoorName): boolean;
  /** Ends a terminal's token, or a session with all others of its sign-in. */
  revoke(token: string, door: DoorName): void;
  /** Revokes all sessions and terminals' tokens; the cookie file's stays. */
  revokeIssued(why: Ending): void;
  /** The same for those of one door. */
  revokeAt(door: DoorName, why: Ending): void;
  /**
   * Calls back once, when it is no owner's token at this door any more: it was revoked, has expired, or gave way to a
   * newer one. Returns a function that unsubscribes.
   */
  onEnd(token: string, door: DoorName, work: () => void): () => void;
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
/** Node’s timers overflow above it. */
const longestTimerMs = 2 ** 31 - 1;

const prefix = 'own_';

export const createOwnerTokens = ({ now = Date.now, kept = null }: OwnerTokensOptions = {}): OwnerTokens => {
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listen of listeners) listen();
  };
  /** Sessions have ended even where that cannot be written down. */
  const thenTell = (end: () => void): void => {
    try {
      end();
    } finally {
      tell();
    }
  };
  const cookies = createTokenSet(now, tell);
  const issued = createTokenSet(now, tell);
  const logins = createTokenSet(now, tell);
  const sessions = createSessions(now, kept, tell);
  const files: string[] = [];
  const endOf: OwnerTokens['endOf'] = (token, door) =>
    cookies.endOf(token, door) ?? issued.endOf(token, door) ?? sessions.endOf(token, door);
  return {
    sessions,
    isOwner: (token, door) => endOf(token, door) !== null,
    placeOf(token, door) {
      if (sessions.endOf(token, door) !== null) return 'dashboard';
      return issued.endOf(token, door) === null ? null : 'command';
    },
    isLive: (token) => doorNames.some((door) => endOf(token, door) !== null),
    endOf,
    writeCookie(file) {
      const token = newToken(prefix);
      writePrivateFile(file, token);
      cookies.add(token, Infinity, 'local');
      files.push(file);
    },
    issue(lifetimeMs, door) {
      const token = newToken(prefix);
      return { token, expiresAt: issued.add(token, lifetimeMs, door) };
    },
    issueLogin() {
      const login = newSecret();
      logins.add(login, loginMs, 'local');
      return login;
    },
    takeLogin: (login, door) => logins.remove(login, door),
    revoke(token, door) {
      issued.remove(token, door);
      thenTell(() => sessions.end(token, door));
    },
    revokeIssued(why) {
      issued.clear();
      thenTell(() => sessions.endAll(why));
    },
    revokeAt(door, why) {
      issued.clear(door);
      thenTell(() => sessions.endAt(door, why));
    },
    onEnd: (token, door, work) => follow({ listeners, now, endOf: () => endOf(token, door) }, work),
    close() {
      for (const file of files) rmSync(file, { force: true });
      for (const set of [cookies, issued, logins]) set.clear();
    },
  };
};

interface Followed {
  /** Called when tokens may have ended. */
  listeners: Set<() => void>;
  now: () => number;
  endOf: () => number | null;
}

const follow = ({ listeners, now, endOf }: Followed, work: () => void): (() => void) => {
  let timer: NodeJS.Timeout | undefined;
  const off = (): void => {
    clearTimeout(timer);
    listeners.delete(look);
  };
  const look = (): void => {
    clearTimeout(timer);
    const end = endOf();
    if (end === null) {
      off();
      work();
      // Some last as long as the host.
    } else if (end !== Infinity) timer = setTimeout(look, Math.min(end - now() + 1, longestTimerMs)).unref();
  };
  listeners.add(look);
  look();
  return off;
};

/**
 * Hashes, each with its door and its expiry; compared in constant time, the oldest dropped when there are too many.
 * @param tell called after that
 */
const createTokenSet = (now: () => number, tell: () => void) => {
  let held: { hashed: Buffer; door: DoorName; until: number }[] = [];
  const indexOf = (token: string, at: DoorName): number => {
    const given = digestOf(token);
    held = held.filter(({ until }) => until > now());
    return held.findIndex(({ hashed, door }) => door === at && timingSafeEqual(hashed, given));
  };
  return {
    endOf: (token: string, door: DoorName): number | null => held[indexOf(token, door)]?.until ?? null,
    add(token: string, lifetimeMs: number, door: DoorName): number {
      const until = now() + lifetimeMs;
      const isFull = held.length >= mostTokens;
      held = [...held.slice(1 - mostTokens), { hashed: digestOf(token), door, until }];
      if (isFull) tell();
      return until;
    },
    /** True if it was there. */
    remove(token: string, door: DoorName): boolean {
      const index = indexOf(token, door);
      if (index >= 0) held.splice(index, 1);
      return index >= 0;
    },
    /** @param at default: those of all doors */
    clear(at?: DoorName): void {
      held = at === undefined ? [] : held.filter(({ door }) => door !== at);
    },
  };
};
