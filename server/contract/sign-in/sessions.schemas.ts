// The owner’s sessions, and terminals that ask for one.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import { displayName, pageId, passphrase, secret, shared, timestamp } from '../fields.ts';

const loginPath = z.object({ loginId: z.string() });
export const loginReply = z.object({
  loginId: z.string(),
  terminal: z.string(),
  code: z.string(),
  status: z.enum(['pending', 'granted', 'denied', 'expired']),
  viaPublicAddress: z.boolean().describe('a machine at the far end of the owner’s tunnel asked'),
  createdAt: timestamp,
  expiresAt: shared.deadline,
});
export const sessionReply = z.object({
  session: z.string().describe('bearer token'),
  owner: z.string(),
  expiresAt: shared.deadline,
  known: z.string().describe('bearer for signing in again: it has tries of its own, and allows nothing'),
});

export const sessionsExchanges = {
  openSession: post(
    nothing,
    z
      .strictObject({
        token: secret.optional(),
        passphrase: passphrase.optional(),
        page: secret.optional().describe('the ticket of a page that a tab of the same browser let in'),
      })
      .refine(
        (given) => Object.values(given).filter((one) => one !== undefined).length === 1,
        'token, passphrase or page: exactly one of them is required',
      ),
    sessionReply,
  ),
  endSession: post(nothing, nothing, z.object({ ended: z.boolean() })),
  admitPage: post(
    nothing,
    z.strictObject({ pageId }),
    z.object({ admitted: z.boolean().describe('false for a caller without a session') }),
  ),
  openLogin: post(
    nothing,
    z.strictObject({ terminal: displayName, passphrase: passphrase.optional() }),
    loginReply.extend({ pollSecret: z.string() }),
  ),
  claimLogin: post(
    loginPath,
    z.strictObject({ pollSecret: secret }),
    loginReply.extend({ token: z.string().nullable(), tokenExpiresAt: timestamp.nullable() }),
  ),
  listLogins: get(nothing, nothing, z.object({ logins: z.array(loginReply) })),
  grantLogin: post(loginPath, nothing, loginReply),
  denyLogin: post(loginPath, nothing, loginReply),
};
