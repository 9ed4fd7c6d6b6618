// How a host proves that it knows a caller's credential before the caller sends it: another program may have taken the
// port.
import { createHash, createHmac } from 'node:crypto';
import { fingerprintText, proofText, type Ending } from './proof-text.ts';

// The bridge runs on Node 20 and later; early versions of 20 lack `hash`.
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The host stores only this hash of an API key, or of a session. */
export const hashOfKey = (apiKey: string): string => sha256(apiKey);

/** Identifies an API key without revealing anything about it. */
export const fingerprintOf = (keyHash: string): string => sha256(fingerprintText(keyHash));

/**
 * The proof in hex.
 * @param url the host's address, such as `http://127.0.0.1:PORT`
 * @param ended why it is over, of a session that is
 */
export const healthProof = (
  keyHash: string,
  nonce: string,
  url: string,
  ended: Ending | null = null,
): string => createHmac('sha256', keyHash).update(proofText({ nonce, url, ended })).digest('hex');
