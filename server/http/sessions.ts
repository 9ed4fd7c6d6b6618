// The dashboard's sessions, kept as hashes. Each tab of a browser has its own; those of one sign-in end together, at the
// latest twelve hours after it, and a session counts at the door where it was opened alone. On the sandbox they outlive a
// restart of the host: test money is all that is at stake. On a real network they must not, since a program that takes the
// port of a host that ended gets at what its pages keep.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { fingerprintOf, hashOfKey } from '../contract/host/health-proof.ts';
import type { Ending } from '../contract/host/proof-text.ts';
import { writePrivateFile } from '../lib/files/private-file.ts';
import type { DoorName } from '../lib/net/public-url.ts';
import { newToken } from '../lib/token.ts';

export interface IssuedToken {
  token: string;
  /** Unix milliseconds. */
  expiresAt: number;
}

export interface Sessions {
  /** When it ends by itself, in Unix milliseconds; null when it is over, unknown, or of the other door. */
  endOf(token: string, door: DoorName): number | null;
  /** Opens the first session of a sign-in. @param until it ends no later than this */
  open(until: number, door: DoorName): IssuedToken;
  /** A further session of the same sign-in, which ends with it; null when the session is not open. */
  again(token: string, door: DoorName): IssuedToken | null;
  /** Lets a page join the sign-in of an open session, within a minute. False when the session is not open. */
  admit(token: string, pageId: string, door: DoorName): boolean;
  /** The session of a page that was let in at this door; null for any other. */
  join(pageId: string, door: DoorName): IssuedToken | null;
  /** Ends this session and all others of its sign-in. */
  end(token: string, door: DoorName): void;
  endAll(why: Ending): void;
  endAt(door: DoorName, why: Ending): void;
  /** Also one that is over, so that its page can say why. */
  byFingerprint(fingerprint: string, door: DoorName): { hash: string; ended: Ending | null } | undefined;
}

export interface KeptSessions {
  /** Mode 0600. It holds no session, but hashes. */
  file: string;
  /** Of the records that they belong to: sessions of other records are over. */
  records: string;
}

export const sessionMs = 12 * 3_600_000;
const admissionMs = 60_000;
const mostSessions = 100;
const mostAdmissions = 20;
const prefix = 'own_';

interface Held {
  hash: string;
  /** Shared by the sessions of one sign-in. */
  signIn: string;
  door: DoorName;
  until: number;
  ended: Ending | null;
}

/**
 * @param kept null: sessions end with the host
 * @param tell called after the oldest gave way to a new one
 */
export const createSessions = (now: () => number, kept: KeptSessions | null, tell: () => void): Sessions => {
  let held: Held[] = kept === null ? [] : read(kept, now());
  const admissions = new Map<string, Pick<Held, 'signIn' | 'door' | 'until'> & { by: number }>();

  /** Those that are over are known for as long again, so that a page that slept can say why. */
  const tidy = (): void => {
    for (const one of held) if (one.ended === null && one.until <= now()) one.ended = 'expired';
    held = held.filter(({ until }) => until + sessionMs > now());
  };
  const openOne = (token: string, door: DoorName): Held | undefined => {
    tidy();
    const hash = hashOfKey(token);
    return held.find((one) => one.hash === hash && one.door === door && one.ended === null);
  };
  const save = (): void => {
    if (kept !== null) write(kept, held);
  };
  const add = ({ signIn, door, until }: Pick<Held, 'signIn' | 'door' | 'until'>): IssuedToken => {
    tidy();
    const token = newToken(prefix);
    const open = held.filter(({ ended }) => ended === null);
    const over = held.filter(({ ended }) => ended !== null);
    const fresh: Held = { hash: hashOfKey(token), signIn, door, until, ended: null };
    held = [...over.slice(-mostSessions), ...open.slice(1 - mostSessions), fresh];
    if (open.length >= mostSessions) tell();
    save();
    return { token, expiresAt: until };
  };
  const endThose = (which: (one: Held) => boolean, why: Ending): void => {
    for (const one of held) if (one.ended === null && which(one)) one.ended = why;
    for (const [pageId, one] of admissions)
      if (!held.some(({ signIn, ended }) => signIn === one.signIn && ended === null))
        admissions.delete(pageId);
    save();
  };

  return {
    endOf: (token, door) => openOne(token, door)?.until ?? null,
    open: (until, door) =>
      add({ signIn: randomBytes(16).toString('hex'), door, until: Math.min(until, now() + sessionMs) }),
    again(token, door) {
      const session = openOne(token, door);
      return session === undefined ? null : add(session);
    },
    admit(token, pageId, door) {
      const session = openOne(token, door);
      if (session === undefined) return false;
      const { signIn, until } = session;
      admissions.delete(pageId);
      admissions.set(pageId, { signIn, door, until, by: now() + admissionMs });
      for (const oldest of [...admissions.keys()].slice(0, -mostAdmissions)) admissions.delete(oldest);
      return true;
    },
    join(pageId, door) {
      const admission = admissions.get(pageId);
      if (admission?.door !== door) return null;
      admissions.delete(pageId);
      return Math.min(admission.by, admission.until) <= now() ? null : add(admission);
    },
    end(token, door) {
      const session = openOne(token, door);
      if (session !== undefined) endThose(({ signIn }) => signIn === session.signIn, 'signed_out');
    },
    endAll: (why) => endThose(() => true, why),
    endAt: (door, why) => endThose((one) => one.door === door, why),
    byFingerprint(fingerprint, door) {
      tidy();
      return held.find((one) => one.door === door && fingerprintOf(one.hash) === fingerprint);
    },
  };
};

const file = z.strictObject({
  records: z.string(),
  sessions: z.array(
    z.strictObject({ hash: z.string().regex(/^[0-9a-f]{64}$/), signIn: z.string(), until: z.number() }),
  ),
});

const read = (kept: KeptSessions, now: number): Held[] => {
  try {
    const { records, sessions } = file.parse(JSON.parse(readFileSync(kept.file, 'utf8')));
    const isOther = records !== kept.records;
    return sessions
      .filter(({ until }) => until <= now + sessionMs)
      .map((one) => ({ ...one, door: 'local', ended: isOther ? 'older_copy' : null }));
  } catch {
    // There is none, or it was damaged: everybody signs in again.
    return [];
  }
};

const write = ({ file: to, records }: KeptSessions, held: readonly Held[]): void => {
  // Those of the public door end with the host: its address may be another at the next start.
  const open = held.filter(({ ended, door }) => ended === null && door === 'local');
  const sessions = open.map(({ hash, signIn, until }) => ({ hash, signIn, until }));
  writePrivateFile(to, JSON.stringify({ records, sessions } satisfies z.input<typeof file>));
};
