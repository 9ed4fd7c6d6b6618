// How a caller becomes the owner over HTTP. A browser trades a one-time login for a session. A terminal asks, and the
// owner compares a code and lets it in; or it proves the vault's passphrase.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { newPairingCode } from '../contract/pairing-code.ts';
import type { Reply } from '../contract/schemas.ts';
import type { Answer, Caller, EngineEvent, KnownCaller, Operation } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import { createTryLimit } from '../lib/try-limit.ts';
import type { KnownCallers } from './known-callers.ts';
import type { OwnerTokens } from './owner-token.ts';

type Names = 'openSession' | 'openLogin' | 'claimLogin' | 'listLogins' | 'grantLogin' | 'denyLogin';
export interface Logins {
  operations: { [N in Names]: Operation<N> };
  pending(): number;
  /** @throws AppError `not_found` when a path names an unknown login */
  checkPath(params: Readonly<Record<string, unknown>>): void;
}

export interface LoginDeps {
  owner: string;
  tokens: OwnerTokens;
  /** Given to a browser once the owner has signed in there. */
  known: Pick<KnownCallers, 'browser'>;
  /** Resolves when it is the vault's passphrase. @throws AppError `unauthorized`; `bad_request` where there is none */
  checkPassphrase(passphrase: string): Promise<void>;
  publish(event: EngineEvent): void;
  now?: () => number;
}

interface Login {
  id: string;
  terminal: string;
  code: string;
  pollHash: Buffer;
  status: Reply<'grantLogin'>['status'];
  createdAt: number;
  expiresAt: number;
  /** Its terminal can read the data folder. */
  isKnown: boolean;
  /** It was shown to the owner. */
  isShown: boolean;
  /** Its terminal polls for the decision. */
  isPolled: boolean;
  /** Issued when it is granted, handed out once. */
  token: { token: string; expiresAt: number } | null;
}

const sessionMs = 12 * 3_600_000;
const terminalMs = 15 * 60_000;
const loginMs = 10 * 60_000;
const mostPending = 20;
/** Below `mostPending`, so that there are always places for logins not shown yet. */
const mostShown = 10;
const mostPassphrasesAMinute = 5;
const mostKept = 50;

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
const done = <B>(body: B) => ({ kind: 'done' as const, body });
const iso = (time: number): string => new Date(time).toISOString();

