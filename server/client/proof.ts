// The listener at the treasury's address proves that it knows the API key before the key is sent to it: another program
// may have taken the port.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { fingerprintOf, hashOfKey, healthProof } from '../contract/health-proof.ts';
import { AppError } from '../errors.ts';

export interface Prover {
  /** @throws AppError `unauthorized` when the listener does not know the API key; and as `askHealth` does */
  prove(url: string, apiKey: string, isFresh: boolean): Promise<void>;
  /** The next request asks for a proof of its own. */
  forget(): void;
}

const holdsMs = 1_000;

/** @param askHealth returns the listener's answer in JSON */
export const createProver = (askHealth: (url: URL) => Promise<unknown>): Prover => {
  // Concurrent calls share one proof.
  let proof = { url: '', apiKey: '', until: 0, asked: Promise.resolve() };
  return {
    prove(url, apiKey, isFresh) {
      const isKnown = proof.url === url && proof.apiKey === apiKey && performance.now() < proof.until;
      if (isFresh || !isKnown)
        proof = {
          url,
          apiKey,
          until: performance.now() + holdsMs,
          asked: askForProof(askHealth, url, apiKey),
        };
      return proof.asked;
    },
    forget() {
      proof.until = 0;
    },
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
    `The program at ${url} does not know this agent’s API key. The key is wrong or was revoked, or another program has taken the port. The key was not sent.`,
  );
