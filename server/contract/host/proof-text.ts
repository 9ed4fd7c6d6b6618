// The texts behind the proof of a host, for programs (health-proof.ts) and for the page, which has other hash functions.

/** Why a session of the dashboard is over. */
export const endings = ['signed_out', 'expired', 'locked', 'passphrase', 'older_copy', 'not_here'] as const;
export type Ending = (typeof endings)[number];

/** Its SHA-256 identifies a credential without revealing anything about it. @param hash SHA-256 of it, in hex */
export const fingerprintText = (hash: string): string => `agent-treasury key ${hash}`;

interface Proven {
  nonce: string;
  /** The address that was asked, so that a program on another port cannot relay the real host's proof. */
  url: string;
  /** Of a session that is over: nobody else can make a page believe that. */
  ended?: Ending | null;
}

/** Its HMAC-SHA-256 under the hash is the proof. */
export const proofText = ({ nonce, url, ended = null }: Proven): string =>
  `agent-treasury health v1\n${nonce}\n${url}${ended === null ? '' : `\n${ended}`}`;
