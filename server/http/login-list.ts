// The logins that terminals asked for: which ones wait, which ones the owner sees, and which ones are forgotten.
import { randomBytes } from 'node:crypto';
import { newPairingCode } from '../contract/sign-in/pairing-code.ts';
import type { Reply } from '../contract/schemas.ts';
import { AppError } from '../errors.ts';
import { givesWay, shownNext, type Waiting } from '../lib/waiting-room.ts';

/** Its terminal asks, and polls for the decision; a known one can read the data folder. */
export interface Login extends Waiting {
  id: string;
  terminal: string;
  /** The origin of its door. */
  url: string;
  code: string;
  pollHash: Buffer;
  status: Reply<'grantLogin'>['status'];
  createdAt: number;
  expiresAt: number;
  /** Issued when it is granted, handed out once. */
  token: { token: string; expiresAt: number } | null;
}

export interface LoginList {
  /** @throws AppError `not_found` */
  named(loginId: string): Login;
  pending(): Login[];
  /** The pending ones, of which the first are marked as shown to the owner. */
  show(): Login[];
  /** Adds a pending login. It may evict another. */
  open(login: Pick<Login, 'terminal' | 'pollHash' | 'isKnown' | 'door' | 'url'>): Login;
}

const loginMs = 10 * 60_000;
const mostKept = 50;

/** @param now gives Unix milliseconds */
export const createLoginList = (now: () => number): LoginList => {
  let logins: Login[] = [];

  const named = (loginId: string): Login => {
    const login = logins.find(({ id }) => id === loginId);
    if (login === undefined) throw new AppError('not_found', `There is no login ${loginId}.`);
    if (login.status === 'pending' && login.expiresAt <= now()) login.status = 'expired';
    return login;
  };
  const pending = (): Login[] => logins.filter(({ id }) => named(id).status === 'pending');

  /** Drops the oldest decided logins; the rest stay for the terminals that poll them. */
  const forgetOldest = (): void => {
    const waiting = new Set(pending());
    const over = logins.filter((login) => !waiting.has(login));
    const gone = new Set(over.slice(0, Math.max(0, over.length - mostKept)));
    logins = logins.filter((login) => !gone.has(login));
  };

  return {
    named,
    pending,
    show() {
      const waiting = pending();
      for (const login of shownNext(waiting)) login.isShown = true;
      return waiting;
    },
    open({ terminal, pollHash, isKnown, door, url }) {
      const evicted = givesWay(pending(), { isKnown, door });
      logins = logins.filter((login) => login !== evicted);
      forgetOldest();
      const login: Login = {
        id: `lgn_${randomBytes(10).toString('hex')}`,
        terminal,
        code: newPairingCode(),
        pollHash,
        status: 'pending',
        createdAt: now(),
        expiresAt: now() + loginMs,
        isKnown,
        door,
        url,
        isShown: false,
        isPolled: false,
        token: null,
      };
      logins = [...logins, login];
      return login;
    },
  };
};
