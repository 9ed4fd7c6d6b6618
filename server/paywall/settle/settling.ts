// A seller that settles payments by itself: its key, and what its store keeps of them.

/** A key that this process holds, such as the one of `readKeyFile`. */
export interface KeySigner {
  address: string;
  /** 64 bytes, Ed25519. */
  sign(message: Uint8Array): Uint8Array;
}

type HeaderValues = Readonly<Record<string, string>>;
/** Of requests to a facilitator, which may take the seller's place. */
export type FacilitatorHeaders = HeaderValues | ((url: string) => HeaderValues | Promise<HeaderValues>);

export interface SettleOptions {
  /** Pays the fees in SOL. A key of its own, with nothing but SOL; never the recipient's. */
  feePayer: KeySigner;
  /** The most that all processes on this store spend in 24 hours. Default 10,000,000, which is 0.01 SOL. */
  mostLamportsPerDay?: number;
}

/** A payment that was begun. It is kept, with the fee payer's signature, before it is sent. */
export interface Settling {
  /** A base64 SHA-256 of the message that the payer signed. */
  message: string;
  /** Null for a payment that is bound to none. */
  invoice: string | null;
  network: string;
  /** The wallet whose USDC pays. */
  payer: string;
  txSignature: string;
  /** Base64 of the signed transaction. */
  wire: string;
  /** The block height after which it can no longer land. */
  lastValidBlockHeight: number;
  /** What the fee payer spends: reserved while it is open, then what the chain took. */
  lamports: number;
  /** Unix milliseconds. */
  begunAt: number;
  state: 'open' | SettlingEnd;
}

/** `failed`: the chain took the fee and moved nothing. `expired`: it never landed. */
export type SettlingEnd = 'landed' | 'failed' | 'expired';

/** Limits over all payments of a store. Times are Unix milliseconds. */
export interface SettlingLimits {
  /** The most lamports of payments that began after `daySince`, this one included. */
  mostLamports: number;
  daySince: number;
  /** The most payments of this payer that began after `hourSince` and failed or expired. */
  mostFailed: number;
  hourSince: number;
  /** The most open payments of this payer, this one included. */
  mostOpen: number;
}

/** Why a payment was not begun: its message is known, another one for its invoice is open or landed, or a limit is reached. */
export type SettlingOutcome =
  | 'begun'
  | 'known'
  | 'invoice_busy'
  | 'lamports_spent'
  | 'payer_failed'
  | 'payer_busy';

type Promised<T> = T | Promise<T>;

/** Wanted by the option `settle`. */
export interface SettlingStore {
  /**
   * Keeps the payment durably, in one atomic step with its limits. Unique are the message, and the invoice among payments
   * that are open or landed. It may forget an ended payment after two days.
   */
  beginSettling(settling: Settling, limits: SettlingLimits): Promised<SettlingOutcome>;
  /** Ends an open payment durably; one that has ended stays as it is. */
  endSettling(message: string, end: SettlingEnd, lamports: number): Promised<void>;
  /** The payment with this message, or the open or landed one for this invoice. */
  findSettling(by: 'message' | 'invoice', value: string): Promised<Settling | undefined>;
  openSettlings(): Promised<Settling[]>;
  /** The lamports of all payments that began after this time. */
  settlingLamports(since: number): Promised<number>;
}
