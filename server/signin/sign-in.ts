// Sign-in at the page of a link session: a person proves, by wallet, e-mail or identity provider, to be one of the
// identities that the owner added, and gets a token that completes this one link.
import type { Body, Reply } from '../contract/schemas.ts';
import type { Call, Identity, Operation } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import type { Door } from '../lib/net/public-url.ts';
import { createEmailSignIn } from './email.ts';
import { createMailer } from './mailer.ts';
import type { SignInDeps } from './deps.ts';
import { createProviderSignIn, type ProviderSignIn } from './provider.ts';
import { createSettings, liveIdentity, type Settings } from './settings.ts';
import { createWalletSignIn } from './wallet.ts';
import { timingSafeEqual } from 'node:crypto';
import { digestOf, newToken } from '../lib/token.ts';

type Ways =
  | 'signInMethods'
  | 'askWallet'
  | 'proveWallet'
  | 'askEmail'
  | 'proveEmail'
  | 'askProvider'
  | 'proveProvider';

export interface SignIn {
  operations: { [N in Ways]: Operation<N> } & Settings['operations'];
  /** Undefined for an unknown or expired token, and when its identity was removed. */
  identityOf(token: string): { identityId: string; linkId: string } | undefined;
  /** Through the owner's mail server, also for other rooms. */
  sendMail: Settings['sendMail'];
  /** @throws AppError `not_found` when a path names an unknown identity */
  checkPath(params: Readonly<Record<string, unknown>>): void;
  /** Breaks off what is under way and signs everybody out. */
  close(): void;
}

const done = <B>(body: B) => ({ kind: 'done' as const, body });

export const createSignIn = (deps: SignInDeps): SignIn => {
  const { network, store, log, now = Date.now } = deps;
  const tokens = createSignInTokens(now);
  const mailer = createMailer(log);
  const wallet = createWalletSignIn(network, now);
  const email = createEmailSignIn(mailer, now);
  const provider = createProviderSignIn(log, now);
  const settings = createSettings({ ...deps, mailer, providerSignIn: provider, now });
  const desk: Desk = { ...deps, tokens, wallet, email, provider, settings };

  return {
    operations: {
      signInMethods: async ({ door }) => done(await methods(deps, door)),
      askWallet: ({ params, door }) => done(wallet.ask(deps.linkOf(params.token), door)),
      proveWallet: ({ params, body }) => done(proveWallet(desk, params.token, body)),
      askEmail: (call) => done(askEmail(desk, call)),
      proveEmail: ({ params, body }) => done(proveEmail(desk, params.token, body)),
      askProvider: async ({ params, door }) =>
        done(await provider.ask(deps.linkOf(params.token), settings.provider(), door)),
      proveProvider: async ({ params, body }) => done(await proveProvider(desk, params.token, body)),
      ...settings.operations,
    },
    sendMail: settings.sendMail,
    // Removing an identity therefore ends its tokens at once.
    identityOf(token) {
      const found = tokens.find(token);
      const identity = found === undefined ? undefined : store.identities.get(found.identityId);
      return identity === undefined || identity.removedAt !== null ? undefined : found;
    },
    checkPath({ identityId }) {
      if (typeof identityId === 'string') liveIdentity(store, identityId);
    },
    close() {
      mailer.close();
      for (const part of [wallet, email, tokens]) part.clear();
      provider.forget();
    },
  };
};

interface Desk extends SignInDeps {
  tokens: ReturnType<typeof createSignInTokens>;
  wallet: ReturnType<typeof createWalletSignIn>;
  email: ReturnType<typeof createEmailSignIn>;
  provider: ProviderSignIn;
  settings: Settings;
}

const identitiesOf = ({ store }: Pick<SignInDeps, 'store'>, kind: Identity['kind']): Identity[] =>
  store.identities.list().filter((identity) => identity.kind === kind);

