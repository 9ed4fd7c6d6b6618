// Sign-in-with-x: a wallet proves to a seller that it paid there before, so that what was bought is not bought again.
// https://github.com/coinbase/x402/blob/main/specs/extensions/sign-in-with-x.md

/** The part of a seller's challenge that we sign. All else in it is ignored. */
export interface SignInChallenge {
  /** CAIP-2, of our own network. */
  chainId: string;
  nonce: string;
  /** ISO 8601, as the seller wrote it. */
  issuedAt: string;
  /** ISO 8601, as the seller wrote it; null: none. */
  expirationTime: string | null;
}

/** The fields of the text that is signed. The vault composes the text, and adds the wallet's address. */
export interface SignInFields extends SignInChallenge {
  /** The place that was asked, without its query. Its host is the domain that the text names. */
  uri: string;
  expirationTime: string;
}

/** A wallet's answer to a challenge. */
export interface SignInProof {
  /** The wallet's. */
  address: string;
  /** Base58. */
  signature: string;
}

/** A challenge that was answered: it is never answered again. */
export interface SellerSignIn {
  agentId: string;
  /** The agent, or the delegated key that asked. */
  principal: string;
  origin: string;
  nonce: string;
  /** Unix milliseconds. */
  at: number;
}
