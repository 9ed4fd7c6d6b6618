// How a host proves that it knows the bridge's API key before the bridge sends it: another program may have taken the
// port. The proof covers the address that was asked, so that such a program cannot relay the real host's.
import { createHash, createHmac } from 'node:crypto';

// The bridge runs on Node 20 and later; early versions of 20 lack `hash`.
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The host stores only this hash of an API key. */
export const hashOfKey = (apiKey: string): string => sha256(apiKey);

/** Identifies an API key without revealing anything about it. */
export const fingerprintOf = (keyHash: string): string => sha256(`agent-treasury key ${keyHash}`);

/** The proof in hex. @param url the host's address, such as `http://127.0.0.1:PORT` */
export const healthProof = (keyHash: string, nonce: string, url: string): string =>
  createHmac('sha256', keyHash).update(`agent-treasury health v1\n${nonce}\n${url}`).digest('hex');
