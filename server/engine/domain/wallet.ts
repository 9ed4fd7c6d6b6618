// Managed wallets as the chain shows them. Times are Unix milliseconds.
import type { Usdc } from '../../money.ts';
import type { Amount } from './transfer.ts';

/**
 * A managed wallet as last read from the chain. `pending` is the part of `balance` that open rows will still take;
 * `doubt`, what it may hold, or have just sent to another wallet, beyond that.
 */
export interface Wallet {
  address: string;
  index: number;
  agentId: string | null;
  balance: Usdc;
  pending: Usdc;
  doubt: Usdc;
  slot: number;
  readAt: number;
  scannedTo: string | null;
}

export const depositStatuses = ['confirmed', 'final', 'dropped'] as const;

export type Deposit = Amount & {
  seq: number;
  id: string;
  txSignature: string;
  from: string;
  wallet: string;
  slot: number;
  status: (typeof depositStatuses)[number];
  at: number;
};
