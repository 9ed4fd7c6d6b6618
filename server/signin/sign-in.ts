// Sign-in at the page of a link session: a person proves, by wallet, e-mail or identity provider, to be one of the
// identities that the owner added, and gets a token that completes this one link.
import type { Reply } from '../contract/schemas.ts';
import type { Identity, Network, Operation, Store } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { createEmailSignIn, type AskingLink } from './email.ts';
import { createMailer } from './mailer.ts';
import { createProviderSignIn } from './provider.ts';
import { createSettings, liveIdentity, type Settings } from './settings.ts';
import { createSignInTokens } from './tokens.ts';
import { createWalletSignIn } from './wallet.ts';

type Ways =
  'signInMethods' | 'askWallet' | 'proveWallet' | 'askEmail' | 'proveEmail' | 'askProvider' | 'proveProvider';

export interface SignInDeps {
  /** This host's address, `http://127.0.0.1:PORT`; the link page is `/link` below it. */
  url: string;
  network: Network;
  store: Pick<Store, 'identities' | 'signIn' | 'atomically'>;
  /** In the vault; both throw AppError `locked`. */
  secrets: { get(name: string): Buffer | undefined; set(name: string, bytes: Uint8Array): void };
  /** @throws AppError `not_found`, the same for an unknown, ended or decided link session */
  linkOf(token: string): AskingLink;
  /** Whether the vault has a passphrase, which proves the owner. */
  hasPassphrase(): Promise<boolean>;
  newId(prefix: string): string;
  log: Log;
  /** Unix milliseconds. */
  now?: () => number;
}

export interface SignIn {
  operations: { [N in Ways]: Operation<N> } & Settings['operations'];
  /** Undefined for an unknown or expired token, and when its identity was removed. */
  identityOf(token: string): { identityId: string; linkId: string } | undefined;
  /** @throws AppError `not_found` when a path names an unknown identity */
  checkPath(params: Readonly<Record<string, unknown>>): void;
  /** Breaks off what is under way and signs everybody out. */
  close(): void;
}

const done = <B>(body: B) => ({ kind: 'done' as const, body });

export const createSignIn = (deps: SignInDeps): SignIn => {
  const { url, network, store, secrets, linkOf, hasPassphrase, newId, log, now = Date.now } = deps;
  const redirectUri = `${url}/link`;
  const tokens = createSignInTokens(now);
  const mailer = createMailer(log);
  const wallet = createWalletSignIn(url, network, now);
  const email = createEmailSignIn(url, mailer, now);
  const providerSignIn = createProviderSignIn(redirectUri, log, now);
  const settings = createSettings({
    store,
    secrets,
    newId,
    redirectUri,
    mailer,
    providerSignIn,
    now,
  });

  const identities = (kind: Identity['kind']): Identity[] =>
    store.identities.list().filter((identity) => identity.kind === kind);

  /** @throws AppError `forbidden`, which may say why: only callers that proved their identity get this far */
  const signedIn = (identity: Identity | undefined, token: string, who: string): Reply<'proveWallet'> => {
    if (identity === undefined)
      throw new AppError('forbidden', `${who} is not among those that the owner added in Settings.`);
    const link = linkOf(token);
    const issued = tokens.issue(identity.id, link);
    log.info({ linkId: link.id, identityId: identity.id, kind: identity.kind }, 'somebody signed in');
    return {
      token: issued.token,
      expiresAt: new Date(issued.expiresAt).toISOString(),
      identity: { kind: identity.kind, label: identity.label },
    };
  };

  return {
    operations: {
      async signInMethods() {
        const { mailServer, provider } = store.signIn.get();
        return done({
          wallet: identities('wallet').length > 0,
          email: mailServer !== null && identities('email').length > 0,
          provider: provider !== null && identities('provider').length > 0 ? { name: provider.name } : null,
          passphrase: await hasPassphrase(),
        });
      },
      askWallet: ({ params }) => done(wallet.ask(linkOf(params.token))),
      proveWallet({ params: { token }, body }) {
        wallet.prove(linkOf(token).id, body);
        const identity = identities('wallet').find(({ subject }) => subject === body.address);
        return done(signedIn(identity, token, 'This wallet'));
      },
      askEmail({ params: { token }, body }) {
        const link = linkOf(token);
        const server = settings.mailServer();
        const identity = identities('email').find(({ subject }) => subject === body.email);
        return done(email.ask({ link, token, email: body.email, server, identity }));
      },
      proveEmail({ params: { token }, body }) {
        const identityId = email.prove(linkOf(token).id, body);
        const identity = identities('email').find(({ id }) => id === identityId);
        return done(signedIn(identity, token, 'This address'));
      },
      askProvider: async ({ params }) =>
        done(await providerSignIn.ask(linkOf(params.token), settings.provider())),
      async proveProvider({ params: { token }, body }) {
        const account = await providerSignIn.prove(linkOf(token).id, body);
        const identity = identities('provider').find(
          ({ subject }) => subject === account.sub || subject.toLowerCase() === account.email,
        );
        return done(signedIn(identity, token, 'This account'));
      },
      ...settings.operations,
    },
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
      providerSignIn.forget();
    },
  };
};
