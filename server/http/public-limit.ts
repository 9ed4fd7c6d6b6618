// Strangers at the public door. A tunnel's requests all come from 127.0.0.1, and what a proxy says of its client is not
// read, so strangers there share one limit. It is looked at before any body, passphrase or mail, and never by the owner at
// the local door. Callers with a credential in force do not draw on it, and are never refused by it.
import type { Request, RequestHandler } from 'express';
import { createTryLimit } from '../lib/try-limit.ts';
import { bearerOf, type Credentials } from './auth.ts';
import { doorOf } from './door.ts';
import { isProxied } from './proxy/place.ts';
import { keysIn } from './proxy/caller.ts';

/** Requests without a credential, or with a wrong one, in any ten seconds: a page with its assets takes some forty. */
export const mostOfStrangers = 120;
const withinMs = 10_000;

/**
 * Refuses with `too_many_requests` and `retryAfterSeconds`.
 * @param now in milliseconds, never going back
 */
export const createPublicLimit = (credentials: Credentials, now: () => number): RequestHandler => {
  const strangers = createTryLimit(mostOfStrangers, withinMs, now);
  return (request, response, next) => {
    const { name } = doorOf(response);
    if (name === 'public' && !isKnown(request, credentials)) {
      strangers.check(name, 'Too many requests without a valid key came through the public address.');
      strangers.count(name);
    }
    next();
  };
};

/** Whether it brings a credential in force, or asks this host to prove that it knows one. */
const isKnown = (request: Request, credentials: Credentials): boolean => {
  if (isProxied(request.originalUrl)) return keysIn(request).some(({ token }) => isKey(credentials, token));
  const bearer = bearerOf(request);
  if (bearer !== undefined)
    return (
      credentials.isOwner(bearer, 'public') ||
      credentials.identityOf(bearer) !== undefined ||
      isKey(credentials, bearer)
    );
  const { key } = request.query;
  return request.path === '/v1/health' && typeof key === 'string' && credentials.knows(key, 'public');
};

const isKey = ({ agentOf }: Credentials, token: string): boolean => {
  try {
    return agentOf(token) !== undefined;
  } catch {
    // A delegated key that has ended.
    return false;
  }
};
