// Requests made before: their idempotency keys, counted refusals, requests that clients may resume, and sign-ins at
// sellers.
import type { Demand } from '../../domain/purchase.ts';
import type { SellerSignIn } from '../../domain/seller-sign-in.ts';

export interface Remembered {
  route: string;
  bodyHash: string;
  transferId: string | null;
  approvalId: string | null;
}

export interface RefusedKey {
  scope: string;
  key: string;
  route: string;
  bodyHash: string;
}

export interface IdempotencyStore {
  find(scope: string, key: string): Remembered | undefined;
  /** Permanent, unless the transfer of the idempotency key was canceled. */
  remember(scope: string, key: string, what: Remembered, now: number): void;
}

/** Refusals that have no row of their own. */
export interface RefusalStore {
  /** Counts one more refusal under this denied transfer. */
  count(transferId: string, now: number): void;
  counted(transferId: string): number;
  /** The idempotency key stays refused for ever, with this transfer's refusal. */
  keep(agentId: string, refused: RefusedKey & { transferId: string }): void;
  /** The number of the agent's idempotency keys that are kept. */
  keysOf(agentId: string): number;
  find(refused: RefusedKey): Remembered | undefined;
  /** A seller asked an agent for what this treasury cannot pay with. The agent's last 100 are kept. */
  countSeller(asked: Demand & { seller: string; agentId: string; at: number }): void;
  /** By seller, network and token, the most frequent first, with the last price and the number of agents. */
  sellers(): (Demand & { seller: string; times: number; agents: number; firstAt: number; lastAt: number })[];
}

/** Requests of clients that can resume them: see payment/continuation.ts. */
export interface WishStore {
  insert(wish: { transferId: string; hash: string; createdAt: number }): void;
  /** Transfers of this wish whose answer the client lacks; oldest first. */
  open(hash: string): string[];
  /** The client acknowledged its answer. False when it had done so before, or made no wish. */
  receive(transferId: string, now: number): boolean;
}

/** Sign-ins at sellers that a buyer has paid: see purchase/prove-purchase.ts. */
export interface SellerSignInStore {
  /** The seller at this origin delivered what the principal paid for. */
  know(principal: string, origin: string): void;
  knows(principal: string, origin: string): boolean;
  /** False when this challenge was answered before. */
  add(signIn: SellerSignIn): boolean;
  /** The number of the agent's sign-ins after this time, in Unix milliseconds. */
  since(agentId: string, time: number): number;
}
