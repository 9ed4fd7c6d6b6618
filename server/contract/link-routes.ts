// Routes for linking a machine, and for the sign-in that completes a link; free of zod.
import type { Route } from './route.ts';

export const linkRoutes = {
  openLink: {
    method: 'POST',
    path: '/v1/link-sessions',
    access: 'public',
    summary:
      'Ask to link this machine: a token, an address for a browser, and the secret that the key is sealed for',
  },
  listLinks: {
    method: 'GET',
    path: '/v1/link-sessions',
    access: 'owner',
    summary: 'Link sessions that wait for the owner',
  },
  getLink: {
    method: 'GET',
    path: '/v1/link-sessions/:token',
    access: 'public',
    summary:
      'Status of a link session, every two seconds at most; with its pollSecret as bearer also the key',
  },
  completeLink: {
    method: 'POST',
    path: '/v1/link-sessions/:token/complete',
    access: 'identity',
    summary:
      'Create the agent and link the machine to it, as the owner or as an identity that the owner added',
  },
  grantLink: {
    method: 'POST',
    path: '/v1/link-sessions/:linkId/grant',
    access: 'owner',
    summary: 'The same for a link session of the list',
  },
  denyLink: {
    method: 'POST',
    path: '/v1/link-sessions/:linkId/deny',
    access: 'owner',
    summary: 'Refuse it',
  },

  signInMethods: {
    method: 'GET',
    path: '/v1/sign-in',
    access: 'public',
    summary: 'The sign-in methods of the link page',
  },
  askWallet: {
    method: 'POST',
    path: '/v1/link-sessions/:token/wallet',
    access: 'public',
    summary: 'What a wallet has to sign to sign in for this link (Sign In With Solana)',
  },
  proveWallet: {
    method: 'POST',
    path: '/v1/link-sessions/:token/wallet/proof',
    access: 'public',
    summary: 'Sign in with what the wallet signed',
  },
  askEmail: {
    method: 'POST',
    path: '/v1/link-sessions/:token/email',
    access: 'public',
    summary: 'Send a code to an e-mail address, if it is one that the owner added',
  },
  proveEmail: {
    method: 'POST',
    path: '/v1/link-sessions/:token/email/proof',
    access: 'public',
    summary: 'Sign in with the code, or with the secret of the link, from the e-mail',
  },
  askProvider: {
    method: 'POST',
    path: '/v1/link-sessions/:token/provider',
    access: 'public',
    summary: 'Where the browser goes to sign in with the identity provider (OpenID Connect)',
  },
  proveProvider: {
    method: 'POST',
    path: '/v1/link-sessions/:token/provider/proof',
    access: 'public',
    summary: 'Sign in with what the identity provider answered',
  },

  getSignIn: {
    method: 'GET',
    path: '/v1/sign-in/settings',
    access: 'owner',
    summary: 'Who may complete a link, the mail server and the identity provider; no secrets',
  },
  addIdentity: {
    method: 'POST',
    path: '/v1/identities',
    access: 'owner',
    summary:
      'Let somebody complete links: a wallet, an e-mail address, or an account at the identity provider',
  },
  removeIdentity: {
    method: 'DELETE',
    path: '/v1/identities/:identityId',
    access: 'owner',
    summary: 'Remove an identity',
  },
  setMailServer: {
    method: 'POST',
    path: '/v1/sign-in/mail-server',
    access: 'owner',
    summary: 'The SMTP server that sends the codes, or null for none',
  },
  testMailServer: {
    method: 'POST',
    path: '/v1/sign-in/mail-server/test',
    access: 'owner',
    summary: 'Send a message through it',
  },
  setProvider: {
    method: 'POST',
    path: '/v1/sign-in/provider',
    access: 'owner',
    summary: 'The OpenID Connect provider, or null for none',
  },
} as const satisfies Record<string, Route>;
