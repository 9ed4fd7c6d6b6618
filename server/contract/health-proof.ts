// How a host proves to a bridge that it knows the bridge's key, before the key is sent: another program may have taken
// the port. The proof is over the address that was asked, so that such a program cannot pass on the real host's.
import { createHash, createHmac } from 'node:crypto';

// The bridge runs on any Node from 20 on, which has no `hash` at first.
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What the host keeps of a key. */
export const hashOfKey = (apiKey: string): string => sha256(apiKey);

/** Says which key is meant and nothing about it. */
export const fingerprintOf = (keyHash: string): string => sha256(`agent-treasury key ${keyHash}`);

/** Hex. @param url of the host, as `http://127.0.0.1:PORT` */
export const healthProof = (keyHash: string, nonce: string, url: string): string =>
  createHmac('sha256', keyHash).update(`agent-treasury health v1\n${nonce}\n${url}`).digest('hex');
