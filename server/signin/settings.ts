// The owner's sign-in settings: the identities that may complete links, the mail server, the identity provider. Secrets
// go to the vault, and none is ever sent to a host other than its own.
import type { Body, Reply } from '../contract/schemas.ts';
import type { Identity, Operation, SignInSettings } from '../engine/ports.ts';
import { AppError, fieldError } from '../errors.ts';
import { isLoopback } from '../lib/net/loopback.ts';
import type { Mailer, MailServer, Message } from './mailer.ts';
import { testMessage } from './messages.ts';
import { redirectUriOf, type Provider, type ProviderSignIn } from './provider.ts';
import type { SignInDeps } from './deps.ts';
import { keyOfAddress } from '../lib/solana/wallet-signature.ts';
import { reasonOf } from './words.ts';

type Names =
  | 'getSignIn'
  | 'addIdentity'
  | 'removeIdentity'
  | 'setMailServer'
  | 'testMailServer'
  | 'setProvider';
export interface Settings {
  operations: { [N in Names]: Operation<N> };
  /** Includes its password. @throws AppError `not_available` when none is set, `locked` */
  mailServer(): MailServer;
  /** Through the mail server. @throws AppError `not_available` with the reason, without the password; `locked` */
  sendMail(message: Message): Promise<void>;
  /** Includes its secret. @throws AppError `not_available` when none is set, `locked` */
  provider(): Provider;
}

interface SettingsDeps extends Pick<SignInDeps, 'store' | 'secrets' | 'newId' | 'ownOrigins'> {
  mailer: Mailer;
  providerSignIn: ProviderSignIn;
  now: () => number;
}

type MailServerSettings = NonNullable<SignInSettings['mailServer']>;

const mailPassword = 'sign-in-mail-password';
const providerSecret = 'sign-in-provider-secret';
const mostIdentities = 50;

const done = <B>(body: B) => ({ kind: 'done' as const, body });

export const createSettings = (deps: SettingsDeps): Settings => ({
  mailServer: () => mailServer(deps),
  sendMail: (message) => sendMail(deps, message),
  provider: () => provider(deps),
  operations: {
    getSignIn: () => done(view(deps)),
    addIdentity: ({ body }) => done(identityView(addIdentity(deps, body))),
    removeIdentity: ({ params }) => done(identityView(removeIdentity(deps, params.identityId))),
    setMailServer({ body }) {
      setMailServer(deps, body.mailServer);
      return done(view(deps));
    },
    async testMailServer({ body }) {
      await sendMail(deps, testMessage(body.to));
      return done({ sent: true });
    },
    async setProvider({ body }) {
      await setProvider(deps, body.provider);
      deps.providerSignIn.forget();
      return done(view(deps));
    },
  },
});

type Kept = Pick<SettingsDeps, 'store' | 'secrets'>;

/** Null when there is none, which is stored as zero bytes. */
const secretOf = ({ secrets }: Kept, name: string): string | null => secrets.get(name)?.toString() || null;

const mailServer = (kept: Kept): MailServer => {
  const { mailServer: server } = kept.store.signIn.get();
  if (server === null) throw new AppError('not_available', 'The owner has set no mail server.');
  return { ...server, password: server.user === null ? null : secretOf(kept, mailPassword) };
};

const provider = (kept: Kept): Provider => {
  const { provider: set } = kept.store.signIn.get();
  if (set === null) throw new AppError('not_available', 'The owner has set no identity provider.');
  return { ...set, secret: secretOf(kept, providerSecret) };
};

const view = (deps: SettingsDeps): Reply<'getSignIn'> => {
  const { store, ownOrigins } = deps;
  const [redirectUri = '', publicRedirectUri = null] = ownOrigins().map(redirectUriOf);
  const set = store.signIn.get();
  return {
    identities: store.identities.list().map(identityView),
    mailServer:
      set.mailServer === null ? null : { ...set.mailServer, hasPassword: mailServer(deps).password !== null },
    provider: set.provider === null ? null : { ...set.provider, hasSecret: provider(deps).secret !== null },
    redirectUri,
    publicRedirectUri,
  };
};

interface Change {
  next: SignInSettings;
  /** The name of the secret that belongs to what changes. */
  name: string;
  /** Undefined keeps the present one. */
  secret: string | null | undefined;
}

/**
 * Saves settings and their secret. In this order a crash leaves new settings without a secret, and never one place's
 * secret with another's settings.
 */
const change = ({ store, secrets, now }: SettingsDeps, { next, name, secret }: Change): void => {
  if (secret !== undefined) secrets.set(name, Buffer.alloc(0));
  store.atomically(() => {
    const { provider: former } = store.signIn.get();
    // OpenID Connect Core, section 5.7: a subject is unique only within its issuer.
    if (former !== null && former.issuer !== next.provider?.issuer) {
      const gone = store.identities.list().filter(({ kind }) => kind === 'provider');
      for (const { id } of gone) store.identities.remove(id, now());
    }
    store.signIn.set(next);
  });
  if (secret !== undefined && secret !== null) secrets.set(name, Buffer.from(secret));
};

