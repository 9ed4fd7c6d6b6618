// Decides a transfer that the policy does not cover: its money has to be there. And what a wallet can spend.
import {
  accountReserveLamports,
  addUsdc,
  formatSol,
  formatUsdc,
  lamports,
  subUsdc,
  usdc,
  type Usdc,
} from '../../../money.ts';
import type { Intent, Refusal, Transfer } from '../../ports.ts';
import type { Context } from '../context.ts';
import type { Decision } from './decide.ts';
import { refusedDraw } from './draws.ts';

interface BalanceFacts {
  /** In lamports. */
  fee: bigint;
  /** Null: they were checked when it was reserved. */
  treasuryLamports: bigint | null;
  /** Unix milliseconds. */
  now: number;
  /** Its row, whose reservation does not count against it. */
  own?: Transfer;
}

/** Decides a transfer that the policy does not cover: the wallet, or the cold treasury's allowance, has to hold the money. */
export const decideByBalance = (
  context: Pick<Context, 'store'>,
  intent: Intent,
  { fee, treasuryLamports, now, own }: BalanceFacts,
): Decision => {
  if (intent.source != null) {
    const refusal = refusedDraw(context, intent, now, own);
    return refusal === null ? { kind: 'allow' } : { kind: 'deny', refusal };
  }
  const isUsdc = intent.asset === 'USDC';
  // Lamports were checked at the reservation; only the treasury itself takes any since.
  if (!isUsdc && treasuryLamports === null) return { kind: 'allow' };
  const left = isUsdc
    ? available(context, intent.wallet) + (own?.amount ?? 0n)
    : spareLamports(context, treasuryLamports ?? 0n) - fee;
  return intent.amount <= left ? { kind: 'allow' } : { kind: 'deny', refusal: beyond(intent, left) };
};

/** The amount that the wallet can still spend: its balance as last read, less what open rows will take. */
export const available = ({ store }: Pick<Context, 'store'>, address: string): Usdc => {
  const wallet = store.wallets.get(address);
  return wallet === undefined ? usdc(0n) : subUsdc(wallet.balance, wallet.pending);
};

/** The most that the wallet may hold: its balance as last read, and what the reading leaves in doubt. */
export const mostHeld = ({ store }: Pick<Context, 'store'>, address: string): Usdc => {
  const wallet = store.wallets.get(address);
  return wallet === undefined ? usdc(0n) : addUsdc(wallet.balance, wallet.doubt);
};

/**
 * Lamports of the treasury's own account that can pay for fees, rent and withdrawals: without what open rows will take,
 * and without the minimum that an account must keep. Negative when it holds less.
 * @param held as last read
 */
export const spareLamports = ({ store }: Pick<Context, 'store'>, held: bigint): bigint =>
  held - store.transfers.openLamports() - accountReserveLamports;

const beyond = ({ asset, amount }: Intent, left: bigint): Refusal => ({
  code: 'insufficient_balance',
  message:
    asset === 'USDC'
      ? `The wallet does not hold that much USDC: at most ${formatUsdc(usdc(left > 0n ? left : 0n))} can go now.`
      : `The treasury does not hold that much SOL above what network fees and the minimum of its account need: at most ${formatSol(lamports(left > 0n ? left : 0n))} can go now.`,
  details: {
    available: (left > 0n || asset === 'USDC' ? left : 0n).toString(),
    amount: amount.toString(),
    unit: asset === 'USDC' ? 'micro-USDC' : 'lamports',
  },
});
