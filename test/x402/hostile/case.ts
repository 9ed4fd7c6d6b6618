// What a hostile seller's case is: who is who in it, what the seller answers, and what may come of it.
import type { ServerResponse } from 'node:http';

/** Micro-USDC that an honest offer asks. */
export const price = 10_000;

/** Who is who in one case. */
export interface Scene {
  name: string;
  /** This seller's origin, and one of an accomplice who may be asked too. */
  url: string;
  other: string;
  /** A port of this machine that must not be asked, over IPv4 and IPv6. */
  forbidden: number;
  treasuryUrl: string;
  treasury: string;
  wallet: string;
  payee: string;
  feePayer: string;
  /** Signs the transaction that was shown as its fee payer and hands it to the chain. */
  settle(shown: Shown): Promise<string>;
  /** Another transaction of this chain that paid the payee. */
  foreign: string;
  /** How often this case was shown a payment, this time included. */
  shownTimes(): number;
}

/** A payment as it was shown. */
export interface Shown {
  header: string;
  value: string;
  /** The signed transaction, where one was handed over. */
  transaction: string | null;
}
export const empty: Shown = { header: '', value: '', transaction: null };

export type Answer = (response: ServerResponse, scene: Scene, shown: Shown) => unknown;

export interface Case {
  name: string;
  first: Answer;
  /** To the request that pays; nobody gets there when nothing may be signed. */
  paid?: Answer;
  /** Of the fetch's body. */
  request?: (scene: Scene) => Record<string, unknown>;
  limits?: { dailyBudget?: string; maxPerPayment?: string; allocate?: string };
  /** Signatures that policy and quote cover: none, one, or at most one. */
  signed: 0 | 1 | 'at most 1';
  /** What becomes of them on the chain. */
  landed: 0 | 1 | 'at most 1';
  /** Whether what came counts as what was paid for. */
  delivery?: 'delivered' | 'undelivered';
  /** Of the first answer to the agent. */
  status: readonly number[];
  code?: readonly string[];
}

export const bought = { signed: 1, landed: 1, delivery: 'delivered', status: [200] } as const;
export const nothing = { signed: 0, landed: 0 } as const;
export const unusable = { ...nothing, status: [501], code: ['not_available'] } as const;
/** Nobody but the agent or the treasury would gain or sign: refused by form, by the rules, or as not understood. */
export const unpayable = { ...nothing, status: [400, 402, 501] } as const;
export const refused = { ...nothing, status: [402] } as const;
export const badUrl = { ...nothing, status: [400, 501], code: ['bad_request', 'not_available'] } as const;
/** Paid, and not delivered: the chain or proof of death says what it cost. */
export const unclear = { signed: 1, delivery: 'undelivered', status: [202, 502] } as const;
/** Shown to the agent as it came, and yet not what was paid for. */
export const useless = { ...unclear, status: [200, 202, 502] } as const;
/** A redirect is an answer like any other to the agent; nobody follows it. */
export const unfollowed = { ...nothing, status: [200, 501, 502] } as const;