const addIdentity = (
  { store, newId, now }: SettingsDeps,
  { kind, subject, label }: Body<'addIdentity'>,
): Identity => {
  if (kind === 'wallet' && keyOfAddress(subject) === null)
    throw fieldError('subject', 'must be the address of a wallet, which has a key');
  // An agent's wallet signs in at sellers: its proofs must open nothing here.
  if (kind === 'wallet' && store.wallets.get(subject) !== undefined)
    throw fieldError('subject', 'is a wallet of this treasury. Add one whose key you hold');
  const identity = { id: newId('idn'), kind, subject, label: label ?? subject.slice(0, 80) };
  const added = { ...identity, addedAt: now(), removedAt: null };
  store.atomically(() => {
    const known = store.identities.list();
    if (known.some((one) => one.kind === kind && one.subject === subject))
      throw new AppError('conflict', `${subject} was added already.`);
    if (known.length >= mostIdentities)
      throw new AppError('conflict', `There are ${mostIdentities} already. Remove one first.`);
    store.identities.add(added);
  });
  return added;
};

const removeIdentity = ({ store, now }: SettingsDeps, identityId: string): Identity => {
  const { id } = liveIdentity(store, identityId);
  return store.atomically(() => store.identities.remove(id, now()));
};

const setMailServer = (deps: SettingsDeps, wanted: Body<'setMailServer'>['mailServer']): void => {
  const set = deps.store.signIn.get();
  if (wanted === null)
    return change(deps, { next: { ...set, mailServer: null }, name: mailPassword, secret: null });
  const { password: typed = '', ...server } = wanted;
  const isKept = typed === '' && isSameLogin(set.mailServer, server) && secretOf(deps, mailPassword) !== null;
  refuseMailServer(server, typed !== '', isKept);
  const secret = isKept ? undefined : typed || null;
  change(deps, { next: { ...set, mailServer: server }, name: mailPassword, secret });
};

const sendMail = async (deps: SettingsDeps, message: Message): Promise<void> => {
  const server = mailServer(deps);
  try {
    await deps.mailer.send(server, message);
  } catch (error) {
    throw new AppError('not_available', reasonOf(error, formsOfPassword(server)));
  }
};

const setProvider = async (deps: SettingsDeps, wanted: Body<'setProvider'>['provider']): Promise<void> => {
  const { store, providerSignIn } = deps;
  if (wanted === null) {
    const next = { ...store.signIn.get(), provider: null };
    return change(deps, { next, name: providerSecret, secret: null });
  }
  const { clientSecret: typed = '', ...server } = wanted;
  await providerSignIn.check({ ...server, secret: typed || null });
  const set = store.signIn.get();
  const isKept = typed === '' && isSameClient(set.provider, server);
  const secret = isKept ? undefined : typed || null;
  change(deps, { next: { ...set, provider: server }, name: providerSecret, secret });
};

/** @throws AppError `not_found` for an unknown or removed identity */
export const liveIdentity = ({ identities }: SignInDeps['store'], identityId: string): Identity => {
  const identity = identities.get(identityId);
  if (identity === undefined || identity.removedAt !== null)
    throw new AppError('not_found', `There is no identity ${identityId}.`);
  return identity;
};

const identityView = ({ id, kind, subject, label, addedAt }: Identity): Reply<'addIdentity'> => ({
  identityId: id,
  kind,
  subject,
  label,
  addedAt: new Date(addedAt).toISOString(),
});

/** A password belongs to one user at one host. */
const isSameLogin = (former: SignInSettings['mailServer'], { host, user }: MailServerSettings): boolean =>
  former?.host === host && former.user !== null && former.user === user;

const isSameClient = (
  former: SignInSettings['provider'],
  { issuer, clientId }: NonNullable<SignInSettings['provider']>,
): boolean => former?.issuer === issuer && former.clientId === clientId;

/** @throws AppError `bad_request` that names the field */
const refuseMailServer = (
  { host, user, security }: MailServerSettings,
  isPasswordTyped: boolean,
  isPasswordKept: boolean,
): void => {
  if (security === 'none' && !isLoopback(host))
    throw fieldError(
      'mailServer.security',
      'must be "tls" or "starttls", since the server is not on this computer',
    );
  if (user === null && isPasswordTyped) throw fieldError('mailServer.user', 'is required with a password');
  if (user !== null && !isPasswordTyped && !isPasswordKept)
    throw fieldError('mailServer.password', 'is required for a new host or user');
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The password as it is sent (RFC 4616 and AUTH LOGIN): a server's answer may repeat it in any of these forms. */
const formsOfPassword = ({ user, password }: MailServer): string[] =>
  password === null ? [] : [password, base64(password), base64(`\u0000${user ?? ''}\u0000${password}`)];