const methods = async (deps: SignInDeps, door: Door): Promise<Reply<'signInMethods'>> => {
  const { mailServer, provider } = deps.store.signIn.get();
  const has = (kind: Identity['kind']): boolean => identitiesOf(deps, kind).length > 0;
  return {
    wallet: has('wallet'),
    email: mailServer !== null && has('email'),
    provider: provider !== null && has('provider') ? { name: provider.name } : null,
    passphrase: await deps.hasPassphrase(door),
  };
};

const proveWallet = (desk: Desk, token: string, body: Body<'proveWallet'>): SignedIn => {
  desk.wallet.prove(desk.linkOf(token).id, body);
  const identity = identitiesOf(desk, 'wallet').find(({ subject }) => subject === body.address);
  return signedIn(desk, token, identity, 'This wallet');
};

const askEmail = (
  desk: Desk,
  { params: { token }, body: { email }, door }: Pick<Call<'askEmail'>, 'params' | 'body' | 'door'>,
): Reply<'askEmail'> => {
  const link = desk.linkOf(token);
  const server = desk.settings.mailServer();
  const identity = identitiesOf(desk, 'email').find(({ subject }) => subject === email);
  return desk.email.ask({ link, token, email, server, identity, door });
};

const proveEmail = (desk: Desk, token: string, body: Body<'proveEmail'>): SignedIn => {
  const identityId = desk.email.prove(desk.linkOf(token).id, body);
  const identity = identitiesOf(desk, 'email').find(({ id }) => id === identityId);
  return signedIn(desk, token, identity, 'This address');
};

const proveProvider = async (desk: Desk, token: string, body: Body<'proveProvider'>): Promise<SignedIn> => {
  const account = await desk.provider.prove(desk.linkOf(token).id, body);
  const identity = identitiesOf(desk, 'provider').find(
    ({ subject }) => subject === account.sub || subject.toLowerCase() === account.email,
  );
  return signedIn(desk, token, identity, 'This account');
};

type SignedIn = Reply<'proveWallet'>;

/** @throws AppError `forbidden`, which may say why: only callers that proved their identity get this far */
const signedIn = (desk: Desk, token: string, identity: Identity | undefined, proven: string): SignedIn => {
  if (identity === undefined)
    throw new AppError('forbidden', `${proven} is not among those that the owner added in Settings.`);
  const link = desk.linkOf(token);
  const issued = desk.tokens.issue(identity.id, link);
  desk.log.info({ linkId: link.id, identityId: identity.id, kind: identity.kind }, 'somebody signed in');
  return {
    token: issued.token,
    expiresAt: new Date(issued.expiresAt).toISOString(),
    identity: { kind: identity.kind, label: identity.label },
  };
};

/** The bearer token of a completed sign-in: it completes one link session, and is kept as a hash. */
interface SignInTokens {
  /** 256 bits, valid for ten minutes but not beyond its link session; times are Unix milliseconds. */
  issue(identityId: string, link: { id: string; expiresAt: number }): { token: string; expiresAt: number };
  /** Undefined when it is unknown or expired. */
  find(token: string): { identityId: string; linkId: string } | undefined;
  clear(): void;
}

const prefix = 'sin_';
const tokenMs = 600_000;
const mostTokens = 1_000;

const createSignInTokens = (now: () => number): SignInTokens => {
  let held: { hashed: Buffer; identityId: string; linkId: string; until: number }[] = [];
  return {
    issue(identityId, { id, expiresAt }) {
      const token = newToken(prefix);
      const until = Math.min(now() + tokenMs, expiresAt);
      held = [...held.slice(1 - mostTokens), { hashed: digestOf(token), identityId, linkId: id, until }];
      return { token, expiresAt: until };
    },
    find(token) {
      if (!token.startsWith(prefix)) return undefined;
      const given = digestOf(token);
      held = held.filter(({ until }) => until > now());
      const found = held.find(({ hashed }) => timingSafeEqual(hashed, given));
      return found === undefined ? undefined : { identityId: found.identityId, linkId: found.linkId };
    },
    clear() {
      held = [];
    },
  };
};
