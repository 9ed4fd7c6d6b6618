// How a caller becomes the owner over HTTP. A browser trades a one-time login for a session. A terminal asks, and the
// owner compares a code and lets it in; or it proves the vault's passphrase.
import { timingSafeEqual } from 'node:crypto';
import type { Reply } from '../contract/schemas.ts';
import type { Answer, Call, Caller, EngineEvent, KnownCaller, Operation } from '../engine/ports.ts';
import { AppError, fieldError } from '../errors.ts';
import { digestOf, newSecret } from '../lib/token.ts';
import type { Door } from '../lib/net/public-url.ts';
import { createPassphraseLimit, tryPassphrase, type TryLimit } from '../lib/try-limit.ts';
import type { KnownCallers } from './known-callers.ts';
import { createLoginList, type Login, type LoginList } from './login-list.ts';
import type { OwnerTokens } from './owner-token.ts';
import type { PageTickets } from './page-tickets.ts';
import type { PublicAddress } from './public-address.ts';
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
  /** Whether the owner may be signed in at this door. */
  admitsOwner: PublicAddress['admitsOwner'];
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
      openSession: (call) => openSession(desk, call),
      openLogin: (call) => openLogin(desk, call),
      claimLogin: (call) => claimLogin(desk, logins.named(call.params.loginId), call),
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

type Asking<N extends 'openSession' | 'openLogin'> = Pick<Call<N>, 'body' | 'caller' | 'door'>;

/** @throws AppError `forbidden` at the public door while the owner may not be signed in there */
const refuseOwnerAt = ({ admitsOwner }: Desk, door: Door): void => {
  if (admitsOwner(door)) return;
  throw new AppError(
    'forbidden',
    'The owner cannot sign in at the public address. Sign in on the treasury’s own machine; its Settings, under Other machines, can allow it here too.',
  );
};

const openSession = async (
  desk: Desk,
  { body: { token = '', passphrase, page }, caller, door }: Asking<'openSession'>,
): Promise<Answer<'openSession'>> => {
  refuseOwnerAt(desk, door);
  if (page !== undefined) return session(desk, joined(desk, page, door));
  const { sessions } = desk.tokens;
  if (passphrase !== undefined) {
    await provePassphrase(desk, { passphrase, caller, door });
    return session(desk, sessions.open(Infinity, door.name));
  }
  return session(
    desk,
    sessions.again(token, door.name) ?? sessions.open(endOf(desk, token, door), door.name),
  );
};

/** A session ends no later than the token that opened it: no session makes itself last longer. */
const endOf = ({ tokens }: Desk, token: string, { name }: Door): number => {
  const end = tokens.takeLogin(token, name) ? Infinity : tokens.endOf(token, name);
  if (end !== null) return end;
  throw new AppError(
    'unauthorized',
    name === 'local'
      ? 'This login was used before, or is too old. Ask the terminal for a new one.'
      : 'A one-time login works on the treasury’s own machine alone. Sign in here with the passphrase, or by a terminal: allow it on that machine if the codes match.',
  );
};

const joined = ({ tokens, tickets }: Desk, ticket: string, door: Door): IssuedToken => {
  const pageId = tickets.pageOf(ticket, door);
  const issued = pageId === null ? null : tokens.sessions.join(pageId, door.name);
  if (issued !== null) return issued;
  throw new AppError('unauthorized', 'No tab of this browser let this page in. Sign in.');
};

const session = ({ owner, known }: Desk, { token, expiresAt }: IssuedToken): Answer<'openSession'> =>
  done({ session: token, owner, expiresAt: iso(expiresAt), known: known.browser });

/** Strangers at one door use up no tries of the other. */
const provePassphrase = async (
  desk: Desk,
  { passphrase, caller, door }: Pick<Call<'openLogin'>, 'caller' | 'door'> & { passphrase: string },
): Promise<void> => {
  const name = `${callerOf(caller)} at ${door.name}`;
  await tryPassphrase(desk.tried, name, () => desk.checkPassphrase(passphrase));
  // The owner may have closed the door meanwhile.
  refuseOwnerAt(desk, door);
};

const openLogin = async (
  desk: Desk,
  { body: { terminal, passphrase }, caller, door }: Asking<'openLogin'>,
): Promise<Answer<'openLogin'>> => {
  refuseOwnerAt(desk, door);
  if (passphrase !== undefined) await provePassphrase(desk, { passphrase, caller, door });
  const pollSecret = newSecret();
  const isKnown = callerOf(caller) !== 'stranger';
  const login = desk.logins.open({
    terminal,
    pollHash: digestOf(pollSecret),
    isKnown,
    door: door.name,
    url: door.url,
  });
  if (passphrase === undefined) desk.publish({ type: 'login', login: view(login) });
  else decide(desk, login.id, 'granted');
  return done({ ...view(login), pollSecret });
};

/** Hands the token out once, to the terminal that asked. */
const claimLogin = (
  desk: Desk,
  login: Login,
  { body, door }: Pick<Call<'claimLogin'>, 'body' | 'door'>,
): Answer<'claimLogin'> => {
  const { pollSecret } = body;
  refuseOwnerAt(desk, door);
  if (login.door !== door.name)
    throw new AppError('not_found', 'This login was asked for at another address. Claim it there.');
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
  { logins, tokens, admitsOwner, publish }: Desk,
  loginId: string,
  status: 'granted' | 'denied',
): Reply<'grantLogin'> => {
  const login = logins.named(loginId);
  if (login.status !== 'pending')
    throw new AppError('conflict', `This login is ${login.status} and can no longer be decided.`);
  if (status === 'granted' && !admitsOwner({ name: login.door, url: login.url }))
    throw new AppError(
      'conflict',
      'It came through the public address, where the owner may not be signed in now.',
    );
  login.status = status;
  if (status === 'granted') login.token = tokens.issue(terminalMs, login.door);
  publish({ type: 'login', login: view(login) });
  return view(login);
};

const callerOf = (caller: Caller): KnownCaller | 'stranger' | 'owner' =>
  caller.role === 'nobody' ? (caller.known ?? 'stranger') : 'owner';

const view = ({ id, terminal, code, status, door, createdAt, expiresAt }: Login): Reply<'grantLogin'> => ({
  loginId: id,
  terminal,
  code,
  status,
  viaPublicAddress: door === 'public',
  createdAt: iso(createdAt),
  expiresAt: iso(expiresAt),
});
