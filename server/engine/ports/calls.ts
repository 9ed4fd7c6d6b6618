// Calls to the engine, over HTTP and IPC: by route name, with parsed input, by an agent or the owner. And the events
// that it publishes.
import type { RouteName } from '../../contract/routes.ts';
import type { Accepted, Body, Params, Query, Reply } from '../../contract/schemas.ts';
import type { Approval } from '../domain/approval.ts';
import type { Transfer } from '../domain/transfer.ts';
import type { Deposit } from '../domain/wallet.ts';
import type { Door } from '../../lib/net/public-url.ts';
import type { Usdc } from '../../money.ts';
import type { AnswerBody } from './answer-files.ts';
import type { SellerRequest } from './sellers.ts';

export type EngineEvent =
  | { type: 'transfer'; transfer: Transfer }
  | { type: 'approval'; approval: Approval }
  | { type: 'agent'; agentId: string }
  | { type: 'ceiling' }
  /** Its entry in the catalog, or the owner's word on it; or an agent could not pay it. */
  | { type: 'service'; serviceId: string }
  | { type: 'deposit'; deposit: Deposit }
  | { type: 'balance'; wallet: string }
  | { type: 'labels' }
  | { type: 'freeze'; frozen: boolean; reason: string | null }
  | { type: 'login'; login: Reply<'grantLogin'> }
  | { type: 'link'; link: Reply<'denyLink'> }
  | { type: 'task'; task: Reply<'getTask'> }
  | { type: 'catalog'; source: Reply<'addSource'> }
  | { type: 'lock'; locked: boolean }
  /** The cold treasury, its allowance or what it holds. */
  | { type: 'cold' }
  /** The phone wallets, or their words. */
  | { type: 'phones' }
  /** A notice was sent, or a channel has changed. */
  | { type: 'notices' }
  /** The network was lost or is back. */
  | { type: 'network' }
  | { type: 'halted'; reason: string }
  | { type: 'warning'; code: string; message: string };

export type Caller =
  /** `from`: null for a token that belongs to no dashboard and to no terminal. */
  | { role: 'owner'; from?: 'dashboard' | 'command' | null }
  /** `keyLevel`: 0 for one of the agent's own keys, 1 to 3 for a delegated one. */
  | { role: 'agent'; agentId: string; keyId: string; keyLevel: number }
  /** Signed in on the page of one link session. */
  | { role: 'identity'; identityId: string; linkId: string }
  /** The caller of a public route. A bearer token is not authenticated yet; at most, it is known to this host. */
  | { role: 'nobody'; bearer: string | null; known: KnownCaller | null };

/** A terminal that can read the data folder, or a browser in which the owner signed in. */
export type KnownCaller = 'terminal' | 'browser';

export interface Call<N extends RouteName> {
  caller: Caller;
  /** By which it came; calls within this process count as local. */
  door: Door;
  params: Params<N>;
  query: Query<N>;
  body: Body<N>;
  /** The Idempotency-Key, if one was sent. */
  key: string | null;
  /** How long the caller wants to wait; null: the usual time of the route. */
  waitMs: number | null;
  /** `Prefer: continue=N`: resume a request that was never answered; the caller's Nth equal call at this moment. */
  continues?: number | null;
  /** Aborted when the caller has its answer or has disconnected. */
  gone?: AbortSignal;
}

/** A seller's answer on its way to the caller, too large to be held in one piece. */
export interface Streamed {
  kind: 'streamed';
  head: Omit<Reply<'fetch'>, 'body' | 'encoding'>;
  body: AnswerBody;
  /** Call it once: when the body was read, or never will be. */
  release(): void;
}

/** The caller of the proxy, who gets a seller's answer while it arrives. */
export interface AnswerReader {
  begin(head: Streamed['head']): void;
  /** Resolves when there is room for the next piece; to false when the reader has gone. */
  write(piece: Buffer): Promise<boolean>;
  /** Resolves to true once the whole answer has left this process; to false when the reader has gone before. */
  end(): Promise<boolean>;
}

/** A request that goes on to its seller as it came. */
export interface ProxyCall {
  caller: Extract<Caller, { role: 'agent' }>;
  request: SellerRequest;
  /** Do not pay more. */
  maxAmount: Usdc | undefined;
  /** The idempotency key; null: an equal request whose answer was not fully sent is gone on with. */
  key: string | null;
  reader: AnswerReader;
  /** Aborted when the caller has its answer or has disconnected. */
  gone: AbortSignal;
}

/** `done`, or `accepted`: not done yet, or it needs the owner's approval. Refusals are thrown as AppError. */
export type Answer<N extends RouteName> =
  | { kind: 'done'; body: Reply<N> }
  | { kind: 'accepted'; body: Accepted<N> }
  | (N extends 'fetch' ? Streamed : never);

export type Operation<N extends RouteName> = (call: Call<N>) => Answer<N> | Promise<Answer<N>>;
/** The operations of one area. The whole of the engine's are those of every area together. */
export type SomeOperations = { readonly [N in RouteName]?: Operation<N> };
