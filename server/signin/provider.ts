// Sign-in with an OpenID Connect provider: authorization code with PKCE (S256), state and nonce. openid-client
// validates the provider's answers, including the issuer parameter (RFC 9207) and the ID token's signature.
import { timingSafeEqual } from 'node:crypto';
import * as oidc from 'openid-client';
import type { Body, Reply } from '../contract/schemas.ts';
import type { Link, SignInSettings } from '../engine/ports.ts';
import { AppError, fieldError } from '../errors.ts';
import type { Log } from '../log.ts';
import { isLoopback } from '../lib/net/loopback.ts';
import type { Door } from '../lib/net/public-url.ts';
import { createOpenAsks, type Ask } from './open-asks.ts';
import { digestOf } from '../lib/token.ts';
import { codeOf, oneLine, reasonOf } from './words.ts';

export type Provider = NonNullable<SignInSettings['provider']> & { secret: string | null };

/** The account that signed in. */
interface Account {
  sub: string;
  /** In lower case; null unless the provider says that it has verified it. */
  email: string | null;
}

export interface ProviderSignIn {
  /** Resolves when this provider can be used. @throws AppError `bad_request` that names `provider.issuer` */
  check(provider: Provider): Promise<void>;
  /** The URL to send the browser to. @throws AppError `not_available` when the provider cannot be reached */
  ask(link: Pick<Link, 'id' | 'expiresAt'>, provider: Provider, door: Door): Promise<Reply<'askProvider'>>;
  /**
   * Accepts each state once. @throws AppError `unauthorized`, or `not_available` when the provider cannot be reached
   */
  prove(linkId: string, proof: Body<'proveProvider'>): Promise<Account>;
  /** For a new provider: invalidates everything of the former one. */
  forget(): void;
}

interface Flow extends Ask {
  stateHash: Buffer;
  nonce: string;
  verifier: string;
  redirectUri: string;
  name: string;
  client: oidc.Configuration;
}

/** Where the provider sends the browser back to. @param url an origin of this host */
export const redirectUriOf = (url: string): string => `${url}/link`;

const flowMs = 600_000;
const metadataMs = 3_600_000;
const timeoutSeconds = 10;
const mostOpen = 5;

export const createProviderSignIn = (log: Log, now: () => number): ProviderSignIn => {
  const open = createOpenAsks<Flow>(mostOpen, now);
  const clients = keepClients(now);
  /** Changes with the provider: a sign-in that began with one cannot end with another. */
  let era = Symbol('provider');

  return {
    check,
    async ask(link, provider, door) {
      const redirectUri = redirectUriOf(door.url);
      const begun = era;
      const client = await clients.of(provider).catch((error: unknown) => {
        log.warn({ code: codeOf(error) }, 'the identity provider was not found');
        throw new AppError('not_available', `${provider.name} cannot be reached. Try again.`);
      });
      const { url, state, nonce, verifier } = await beginWith(client, redirectUri);
      if (begun !== era) throw changed();
      const expiresAt = Math.min(now() + flowMs, link.expiresAt);
      const flow = {
        linkId: link.id,
        expiresAt,
        stateHash: digestOf(state),
        nonce,
        verifier,
        client,
        redirectUri,
      };
      open.add({ ...flow, name: provider.name });
      return { url: url.href, state };
    },
    async prove(linkId, { state, callback }) {
      const flow = flowOf(open.of(linkId), state);
      open.remove(flow);
      const cameBack = new URL(flow.redirectUri);
      cameBack.search = callback;
      const begun = era;
      const account = await accountOf(flow, cameBack, state).catch((error: unknown) => {
        // The next sign-in discovers the provider's metadata and keys again.
        clients.forget();
        log.warn({ code: codeOf(error) }, 'a sign-in with the identity provider failed');
        throw refusalOf(error, flow.name);
      });
      if (begun !== era) throw changed();
      return account;
    },
    forget() {
      era = Symbol('provider');
      clients.forget();
      open.clear();
    },
  };
};

/** Metadata is discovered once an hour; a failure is not cached. */
const keepClients = (now: () => number) => {
  let known: { client: Promise<oidc.Configuration>; until: number } | null = null;
  return {
    of(provider: Provider): Promise<oidc.Configuration> {
      if (known !== null && known.until > now()) return known.client;
      const mine = { client: discover(provider), until: now() + metadataMs };
      known = mine;
      mine.client.catch(() => {
        if (known === mine) known = null;
      });
      return mine.client;
    },
    forget(): void {
      known = null;
    },
  };
};

const check = async (provider: Provider): Promise<void> => {
  try {
    await discover(provider);
  } catch (error) {
    throw fieldError('provider.issuer', `cannot be used (${reasonOf(error)})`);
  }
};

