// Signing in to complete a link, and the settings of the sign-in methods.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import { address, displayName, passphrase, secret, shared, timestamp } from '../fields.ts';
import { tokenPath } from './links.schemas.ts';

const identityKinds = ['wallet', 'email', 'provider'] as const;
const emailAddress = z
  .string({ error: 'must be an e-mail address' })
  .trim()
  .toLowerCase()
  .max(254, 'must be at most 254 characters')
  .pipe(z.email('must be an e-mail address'));
const label = displayName.optional();
const host = z
  .string({ error: 'must be a host name' })
  .regex(/^[A-Za-z0-9.:-]{1,253}$/, 'must be a host name or an address');
const identityReply = z.object({
  identityId: z.string(),
  kind: z.enum(identityKinds),
  subject: z.string().describe('the address, or who it is at the provider'),
  label: z.string(),
  addedAt: timestamp,
});
const mailServerFields = {
  host,
  port: z
    .number({ error: 'must be a number' })
    .int('must be a whole number')
    .min(1, 'must be from 1 to 65535')
    .max(65_535, 'must be from 1 to 65535'),
  security: z
    .enum(['tls', 'starttls', 'none'], { error: 'must be "tls", "starttls" or "none"' })
    .describe('"none" only on this machine'),
  user: z.string({ error: 'must be text' }).max(254, 'must be at most 254 characters').nullable(),
  from: emailAddress.describe('the sender'),
};
const providerFields = {
  name: displayName.describe('as the button says it'),
  issuer: z.url({ error: 'must be a URL', protocol: /^https?$/ }).max(500, 'must be at most 500 characters'),
  clientId: z
    .string({ error: 'must be text' })
    .min(1, 'must not be empty')
    .max(500, 'must be at most 500 characters'),
};
const settingsReply = z.object({
  identities: z.array(identityReply),
  mailServer: z.object({ ...mailServerFields, hasPassword: z.boolean() }).nullable(),
  provider: z
    .object({
      ...providerFields,
      hasSecret: z.boolean(),
    })
    .nullable(),
  redirectUri: z.string().describe('the redirect URI to register at the provider'),
  publicRedirectUri: z
    .string()
    .nullable()
    .describe('the second redirect URI to register, for those who sign in at the public address'),
});
const signedIn = z.object({
  token: z.string().describe('bearer for completing this link, and for nothing else'),
  expiresAt: shared.deadline,
  identity: z.object({ kind: z.enum(identityKinds), label: z.string() }),
});

export const signInExchanges = {
  signInMethods: get(
    nothing,
    nothing,
    z.object({
      wallet: z.boolean(),
      email: z.boolean(),
      provider: z.object({ name: z.string() }).nullable(),
      passphrase: z
        .boolean()
        .describe('true if the vault has a passphrase, which signs in as the owner (POST /v1/session)'),
    }),
  ),
  askWallet: post(
    tokenPath,
    nothing,
    z.object({
      domain: z.string(),
      statement: z.string(),
      uri: z.string(),
      version: z.literal('1'),
      chainId: z.string(),
      nonce: z.string(),
      issuedAt: timestamp,
      notBefore: timestamp,
      expirationTime: timestamp,
      requestId: z.string(),
    }),
  ),
  proveWallet: post(
    tokenPath,
    z.strictObject({
      address,
      message: z.base64({ error: 'must be the signed message in base64' }).max(8_192),
      signature: z.base64({ error: 'must be the signature in base64' }).max(128),
    }),
    signedIn,
  ),
  askEmail: post(
    tokenPath,
    z.strictObject({ email: emailAddress }),
    z.object({
      sent: z.boolean().describe('always true, so that known addresses cannot be enumerated'),
      expiresAt: shared.deadline,
    }),
  ),
  proveEmail: post(
    tokenPath,
    z
      .strictObject({
        code: z
          .string()
          .regex(/^\d{6}$/, 'must be the six digits of the e-mail')
          .optional(),
        secret: secret.optional(),
      })
      .refine(
        ({ code, secret: link }) => (code === undefined) !== (link === undefined),
        'code or secret: exactly one of them is required',
      ),
    signedIn,
  ),
  askProvider: post(tokenPath, nothing, z.object({ url: z.string(), state: z.string() })),
  proveProvider: post(
    tokenPath,
    z.strictObject({
      state: secret.describe('as askProvider gave it to this browser'),
      callback: z
        .string({ error: 'must be the query of the address that the provider sent the browser to' })
        .max(8_192, 'must be at most 8192 characters'),
    }),
    signedIn,
  ),
  getSignIn: get(nothing, nothing, settingsReply),
  addIdentity: post(
    nothing,
    z.discriminatedUnion(
      'kind',
      [
        z.strictObject({ kind: z.literal('wallet'), subject: address, label }),
        z.strictObject({ kind: z.literal('email'), subject: emailAddress, label }),
        z.strictObject({
          kind: z.literal('provider'),
          subject: z
            .string({ error: 'must be text' })
            .trim()
            .min(1, 'must not be empty')
            .max(255, 'must be at most 255 characters')
            .describe('the e-mail address that the provider vouches for, or its "sub"'),
          label,
        }),
      ],
      { error: 'must be "wallet", "email" or "provider"' },
    ),
    identityReply,
  ),
  removeIdentity: post(z.object({ identityId: z.string() }), nothing, identityReply),
  setMailServer: post(
    nothing,
    z.strictObject({
      mailServer: z
        .strictObject({
          ...mailServerFields,
          password: passphrase.optional().describe('left out: the one that is kept stays'),
        })
        .nullable(),
    }),
    settingsReply,
  ),
  testMailServer: post(nothing, z.strictObject({ to: emailAddress }), z.object({ sent: z.boolean() })),
  setProvider: post(
    nothing,
    z.strictObject({
      provider: z
        .strictObject({
          ...providerFields,
          clientSecret: passphrase.optional().describe('left out: the one that is kept stays'),
        })
        .nullable(),
    }),
    settingsReply,
  ),
};
