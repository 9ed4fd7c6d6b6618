// The states of a transfer: where each may go, whether it still holds its reservation, and the API's word for it.
import type { TransferState } from './transfer.ts';

interface State {
  /** The states that a step may take it to; none: it has ended. */
  next: readonly TransferState[];
  /** It holds its reservation: its money counts as spent, and only proof may release it. */
  open: boolean;
  status: 'awaiting_approval' | 'denied' | 'pending' | 'confirmed' | 'unknown' | 'failed';
}

const table: Readonly<Record<TransferState, State>> = {
  awaiting_approval: { next: ['reserved', 'denied'], open: false, status: 'awaiting_approval' },
  denied: { next: [], open: false, status: 'denied' },
  reserved: { next: ['signed', 'cancelled'], open: true, status: 'pending' },
  signed: { next: ['sent', 'seen', 'unknown', 'failed', 'dead'], open: true, status: 'pending' },
  sent: { next: ['seen', 'unknown', 'failed', 'dead'], open: true, status: 'pending' },
  seen: { next: ['sent', 'unknown', 'final', 'failed'], open: true, status: 'confirmed' },
  unknown: { next: ['seen', 'sent', 'failed', 'dead'], open: true, status: 'unknown' },
  final: { next: [], open: false, status: 'confirmed' },
  failed: { next: [], open: false, status: 'failed' },
  dead: { next: [], open: false, status: 'failed' },
  cancelled: { next: [], open: false, status: 'failed' },
};

export type TransferStatus = State['status'];

export const allStates = Object.keys(table) as TransferState[];

type OfState = { state: TransferState };

export const mayGo = (from: TransferState, to: TransferState): boolean => table[from].next.includes(to);
export const isOpen = ({ state }: OfState): boolean => table[state].open;
export const hasEnded = ({ state }: OfState): boolean => table[state].next.length === 0;
export const statusOf = ({ state }: OfState): TransferStatus => table[state].status;
/** Paid as far as the chain has shown: seen or final. */
export const isPaid = ({ state }: OfState): boolean => table[state].status === 'confirmed';
export const paidStates: readonly TransferState[] = allStates.filter((state) => isPaid({ state }));
/** Ended without paying. */
export const isVoid = ({ state }: OfState): boolean =>
  table[state].status === 'failed' || table[state].status === 'denied';
