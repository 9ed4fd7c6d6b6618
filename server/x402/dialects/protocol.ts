// What every dialect is made of: reading its part of an answer, and making its credential.
import type { Credential, Dialect, Network, Offer, Purchase } from '../../engine/ports.ts';
import type { JsonObject } from './base64-json.ts';

/** Where we pay, and in what. */
export interface Market {
  network: Network;
  /** USDC's address there. */
  mint: string;
  /** Unix milliseconds. */
  now(): number;
}

/** A seller's answer, as far as a dialect looks at it. */
export interface SellerResponse {
  status: number;
  /** By its name in lower case; null when it is missing or empty. */
  header(name: string): string | null;
  /** The body, when it is a JSON object. */
  json: JsonObject | null;
}

/** Why something cannot be paid; `path` names the field in the seller's own words, and may be empty. */
export interface Fault {
  path: string;
  message: string;
}

/** What a dialect's part of a 402 offers, and why the rest of it does not count. */
export interface Reading {
  offers: Offer[];
  faults: Fault[];
}

export interface Proof {
  paymentId: string;
  wire: Uint8Array;
  txSignature: string | null;
  receipt: string | null;
}

export interface Settlement {
  success: boolean | null;
  txSignature: string | null;
  error: string | null;
}

export interface Protocol {
  dialect: Dialect;
  /** Null: the answer does not speak it. */
  read(heard: SellerResponse): Reading | null;
  /** @throws Error (an invariant) when the proof that the terms ask for is missing */
  credential(purchase: Pick<Purchase, 'feePayer' | 'terms'>, proof: Proof): Credential;
  settlement(heard: SellerResponse): Settlement;
}

export const isFault = (value: object): value is Fault => 'message' in value;
export const unreadable = (path: string, message: string): Reading => ({
  offers: [],
  faults: [{ path, message }],
});

/** A seller that lists more than this does it to keep us busy. */
const mostEntries = 32;

export const readEach = <T>(entries: readonly T[], read: (entry: T) => Offer | Fault): Reading => {
  const reading: Reading = { offers: [], faults: [] };
  for (const entry of entries.slice(0, mostEntries)) {
    const one = read(entry);
    if (isFault(one)) reading.faults.push(one);
    else reading.offers.push(one);
  }
  if (entries.length > mostEntries)
    reading.faults.push({ path: '', message: `lists more than ${mostEntries} ways to pay` });
  return reading;
};
