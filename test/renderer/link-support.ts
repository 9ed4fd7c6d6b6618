// The surroundings of the link page: a terminal that asks, a wallet, a mailbox and an identity provider, each of them
// real.
import { sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSignInMessageText } from '@solana/wallet-standard-util';
import { Provider } from 'oidc-provider';
import type { Page } from 'playwright-core';
import type { Answer } from '../harness/http-client.ts';
import type { TestWallet } from '../harness/chain/sign-in.ts';
import type { Treasury } from '../harness/treasury.ts';

const nobody = { token: null, owner: null };

export interface Terminal {
  token: string;
  linkUrl: string;
  code: string;
  /** Polls with the poll secret. */
  poll(): Promise<Answer>;
}

/** Asks as `treasury link` does. */
export const askToLink = async (
  { client }: Pick<Treasury, 'client'>,
  body: { machine?: string; agentId?: string } = { machine: 'maker on workstation' },
): Promise<Terminal> => {
  const { body: opened, text } = await client.post('/v1/link-sessions', body, nobody);
  if (opened['token'] === undefined) throw new Error(text);
  const { token, linkUrl, code, pollSecret } = opened as Record<string, string>;
  if (token === undefined || linkUrl === undefined || code === undefined || pollSecret === undefined)
    throw new Error(text);
  return {
    token,
    linkUrl,
    code,
    poll: () => client.get(`/v1/link-sessions/${token}`, { owner: null, token: pollSecret }),
  };
};

export const addIdentity = async (
  { client }: Pick<Treasury, 'client'>,
  kind: 'wallet' | 'email' | 'provider',
  subject: string,
  label: string,
): Promise<void> => {
  const { status, text } = await client.post('/v1/identities', { kind, subject, label });
  if (status !== 200) throw new Error(text);
};

/** The data that a page of this treasury keeps in the browser. */
export const keptBy = async (page: Page): Promise<string> =>
  String(
    await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage, cookie: document.cookie })'),
  );

interface WalletOptions {
  name: string;
  /** The sign-in feature that it supports. */
  knows: 'solana:signIn' | 'solana:signMessage';
  /** Its holder refuses. */
  refuses?: boolean;
  /** It registers when `window.addWallet()` is called. */
  isLate?: boolean;
}

/**
 * A wallet of the Wallet Standard, in the page before its own scripts. Its signing key stays in the test, which builds
 * the text of a sign-in itself and signs it.
 */
export const addWallet = async (page: Page, wallet: TestWallet, options: WalletOptions): Promise<void> => {
  const signed = (message: Uint8Array): [string, string] => [
    Buffer.from(message).toString('base64'),
    sign(null, message, wallet.privateKey).toString('base64'),
  ];
  await page.exposeFunction('signInWithWallet', (input: { domain: string }) =>
    signed(Buffer.from(createSignInMessageText({ ...input, address: wallet.address }))),
  );
  await page.exposeFunction('signWithWallet', (message: string) => signed(Buffer.from(message, 'base64')));
  await page.addInitScript(`(${register})(${JSON.stringify({ ...options, address: wallet.address })})`);
};

/** Runs in the page. */
const register = `({ name, knows, refuses = false, isLate = false, address }) => {
  const bytes = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const answer = ([signedMessage, signature]) => ({ signedMessage: bytes(signedMessage), signature: bytes(signature) });
  const ask = () => {
    if (refuses) throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
  };
  const account = {
    address,
    publicKey: new Uint8Array(32),
    chains: ['solana:mainnet'],
    features: [knows],
  };
  const features = {
    'solana:signIn': {
      version: '1.0.0',
      async signIn(input) {
        ask();
        return [{ account, ...answer(await window.signInWithWallet(input)) }];
      },
    },
    'solana:signMessage': {
      version: '1.1.0',
      async signMessage({ message }) {
        ask();
        return [answer(await window.signWithWallet(btoa(String.fromCharCode(...message))))];
      },
    },
  };
  const wallet = {
    version: '1.0.0',
    name,
    icon: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
    chains: ['solana:mainnet'],
    accounts: [],
    features: {
      'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
      [knows]: features[knows],
    },
  };
  const callback = (api) => api.register(wallet);
  const come = () => {
    window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: callback }));
    window.addEventListener('wallet-standard:app-ready', ({ detail }) => callback(detail));
  };
  if (isLate) window.addWallet = come;
  else come();
}`;

export interface TestProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  close(): Promise<void>;
}

/** Its accounts are e-mail addresses: typing one at its page signs in as that account. */
export const openProvider = async (redirectUri: string): Promise<TestProvider> => {
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [clientId, clientSecret] = ['treasury', 'a secret of the provider'];
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    cookies: { keys: ['for the test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, email_verified: true }),
    }),
  });
  const handle = provider.callback();
  return {
    issuer,
    clientId,
    clientSecret,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
