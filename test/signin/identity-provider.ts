// A real OpenID Connect provider on this machine, and a person who signs in there with a browser.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider, type ClientMetadata } from 'oidc-provider';
import { url } from './sign-in-treasury.ts';

export interface Account {
  sub: string;
  email?: string;
  email_verified?: boolean;
}

export interface TestProvider {
  issuer: string;
  /** The number of times that its metadata was read. */
  discoveries(): number;
  /** Each path that was asked for, and what became of the connection. */
  asked(): string[];
  /** Signs in and consents. Returns the query of the way back. */
  signIn(authorizationUrl: string, sub: string): Promise<string>;
  /** Refuses consent. */
  refuse(authorizationUrl: string): Promise<string>;
  close(): Promise<void>;
}

export const clientSecret = 'a client secret of some length';

const clients: ClientMetadata[] = [
  { client_id: 'treasury', client_secret: clientSecret },
  { client_id: 'in-the-body', client_secret: clientSecret, token_endpoint_auth_method: 'client_secret_post' },
  { client_id: 'public', token_endpoint_auth_method: 'none' },
];

interface Options {
  port?: number;
  /** The ways that a client may authenticate; without it, every way. */
  methods?: 'client_secret_post';
  /** The treasury's addresses. */
  treasury?: readonly string[];
}

export const openProvider = async (
  accounts: readonly Account[],
  { port = 0, methods, treasury = [url] }: Options = {},
): Promise<TestProvider> => {
  let provider: Provider | undefined;
  let discoveries = 0;
  const asked = new Set<string>();
  const server: Server = createServer((request, response) => {
    if (request.url?.includes('openid-configuration')) discoveries += 1;
    asked.add(`${request.url} ${request.headers.connection}`);
    void provider?.callback()(request, response);
  });
  // The browser's connections stay open: one that ends as it is used again would fail a form.
  server.keepAliveTimeout = 0;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  provider = new Provider(issuer, {
    clients: clients.map((client) => ({ ...client, redirect_uris: treasury.map((one) => `${one}/link`) })),
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    ...(methods === undefined ? {} : { clientAuthMethods: [methods] }),
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 600,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
    cookies: { keys: ['only of this test'] },
    findAccount(_context, sub) {
      const account = accounts.find((one) => one.sub === sub);
      return account && { accountId: sub, claims: () => ({ ...account }) };
    },
  });
  return {
    issuer,
    discoveries: () => discoveries,
    asked: () => [...asked],
    signIn: (authorizationUrl, sub) =>
      createBrowser(treasury).follow(authorizationUrl, (page) =>
        page.includes('name="login"')
          ? { prompt: 'login', login: sub, password: 'any' }
          : { prompt: 'consent' },
      ),
    refuse: (authorizationUrl) => createBrowser(treasury).follow(authorizationUrl, () => 'cancel'),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

type Filled = Record<string, string> | 'cancel';

/** Follows redirects, keeps cookies, fills in forms; ends when it is sent back to the treasury. */
const createBrowser = (treasury: readonly string[]) => {
  const cookies = new Map<string, string>();
  const load = async (address: string, form?: Record<string, string>): Promise<Response> => {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
  return {
    async follow(start: string, fill: (page: string) => Filled): Promise<string> {
      let response = await load(start);
      for (let steps = 0; steps < 20; steps += 1) {
        const location = response.headers.get('location');
        if (location !== null && treasury.some((one) => location.startsWith(`${one}/link`)))
          return new URL(location).search;
        if (location !== null) response = await load(new URL(location, start).href);
        else {
          const page = await response.text();
          const filled = fill(page);
          const target = (filled === 'cancel' ? /href="([^"]+abort)"/ : /action="([^"]+)"/).exec(page)?.[1];
          if (target === undefined)
            throw new Error(`${response.status}: ${page.replaceAll(/<[^>]*>/g, ' ')}`);
          response = await load(new URL(target, start).href, filled === 'cancel' ? undefined : filled);
        }
      }
      throw new Error('redirected without end');
    },
  };
};
