// How somebody signs in: the owner of a dashboard or a terminal, a machine that is linked, and whoever completes its link; and the address at which they do.
import { anyone, identity, owner, type Route } from '../route.ts';

export const signInRoutes = {
  openSession: anyone(
    'POST /v1/session',
    'Trade a one-time login token, or an owner token, for a session of the dashboard',
  ),
  endSession: owner('DELETE /v1/session', 'End this session, and those of the browser’s other tabs'),
  admitPage: owner(
    'POST /v1/session/pages',
    'Admit another page of the dashboard in the same browser to this session for a minute',
  ),
  openLogin: anyone('POST /v1/logins', 'Ask the owner to give a terminal full access for 15 minutes'),
  claimLogin: anyone('POST /v1/logins/:loginId/claim', 'Get a login; its token once, when it was granted'),
  listLogins: owner('GET /v1/logins', 'Logins that wait'),
  grantLogin: owner('POST /v1/logins/:loginId/grant', 'Allow the login'),
  denyLogin: owner('POST /v1/logins/:loginId/deny', 'Refuse it'),
  openLink: anyone(
    'POST /v1/link-sessions',
    'Ask to link this machine: a token, an address for a browser, and the secret that the key is sealed for',
  ),
  listLinks: owner('GET /v1/link-sessions', 'Link sessions that wait for the owner'),
  getLink: anyone(
    'GET /v1/link-sessions/:token',
    'Status of a link session, every two seconds at most; with its pollSecret as bearer also the key',
  ),
  completeLink: identity(
    'POST /v1/link-sessions/:token/complete',
    'Create the agent and link the machine to it, as the owner or as an identity that the owner added',
  ),
  grantLink: owner('POST /v1/link-sessions/:linkId/grant', 'The same for a link session of the list'),
  denyLink: owner('POST /v1/link-sessions/:linkId/deny', 'Refuse it'),
  getPublicAddress: owner(
    'GET /v1/public-address',
    'The address at which a tunnel of the owner’s leads to this treasury, and whether the owner may sign in there',
  ),
  setPublicAddress: owner(
    'POST /v1/public-address',
    'Change it, on the treasury’s own machine alone; all that was signed in through the former address ends',
  ),
  checkPublicAddress: owner(
    'POST /v1/public-address/check',
    'Whether it leads here: the treasury asks itself through the tunnel',
  ),
  signInMethods: anyone('GET /v1/sign-in', 'The sign-in methods of the link page'),
  askWallet: anyone(
    'POST /v1/link-sessions/:token/wallet',
    'The message that a wallet has to sign to sign in for this link (Sign In With Solana)',
  ),
  proveWallet: anyone('POST /v1/link-sessions/:token/wallet/proof', 'Sign in with what the wallet signed'),
  askEmail: anyone(
    'POST /v1/link-sessions/:token/email',
    'Send a code to an e-mail address, if it is one that the owner added',
  ),
  proveEmail: anyone(
    'POST /v1/link-sessions/:token/email/proof',
    'Sign in with the code, or with the secret of the link, from the e-mail',
  ),
  askProvider: anyone(
    'POST /v1/link-sessions/:token/provider',
    'Where the browser goes to sign in with the identity provider (OpenID Connect)',
  ),
  proveProvider: anyone(
    'POST /v1/link-sessions/:token/provider/proof',
    'Sign in with what the identity provider answered',
  ),
  getSignIn: owner(
    'GET /v1/sign-in/settings',
    'The identities that may complete a link, the mail server and the identity provider; no secrets',
  ),
  addIdentity: owner(
    'POST /v1/identities',
    'Let somebody complete links: a wallet, an e-mail address, or an account at the identity provider',
  ),
  removeIdentity: owner('DELETE /v1/identities/:identityId', 'Remove an identity'),
  setMailServer: owner(
    'POST /v1/sign-in/mail-server',
    'The SMTP server that sends the codes, or null for none',
  ),
  testMailServer: owner('POST /v1/sign-in/mail-server/test', 'Send a message through it'),
  setProvider: owner('POST /v1/sign-in/provider', 'The OpenID Connect provider, or null for none'),
} as const satisfies Record<string, Route>;
