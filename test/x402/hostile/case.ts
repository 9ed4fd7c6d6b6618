// A case of a hostile seller: its parties, the seller's answers, and the allowed outcomes.
import type { ServerResponse } from 'node:http';

/** The micro-USDC of an honest offer. */
export const price = 10_000;

/** The parties of one case. */
export interface Scene {
  name: string;
  /** This seller's origin, and that of an accomplice, which may be contacted too. */
  url: string;
  other: string;
  /** A port of this machine that must not be contacted, over IPv4 and IPv6. */
  forbidden: number;
  treasuryUrl: string;
  treasury: string;
  wallet: string;
  payee: string;
  feePayer: string;
  /** Signs the shown transaction as its fee payer and submits it. */
  settle(shown: Shown): Promise<string>;
  /** Settles it once every agent has asked twice. */
  settleLate(shown: Shown): void;
  /** Another transaction of this chain that paid the payee. */
  foreign: string;
  /** The number of payments shown in this case, including this one. */
  shownTimes(): number;
}

/** A payment as the seller got it. */
export interface Shown {
  header: string;
  value: string;
  /** The signed transaction, if there was one. */
  transaction: string | null;
}
export const empty: Shown = { header: '', value: '', transaction: null };

export type Answer = (response: ServerResponse, scene: Scene, shown: Shown) => unknown;

export interface Case {
  name: string;
  first: Answer;
  /** The answer to the request that pays; without it, nothing may be signed. */
  paid?: Answer;
  /** Fields of the fetch's body. */
  request?: (scene: Scene) => Record<string, unknown>;
  limits?: { dailyBudget?: string; maxPerPayment?: string; allocate?: string };
  /** Signatures that policy and quote cover: none, one, or at most one. */
  signed: 0 | 1 | 'at most 1';
  /** The number of them that land. */
  landed: 0 | 1 | 'at most 1';
  /** Whether the answer counts as delivered. */
  delivery?: 'delivered' | 'undelivered';
  /** The status of the first answer to the agent. */
  status: readonly number[];
  code?: readonly string[];
  /** It lasts as long as the treasury waits for a seller: the lab runs it, and outbound.test.ts with a shorter wait. */
  isSlow?: true;
}

export const bought = { signed: 1, landed: 1, delivery: 'delivered', status: [200] } as const;
export const nothing = { signed: 0, landed: 0 } as const;
export const unusable = { ...nothing, status: [501], code: ['not_available'] } as const;
/** Refused by its form, by the policy, or as not understood. */
export const unpayable = { ...nothing, status: [400, 402, 501] } as const;
export const refused = { ...nothing, status: [402] } as const;
export const badUrl = { ...nothing, status: [400, 501], code: ['bad_request', 'not_available'] } as const;
/** Paid, but not delivered: the chain or a proof of expiry decides the cost. */
export const unclear = { signed: 1, delivery: 'undelivered', status: [202, 502] } as const;
/** Passed on to the agent unchanged, and still not counted as delivered. */
export const useless = { ...unclear, status: [200, 202, 502] } as const;
/** A redirect is passed on to the agent like any other answer; it is not followed. */
export const unfollowed = { ...nothing, status: [200, 501, 502] } as const;
