// Sign-in-with-x: where this buyer has bought before, it proves its wallet before it pays again.
import type { EngineContext } from '../calls/call.ts';
import { refuseRevoked, refuseWhenStopped } from '../payment/context.ts';
import { pathNow } from '../payment/decision/charge-path.ts';
import { principalOf } from '../payment/decision/folding.ts';
import { isOwnOrigin } from '../../lib/net/public-url.ts';
import type { Agent, SellerAnswer, SellerRequest, Sellers, SignInChallenge, SignInFields } from '../ports.ts';

/** A challenge may be this old, or this far ahead by the seller's clock. */
const freshMs = 2 * 60_000;
const validMs = 5 * 60_000;
const mostInAnHour = 20;
const hourMs = 60 * 60_000;

interface ProveDeps {
  context: EngineContext;
  sellers: Pick<Sellers, 'signIn' | 'signInHeaders'>;
}

interface Asked {
  agent: Agent;
  /** The API key that asks; null for the owner. */
  keyId: string | null;
  request: SellerRequest;
}

/**
 * The request with the proof that the seller's 402 asks for. Null where it asks for none, where this buyer has bought
 * nothing of that origin, and where the challenge is old, was answered before, or is one too many.
 * @throws AppError `frozen`, `suspended`, `locked` and the other stops of a payment; then nothing is signed
 */
export const provePurchase = (
  { context, sellers }: ProveDeps,
  { agent, keyId, request }: Asked,
  answer: SellerAnswer,
): SellerRequest | null => {
  const challenge = sellers.signIn(answer, request);
  const fields = challenge === null ? null : fieldsOf(challenge, request.url, context.time.now());
  if (fields === null || !admit(context, { agent, keyId, fields })) return null;
  const proof = context.keys.signSignIn(agent.walletIndex, fields);
  return { ...request, headers: { ...request.headers, ...sellers.signInHeaders(fields, proof) } };
};

/** Null for a challenge that is too old, too new or over. @param now Unix milliseconds */
const fieldsOf = (
  { chainId, nonce, issuedAt, expirationTime }: SignInChallenge,
  url: string,
  now: number,
): SignInFields | null => {
  const issued = Date.parse(issuedAt);
  if (!(Math.abs(now - issued) <= freshMs)) return null;
  const { origin, pathname } = new URL(url);
  const latest = issued + validMs;
  const wished = expirationTime === null ? latest : Date.parse(expirationTime);
  if (!(wished > Math.max(now, issued))) return null;
  const ends = wished > latest || expirationTime === null ? new Date(latest).toISOString() : expirationTime;
  return { uri: `${origin}${pathname}`, chainId, nonce, issuedAt, expirationTime: ends };
};

/** Enters the sign-in before it is signed. False where it may not be. */
const admit = (
  context: EngineContext,
  { agent: { agentId }, keyId, fields }: Omit<Asked, 'request'> & { fields: SignInFields },
): boolean => {
  const { store, time, settings } = context;
  const { origin } = new URL(fields.uri);
  if (isOwnOrigin(settings.ownOrigins, new URL(origin))) return false;
  return store.atomically(() => {
    refuseWhenStopped(context, { kind: 'payment', agentId });
    refuseRevoked(context, keyId);
    const at = time.now();
    const principal = principalOf(agentId, pathNow(store, agentId, keyId).keyPath);
    if (!store.sellerSignIns.knows(principal, origin)) return false;
    if (store.sellerSignIns.since(agentId, at - hourMs) >= mostInAnHour) return false;
    return store.sellerSignIns.add({ agentId, principal, origin, nonce: fields.nonce, at });
  });
};
