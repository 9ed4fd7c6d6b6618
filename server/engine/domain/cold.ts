// The cold treasury: USDC under a key that never touches this machine. The treasury's key may draw on its token account,
// as the delegate of an SPL allowance; the token program refuses what is over it. Times are Unix milliseconds.
import type { ColdFault } from '../../contract/treasury/cold-faults.ts';
import type { Usdc } from '../../money.ts';
import type { Lifetime } from './transfer.ts';

/** The token account as the chain shows it. `allowance`: what is left for the treasury to draw; not while it is frozen. */
export interface ColdReading {
  slot: number;
  balance: Usdc;
  allowance: Usdc;
  fault: ColdFault | null;
}

/** An account that is or was the cold treasury's: a thief with this machine could draw on each that still allows it. */
export interface ColdAccount extends ColdReading {
  /** The owner of the token account. */
  address: string;
  /** Nothing is drawn until then: the owner is changing the allowance. */
  pausedUntil: number;
  /** The allowance when the owner last set it. */
  granted: Usdc;
  /** The owner was notified that little of what was granted is left, or that nothing can be drawn any more. */
  told: boolean;
  /** The part of balance and allowance that an open draw will still take. */
  pending: Usdc;
  /** What it may hold and allow, or have just sent to an agent, beyond that. */
  doubt: Usdc;
  /** The signature up to which its debits were compared with our rows; null: none was there. */
  scannedTo: string | null;
}

/** The account that allocations draw on. */
export interface ColdTreasury extends ColdAccount {
  /** Since when it is this treasury's. */
  since: number;
  /** The owner stopped drawing then; null: allocations draw on it. */
  stoppedAt: number | null;
}

/** A new allowance, as the owner of a cold treasury is to sign it. */
export interface AllowanceOrder {
  /** The cold wallet. */
  address: string;
  /** It replaces what is left; 0 revokes. */
  allowance: Usdc;
  lifetime: Lifetime;
  /** Keeps it apart from an equal one: 0 to 9,999. */
  salt: number;
}

/** Whether the chain shows what is known: then there is nothing to enter. */
export const isAsKnown = (known: ColdAccount, now: ColdReading): boolean =>
  known.doubt === 0n &&
  known.balance === now.balance &&
  known.allowance === now.allowance &&
  known.fault === now.fault;

/**
 * The most that a key of this machine can draw, whatever the owner's settings here say: a thief does not obey those. From
 * a frozen account once it is thawed: a thief who keeps the key can wait for that.
 */
export const reachOf = ({ allowance, balance }: Pick<ColdReading, 'allowance' | 'balance'>): Usdc =>
  allowance < balance ? allowance : balance;

/** Why nothing is drawn while `stoppedAt` is set. */
export const drawingStopped =
  'You stopped drawing on the cold wallet. Resume it under Treasury, or deposit USDC to the treasury itself.';

/** A fifth of what the owner granted, or less, is left; or nothing can be drawn. */
export const isLow = ({
  allowance,
  granted,
  fault,
}: Pick<ColdTreasury, 'allowance' | 'granted' | 'fault'>): boolean =>
  granted > 0n && (fault !== null || allowance * 5n <= granted);
