// The bearer token of a completed sign-in: it completes one link session, and is kept as a hash.
import { timingSafeEqual } from 'node:crypto';
import { digestOf, newToken } from '../lib/token.ts';

interface SignInTokens {
  /** 256 bits, valid for ten minutes but not beyond its link session; times are Unix milliseconds. */
  issue(identityId: string, link: { id: string; expiresAt: number }): { token: string; expiresAt: number };
  /** Undefined when it is unknown or expired. */
  find(token: string): { identityId: string; linkId: string } | undefined;
  clear(): void;
}

const prefix = 'sin_';
const tokenMs = 600_000;
const mostTokens = 1_000;

export const createSignInTokens = (now: () => number): SignInTokens => {
  let held: { hashed: Buffer; identityId: string; linkId: string; until: number }[] = [];
  return {
    issue(identityId, { id, expiresAt }) {
      const token = newToken(prefix);
      const until = Math.min(now() + tokenMs, expiresAt);
      held = [...held.slice(1 - mostTokens), { hashed: digestOf(token), identityId, linkId: id, until }];
      return { token, expiresAt: until };
    },
    find(token) {
      if (!token.startsWith(prefix)) return undefined;
      const given = digestOf(token);
      held = held.filter(({ until }) => until > now());
      const found = held.find(({ hashed }) => timingSafeEqual(hashed, given));
      return found === undefined ? undefined : { identityId: found.identityId, linkId: found.linkId };
    },
    clear() {
      held = [];
    },
  };
};
