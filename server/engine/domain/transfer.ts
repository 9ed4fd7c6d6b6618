// The transfer: any movement of money that we sign. Amounts are integers of the asset's smallest unit, times are Unix
// milliseconds.
import type { ErrorCode, ErrorDetails } from '../../errors.ts';
import { formatSol, formatUsdc, type Lamports, type Usdc } from '../../money.ts';
import type { ChargePath } from './limits.ts';
import type { Purchase } from './purchase.ts';

export const transferKinds = [
  'payment',
  'charge',
  'allocation',
  'recall',
  'withdrawal',
  'refund',
  'anchor',
] as const;
export type TransferKind = (typeof transferKinds)[number];

export type TransferState =
  | 'awaiting_approval'
  | 'denied'
  | 'reserved'
  | 'signed'
  | 'sent'
  | 'seen'
  | 'unknown'
  | 'final'
  | 'failed'
  | 'dead'
  | 'cancelled';

/** Until when a message can land: in no block above `lastValidHeight`. Slot and height come from one RPC answer. */
export interface Lifetime {
  blockhash: string;
  lastValidHeight: number;
  slot: number;
  height: number;
}

export interface Signed {
  messageHash: string;
  signature: string;
  wire: Uint8Array;
  lifetime: Lifetime;
  at: number;
}

export interface Refusal {
  code: ErrorCode;
  message: string;
  details: ErrorDetails;
}

/** An amount in the smallest unit of its asset. */
export type Amount = { asset: 'USDC'; amount: Usdc } | { asset: 'SOL'; amount: Lamports };
export type Asset = Amount['asset'];

/** Decimal, in USDC or SOL. */
export const amountOf = ({ asset, amount }: Amount): string =>
  asset === 'SOL' ? formatSol(amount) : formatUsdc(amount);

/**
 * Every kind moves USDC, and only the owner's withdrawal may move SOL; an anchor of the books moves 0 SOL, from the
 * treasury's wallet to itself: it is there for its memo, which `invoice` holds.
 */
export type Moved =
  | { kind: Exclude<TransferKind, 'anchor'>; asset: 'USDC'; amount: Usdc }
  | { kind: 'withdrawal' | 'anchor'; asset: 'SOL'; amount: Lamports };

/** Any movement of money that we sign. Only the kinds `payment` and `charge` are subject to the policy. */
export type Transfer = TransferFields & Moved;
export type UsdcTransfer = Extract<Transfer, { asset: 'USDC' }>;
export type SolTransfer = Extract<Transfer, { asset: 'SOL' }>;

interface TransferFields extends ChargePath {
  seq: number;
  id: string;
  agentId: string | null;
  walletIndex: number;
  wallet: string;
  payee: string;
  serviceId: string | null;
  serviceName: string;
  description: string;
  invoice: string | null;
  /** The purpose as the agent states it: untrusted text, at most 280 characters. */
  reason: string | null;
  /** The API key that requested it; null: the owner did. */
  keyId: string | null;
  state: TransferState;
  refusal: Refusal | null;
  policyVersion: number;
  approvalId: string | null;
  grantId: string | null;
  feeLamports: bigint;
  rentLamports: bigint;
  createdAt: number;
  reservedAt: number | null;
  signed: Signed | null;
  sentAt: number | null;
  seenAt: number | null;
  seenSlot: number | null;
  blockTime: number | null;
  endedAt: number | null;
  receipt: string | null;
  evidence: string | null;
  /** `refill`: the treasury made it by itself. */
  cause: 'refill' | null;
  /** The cold treasury whose USDC account pays, with the wallet as its delegate; null: the wallet's own account pays. */
  source: string | null;
  /** Set for payments that follow a 402 that the treasury read. */
  purchase: Purchase | null;
}

/** The fields that are not known before it is signed. */
type Later = 'signed' | 'sentAt' | 'seenAt' | 'seenSlot' | 'blockTime' | 'endedAt' | 'receipt' | 'evidence';
type Optional = 'reason' | 'keyId' | 'cause' | 'source' | keyof ChargePath;

export type NewTransfer = Omit<TransferFields, 'seq' | Later | Optional> &
  Partial<Pick<TransferFields, Optional>> &
  Moved;

/** The owner of the USDC account that pays. */
export const payerOf = ({ source, wallet }: { source?: string | null; wallet: string }): string =>
  source ?? wallet;

/** A transfer as requested. */
export type Intent = Pick<
  TransferFields,
  'agentId' | 'walletIndex' | 'wallet' | 'payee' | 'serviceId' | 'serviceName' | 'description' | 'invoice'
> &
  Partial<Pick<TransferFields, 'reason' | 'purchase' | 'cause' | 'source'>> &
  Moved;

/** The columns that a step may write; the rest of a row never changes. */
export type TransferChange = Partial<
  Pick<
    TransferFields,
    | 'refusal'
    | 'policyVersion'
    | 'grantId'
    | 'groupId'
    | 'feeLamports'
    | 'rentLamports'
    | 'reservedAt'
    | Later
  >
> & {
  /** Via a facilitator: the signature under which the transaction was found on the chain. */
  txSignature?: string | null;
};
