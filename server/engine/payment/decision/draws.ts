// Draws on the cold treasury: what may be drawn now, why not, and the reading before each. Decisions are made from the
// store, in the transaction that reserves and again in the one that signs.
import { coldFaults } from '../../../contract/treasury/cold-faults.ts';
import { formatUsdc, usdc, type Usdc } from '../../../money.ts';
import { drawingStopped, isAsKnown, reachOf } from '../../domain/cold.ts';
import type { ColdTreasury, Intent, Refusal, Transfer } from '../../ports.ts';
import type { Context } from '../context.ts';

/**
 * Reads the cold treasury's account, and enters what has changed; nothing without one.
 * @throws AppError `chain_unreachable`
 */
export const readCold = async (context: Pick<Context, 'store' | 'chain'>): Promise<void> => {
  const cold = context.store.cold.get();
  if (cold !== null) await readAccount(context, cold.address);
};

/** The same for an account that is or was the cold treasury's. Returns the slot of the reading. */
export const readAccount = async (
  { store, chain }: Pick<Context, 'store' | 'chain'>,
  address: string,
): Promise<number> => {
  const mark = store.cold.mark();
  const reading = await chain.coldAccount(address);
  const known = store.cold.account(address);
  if (known !== null && isAsKnown(known, reading)) store.cold.unchanged(address, reading.slot);
  else store.atomically(() => store.cold.read(address, { ...reading, mark }));
  return reading.slot;
};

/** Micro-USDC that one allocation can draw now; 0 without a cold treasury. @param now Unix milliseconds */
export const drawable = ({ store }: Pick<Context, 'store'>, now: number): Usdc => {
  const cold = store.cold.get();
  return cold === null || hindrance(cold, usdc(0n), now) !== null ? usdc(0n) : reachOf(cold);
};

/**
 * Why this draw may not be made now; null when it may.
 * @param own the draw's row, when it is reserved: its own reservation does not count against it
 */
export const refusedDraw = (
  { store }: Pick<Context, 'store'>,
  { amount, source }: Pick<Intent, 'amount' | 'source'>,
  now: number,
  own?: Transfer,
): Refusal | null => {
  const cold = store.cold.get();
  if (cold === null || cold.address !== source)
    return conflict('The owner uses another cold wallet now. Ask for the allocation again.');
  const refusal = hindrance(cold, usdc(own?.amount ?? 0n), now);
  if (refusal !== null) return refusal;
  // No other draw is under way: all that the chain shows is left for this one.
  return amount <= reachOf(cold) ? null : beyond(cold, usdc(amount));
};

/** What stands against any draw. @param reserved by the draw itself */
const hindrance = (cold: ColdTreasury, reserved: Usdc, now: number): Refusal | null => {
  if (cold.stoppedAt !== null) return conflict(drawingStopped);
  if (cold.pausedUntil > now) return conflict(changing);
  if (cold.fault !== null)
    return { code: 'insufficient_balance', message: coldFaults[cold.fault], details: { cold: cold.address } };
  return cold.pending > reserved ? conflict(oneAtATime) : null;
};

const changing =
  'The allowance of the cold wallet is being changed, so nothing is drawn. Sign or close the page that changes it, then try again.';
const oneAtATime = 'Another draw on the cold wallet is still pending. Try again when it is confirmed.';

const conflict = (message: string): Refusal => ({ code: 'conflict', message, details: {} });

const beyond = ({ allowance, balance }: ColdTreasury, amount: Usdc): Refusal => {
  const isAllowance = allowance < balance;
  const [left, what, next] = isAllowance
    ? [allowance, 'The allowance on the cold wallet', 'Raise the allowance under Treasury']
    : [balance, 'The cold wallet', 'Send USDC to its address'];
  return {
    code: 'insufficient_balance',
    message: `${what} has ${formatUsdc(left)} USDC left, and ${formatUsdc(amount)} are asked for. ${next}.`,
    details: {
      available: formatUsdc(left),
      amount: formatUsdc(amount),
      allowance: formatUsdc(allowance),
      balance: formatUsdc(balance),
    },
  };
};
