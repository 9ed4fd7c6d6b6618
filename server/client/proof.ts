// The listener at the treasury's address proves that it knows the API key before the key is sent to it: another program
// may have taken the port.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { fingerprintOf, hashOfKey, healthProof } from '../contract/host/health-proof.ts';
import { AppError } from '../errors.ts';
import { isFar } from './unreached.ts';

/** @throws AppError `unauthorized` when the listener does not know the API key; and as `askHealth` does */
export type Prove = (url: string, apiKey: string) => Promise<void>;

/**
 * Each request has a proof, which only concurrent ones share: a moment later, another program may have the port.
 * @param askHealth returns the listener's answer in JSON
 */
export const createProver = (askHealth: (url: URL) => Promise<unknown>): Prove => {
  const asked = new Map<string, Promise<void>>();
  return (url, apiKey) => {
    const name = `${url} ${apiKey}`;
    const found = asked.get(name);
    if (found !== undefined) return found;
    const proof = askForProof(askHealth, url, apiKey).finally(() => asked.delete(name));
    asked.set(name, proof);
    return proof;
  };
};

const askForProof = async (
  askHealth: (url: URL) => Promise<unknown>,
  url: string,
  apiKey: string,
): Promise<void> => {
  const hash = hashOfKey(apiKey);
  const nonce = randomBytes(16).toString('hex');
  const answer = await askHealth(new URL(`/v1/health?nonce=${nonce}&key=${fingerprintOf(hash)}`, url));
  const { proof } = (answer ?? {}) as { proof?: unknown };
  if (!isSame(proof, healthProof(hash, nonce, url))) throw unproven(url);
};

const isSame = (given: unknown, expected: string): boolean => {
  if (typeof given !== 'string' || given.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected));
};

const unproven = (url: string): AppError =>
  new AppError(
    'unauthorized',
    `The program at ${url} does not know this agent’s API key. The key is wrong or was revoked, ${isFar(url) ? 'the tunnel does not pass the Host header on, or it leads to another treasury' : 'or another program has taken the port'}. The key was not sent.`,
  );
