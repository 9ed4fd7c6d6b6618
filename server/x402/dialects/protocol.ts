// The parts of every dialect: reading its part of an answer, and making its credential.
import type { Dialect } from '../../contract/payments/dialects.ts';
import type { Credential, Demand, McpProof, Network, Offer, Purchase } from '../../engine/ports.ts';
import type { JsonObject } from '../../lib/base64-json.ts';

/** The network and the currency that we pay in. */
export interface Market {
  network: Network;
  /** The USDC mint of that network. */
  mint: string;
  /** Unix milliseconds. */
  now(): number;
}

/** The parts of a seller's answer that dialects read. */
export interface SellerResponse {
  status: number;
  /** Takes the name in lower case; null when the header is missing or empty. */
  header(name: string): string | null;
  /** The body, when it is a JSON object. */
  json: JsonObject | null;
}

/** Why something cannot be paid; `path` is the seller's own name of the field, and may be empty. */
export interface Fault {
  path: string;
  message: string;
  /** The demand of the entry, if it can be read. */
  demand?: Demand;
}

/** The offers in a dialect's part of a 402, and why its other entries do not count. */
interface Reading {
  offers: Offer[];
  faults: Fault[];
}

interface Proof {
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
  /** Null when the answer is not in this dialect. @param url what was asked for */
  read(response: SellerResponse, url: string): Reading | null;
  /** The dialect among MCP servers; absent: it is not spoken there. */
  mcp?: McpForm;
  /** @throws Error (an invariant) when the proof that the terms ask for is missing */
  credential(purchase: Pick<Purchase, 'feePayer' | 'terms'>, proof: Proof): Credential;
  settlement(response: SellerResponse): Settlement;
}

/** https://github.com/x402-foundation/x402/blob/main/specs/transports-v2/mcp.md and the MCP transport of MPP */
interface McpForm {
  /** Null when the demand is not in this dialect. @param resource what is paid for, unless the server names it itself */
  read(demand: JsonObject, resource: JsonObject): Reading | null;
  /** The member of the repeated request's `_meta` that pays. @throws as `credential` does */
  proof(...purchase: Parameters<Protocol['credential']>): McpProof;
}

/** Both versions of x402 pay under this key. */
export const x402Meta = 'x402/payment';

export const isFault = (value: object): value is Fault => 'message' in value;
export const unreadable = (path: string, message: string, demand: Pick<Fault, 'demand'> = {}): Reading => ({
  offers: [],
  faults: [{ path, message, ...demand }],
});

/** A seller that lists more than this wants to keep us busy. */
const mostEntries = 32;

/** Reads the first 32 entries; a longer list is a fault as well. */
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
