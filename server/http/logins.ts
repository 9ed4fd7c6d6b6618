// How a caller becomes the owner over HTTP. A browser trades a one-time login for a session. A terminal asks, and the
// owner compares a code and lets it in; or it proves the vault's passphrase.
import { timingSafeEqual } from 'node:crypto';
import type { Body, Reply } from '../contract/schemas.ts';
import type { Answer, Caller, EngineEvent, KnownCaller, Operation } from '../engine/ports.ts';
import { AppError, fieldError } from '../errors.ts';
import { digestOf, newSecret } from '../lib/token.ts';
import { createPassphraseLimit, tryPassphrase, type TryLimit } from '../lib/try-limit.ts';
import type { KnownCallers } from './known-callers.ts';
import { createLoginList, type Login, type LoginList } from './login-list.ts';
import type { OwnerTokens } from './owner-token.ts';
import type { PageTickets } from './page-tickets.ts';
import type { IssuedToken } from './sessions.ts';

type Names = 'openSession' | 'openLogin' | 'claimLogin' | 'listLogins' | 'grantLogin' | 'denyLogin';
interface Logins {
  operations: { [N in Names]: Operation<N> };
  pending(): number;
  /** @throws AppError `not_found` when a path names an unknown login */
  checkPath(params: Readonly<Record<string, unknown>>): void;
}

interface LoginDeps {
  owner: string;
  tokens: OwnerTokens;
  tickets: Pick<PageTickets, 'pageOf'>;
  /** Given to a browser once the owner has signed in there. */
  known: Pick<KnownCallers, 'browser'>;
  /** Resolves when it is the vault's passphrase. @throws AppError `unauthorized`; `bad_request` where there is none */
  checkPassphrase(passphrase: string): Promise<void>;
  publish(event: EngineEvent): void;
  now?: () => number;
}

const terminalMs = 15 * 60_000;

const done = <B>(body: B) => ({ kind: 'done' as const, body });
const iso = (time: number): string => new Date(time).toISOString();

export const createLogins = (deps: LoginDeps): Logins => {
  const now = deps.now ?? Date.now;
  const logins = createLoginList(now);
  const desk: Desk = { ...deps, logins, tried: createPassphraseLimit(now) };
  return {
    operations: {
      openSession: ({ body, caller }) => openSession(desk, body, caller),
      openLogin: ({ body, caller }) => openLogin(desk, body, caller),
      claimLogin: ({ params, body }) => claimLogin(logins.named(params.loginId), body.pollSecret),
      listLogins: () => done({ logins: logins.show().map(view) }),
      grantLogin: ({ params }) => done(decide(desk, params.loginId, 'granted')),
      denyLogin: ({ params }) => done(decide(desk, params.loginId, 'denied')),
    },
    pending: () => logins.pending().length,
    checkPath({ loginId }) {
      if (typeof loginId === 'string') logins.named(loginId);
    },
  };
};

interface Desk extends Omit<LoginDeps, 'now'> {
  logins: LoginList;
  tried: TryLimit;
}

const openSession = async (
  desk: Desk,
  { token, passphrase, page }: Body<'openSession'>,
  caller: Caller,
): Promise<Answer<'openSession'>> => {
  if (page !== undefined) return session(desk, joined(desk, page));
  if (passphrase !== undefined) {
    await provePassphrase(desk, passphrase, caller);
    return session(desk, desk.tokens.sessions.open(Infinity));
  }
  const { sessions } = desk.tokens;
  return session(desk, sessions.again(token ?? '') ?? sessions.open(endOf(desk, token ?? '')));
};

/** A session ends no later than the token that opened it: no session makes itself last longer. */
const endOf = ({ tokens }: Desk, token: string): number => {
  const end = tokens.takeLogin(token) ? Infinity : tokens.endOf(token);
  if (end !== null) return end;
  throw new AppError(
    'unauthorized',
    'This login was used before, or is too old. Ask the terminal for a new one.',
  );
};

const joined = ({ tokens, tickets }: Desk, ticket: string): IssuedToken => {
  const pageId = tickets.pageOf(ticket);
  const issued = pageId === null ? null : tokens.sessions.join(pageId);
  if (issued !== null) return issued;
  throw new AppError('unauthorized', 'No tab of this browser let this page in. Sign in.');
};

const session = ({ owner, known }: Desk, { token, expiresAt }: IssuedToken): Answer<'openSession'> =>
  done({ session: token, owner, expiresAt: iso(expiresAt), known: known.browser });

const provePassphrase = async (
  { tried, checkPassphrase }: Desk,
  passphrase: string,
  caller: Caller,
): Promise<void> => tryPassphrase(tried, callerOf(caller), () => checkPassphrase(passphrase));

const openLogin = async (
  desk: Desk,
  { terminal, passphrase }: Body<'openLogin'>,
  caller: Caller,
): Promise<Answer<'openLogin'>> => {
  if (passphrase !== undefined) await provePassphrase(desk, passphrase, caller);
  const pollSecret = newSecret();
  const isKnown = callerOf(caller) !== 'stranger';
  const login = desk.logins.open({ terminal, pollHash: digestOf(pollSecret), isKnown });
  if (passphrase === undefined) desk.publish({ type: 'login', login: view(login) });
  else decide(desk, login.id, 'granted');
  return done({ ...view(login), pollSecret });
};

/** Hands the token out once, to the terminal that asked. */
const claimLogin = (login: Login, pollSecret: string): Answer<'claimLogin'> => {
  if (!timingSafeEqual(login.pollHash, digestOf(pollSecret)))
    throw fieldError('pollSecret', 'this is not the secret of this login', 'unauthorized');
  login.isPolled = true;
  const { token } = login;
  login.token = null;
  return done({
    ...view(login),
    token: token?.token ?? null,
    tokenExpiresAt: token === null ? null : iso(token.expiresAt),
  });
};

const decide = (
  { logins, tokens, publish }: Desk,
  loginId: string,
  status: 'granted' | 'denied',
): Reply<'grantLogin'> => {
  const login = logins.named(loginId);
  if (login.status !== 'pending')
    throw new AppError('conflict', `This login is ${login.status} and can no longer be decided.`);
  login.status = status;
  if (status === 'granted') login.token = tokens.issue(terminalMs);
  publish({ type: 'login', login: view(login) });
  return view(login);
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