/** Where to send the browser, and what its sign-in has to match. */
const beginWith = async (client: oidc.Configuration, redirectUri: string) => {
  const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
  const url = oidc.buildAuthorizationUrl(client, {
    redirect_uri: redirectUri,
    scope: 'openid email',
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return { url, state, nonce, verifier };
};

const flowOf = (flows: readonly Flow[], state: string): Flow => {
  const given = digestOf(state);
  const flow = flows.find(({ stateHash }) => timingSafeEqual(stateHash, given));
  if (flow !== undefined) return flow;
  throw new AppError(
    'unauthorized',
    'This sign-in was used before, is too old, or belongs to another link. Begin again.',
  );
};

const changed = (): AppError =>
  new AppError('unauthorized', 'The owner has just changed the identity provider. Begin again.');

/** @throws Error with the reason why this provider cannot be used */
const discover = async ({ issuer, clientId, secret }: Provider): Promise<oidc.Configuration> => {
  const server = new URL(issuer);
  const isOwnMachine = isOnThisComputer(server);
  const isFit = (url: URL): boolean => url.protocol === 'https:' || (isOwnMachine && isOnThisComputer(url));
  if (!isFit(server)) throw new Error('it must begin with https://, or be on this computer');
  // The library fetches a URL below /.well-known/ as the document itself, and then does not compare the issuer.
  if (/[?#@]|\/\.well-known\//.test(server.href))
    throw new Error('it must be the issuer as the provider states it: no query, no user, no /.well-known/');
  const execute = [oidc.enableNonRepudiationChecks, ...(isOwnMachine ? [oidc.allowInsecureRequests] : [])];
  const client = await oidc.discovery(server, clientId, undefined, authenticateWith(secret), {
    execute,
    timeout: timeoutSeconds,
    [oidc.customFetch]: fetchAnew,
  });
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint } = client.serverMetadata();
  for (const endpoint of [authorization_endpoint, token_endpoint, jwks_uri])
    if (endpoint === undefined) throw new Error('it lacks an endpoint that signing in needs');
  for (const endpoint of [authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint])
    if (endpoint !== undefined && !isFit(new URL(endpoint)))
      throw new Error('it names an endpoint that is not https');
  return client;
};

/** On a connection of its own: a kept one may be closed by the provider as a code is sent, which cannot be sent again. */
const fetchAnew: oidc.CustomFetch = (url, { headers, ...options }) =>
  fetch(url, { ...options, headers: { ...headers, connection: 'close' } } as RequestInit);

const isOnThisComputer = (url: URL): boolean => url.protocol === 'http:' && isLoopback(url.hostname);

/** RFC 6749, section 2.3.1: in the header, unless the provider accepts only the body; `none` without a secret. */
const authenticateWith = (secret: string | null): oidc.ClientAuth => {
  if (secret === null) return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (as, ...request) => {
    const methods = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(as, ...request);
  };
};

const accountOf = async (flow: Flow, cameBack: URL, state: string): Promise<Account> => {
  const { client, nonce, verifier } = flow;
  const tokens = await oidc.authorizationCodeGrant(client, cameBack, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
  });
  const token = tokens.claims();
  if (token === undefined) throw new Error('no ID token came');
  // OpenID Connect Core, section 5.4: the e-mail address may be available only from the UserInfo endpoint.
  const asksFurther = token['email'] === undefined && client.serverMetadata().userinfo_endpoint !== undefined;
  const { email, email_verified } = asksFurther
    ? await oidc.fetchUserInfo(client, tokens.access_token, token.sub)
    : token;
  const isVouchedFor = typeof email === 'string' && email_verified === true;
  return { sub: token.sub, email: isVouchedFor ? email.toLowerCase() : null };
};

const refusalOf = (error: unknown, name: string): AppError => {
  if (error instanceof oidc.AuthorizationResponseError)
    return new AppError(
      'unauthorized',
      `${name} did not sign you in (${oneLine(error.error).slice(0, 40)}).`,
    );
  if (
    error instanceof oidc.WWWAuthenticateChallengeError ||
    (error instanceof oidc.ResponseBodyError && error.error === 'invalid_client')
  )
    return new AppError(
      'not_available',
      `${name} does not accept this treasury: its owner has to check client id and secret in Settings.`,
    );
  if (error instanceof TypeError || codeOf(error) === 'OAUTH_TIMEOUT')
    return new AppError('not_available', `${name} cannot be reached. Begin again.`);
  return new AppError('unauthorized', `The answer of ${name} does not belong to this sign-in. Begin again.`);
};