export const createLogins = ({
  owner,
  tokens,
  known,
  checkPassphrase,
  publish,
  now = Date.now,
}: LoginDeps): Logins => {
  let logins: Login[] = [];
  const tried = createTryLimit(mostPassphrasesAMinute, 60_000, now);

  const named = (loginId: string): Login => {
    const login = logins.find(({ id }) => id === loginId);
    if (login === undefined) throw new AppError('not_found', `There is no login ${loginId}.`);
    if (login.status === 'pending' && login.expiresAt <= now()) login.status = 'expired';
    return login;
  };
  const pending = (): Login[] => logins.filter(({ id }) => named(id).status === 'pending');

  const decide = (loginId: string, status: 'granted' | 'denied'): Reply<'grantLogin'> => {
    const login = named(loginId);
    if (login.status !== 'pending')
      throw new AppError('conflict', `This login is ${login.status} and can no longer be decided.`);
    login.status = status;
    if (status === 'granted') login.token = tokens.issue(terminalMs);
    publish({ type: 'login', login: view(login) });
    return view(login);
  };

  const provePassphrase = async (passphrase: string, caller: Caller): Promise<void> => {
    const by = callerOf(caller);
    tried.check(by, 'Too many passphrases were tried. Try again in a minute.');
    tried.count(by);
    await checkPassphrase(passphrase);
    tried.forgive(by);
  };

  /**
   * Anyone on this machine may ask, so a full list never refuses a login: a pending one is evicted: first the oldest
   * that is not polled, then the oldest; never one that the owner was shown. Only a known terminal evicts a known one.
   */
  const makeRoom = (isKnown: boolean): void => {
    const waiting = pending().filter((login) => login.isKnown === isKnown);
    if (waiting.length < mostPending) return;
    const [first] = waiting
      .filter(({ isShown }) => !isShown)
      .toSorted((a, b) => Number(a.isPolled) - Number(b.isPolled));
    logins = logins.filter((login) => login !== first);
  };
  /** Drops the oldest decided logins; the rest stay for the terminals that poll them. */
  const forgetOldest = (): void => {
    const waiting = new Set(pending());
    const over = logins.filter((login) => !waiting.has(login));
    const gone = new Set(over.slice(0, Math.max(0, over.length - mostKept)));
    logins = logins.filter((login) => !gone.has(login));
  };
  const shown = (): Login[] => {
    const waiting = pending();
    for (const isKnown of [true, false]) {
      const own = waiting.filter((login) => login.isKnown === isKnown);
      for (const login of own) {
        if (own.filter(({ isShown }) => isShown).length < mostShown) login.isShown = true;
      }
    }
    return waiting;
  };

  const open = (terminal: string, isKnown: boolean): { login: Login; pollSecret: string } => {
    makeRoom(isKnown);
    forgetOldest();
    const pollSecret = randomBytes(32).toString('base64url');
    const login: Login = {
      id: `lgn_${randomBytes(10).toString('hex')}`,
      terminal,
      code: newPairingCode(),
      pollHash: digest(pollSecret),
      status: 'pending',
      createdAt: now(),
      expiresAt: now() + loginMs,
      isKnown,
      isShown: false,
      isPolled: false,
      token: null,
    };
    logins = [...logins, login];
    return { login, pollSecret };
  };

  const session = (): Answer<'openSession'> => {
    const { token, expiresAt } = tokens.issue(sessionMs);
    return done({ session: token, owner, expiresAt: iso(expiresAt), known: known.browser });
  };

  return {
    operations: {
      async openSession({ body: { token, passphrase }, caller }) {
        if (passphrase !== undefined) {
          await provePassphrase(passphrase, caller);
          return session();
        }
        if (token === undefined || !(tokens.takeLogin(token) || tokens.isOwner(token)))
          throw new AppError(
            'unauthorized',
            'This login was used before, or is too old. Ask the terminal for a new one.',
          );
        return session();
      },
      async openLogin({ body: { terminal, passphrase }, caller }) {
        if (passphrase !== undefined) await provePassphrase(passphrase, caller);
        const { login, pollSecret } = open(terminal, callerOf(caller) !== 'stranger');
        if (passphrase === undefined) publish({ type: 'login', login: view(login) });
        else decide(login.id, 'granted');
        return done({ ...view(login), pollSecret });
      },
      claimLogin({ params, body }) {
        const login = named(params.loginId);
        if (!timingSafeEqual(login.pollHash, digest(body.pollSecret)))
          throw new AppError('unauthorized', 'pollSecret: this is not the secret of this login.');
        login.isPolled = true;
        const { token } = login;
        login.token = null;
        return done({
          ...view(login),
          token: token?.token ?? null,
          tokenExpiresAt: token === null ? null : iso(token.expiresAt),
        });
      },
      listLogins: () => done({ logins: shown().map(view) }),
      grantLogin: ({ params }) => done(decide(params.loginId, 'granted')),
      denyLogin: ({ params }) => done(decide(params.loginId, 'denied')),
    },
    pending: () => pending().length,
    checkPath({ loginId }) {
      if (typeof loginId === 'string') named(loginId);
    },
  };
};

const callerOf = (caller: Caller): KnownCaller | 'stranger' | 'owner' =>
  caller.role === 'nobody' ? (caller.known ?? 'stranger') : 'owner';

const view = ({ id, terminal, code, status, createdAt, expiresAt }: Login): Reply<'grantLogin'> => ({
  loginId: id,
  terminal,
  code,
  status,
  createdAt: iso(createdAt),
  expiresAt: iso(expiresAt),
});
