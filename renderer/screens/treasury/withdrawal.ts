// A withdrawal's request, and the amount that a refusal says can be withdrawn instead.
import { AppError } from '../../../server/errors.ts';
import { formatSol, formatUsdc, lamports, parseSol, parseUsdc, usdc } from '../../../server/money.ts';
import { amountRule } from '../../shared/amount-rule.ts';
import { endsTransfer } from '../../shared/transfer-key.ts';

export interface Withdrawal {
  asset: 'USDC' | 'SOL';
  to: string;
  amount: string;
}

export const isAddress = (text: string): boolean => /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text);

/** Errors by field, each with what to write instead; the treasury checks again. */
export const withdrawalErrors = (
  { asset, to, amount }: Withdrawal,
  own: string,
  held: Readonly<Record<Withdrawal['asset'], string>>,
): Record<string, string> => {
  const errors: Record<string, string> = {};
  const address = to.trim();
  if (!isAddress(address)) errors['to'] = 'Enter the address of a Solana wallet.';
  else if (address === own) errors['to'] = 'This is the treasury’s own address.';
  const wrong = amountRule(amount, asset);
  if (wrong !== null) errors['amount'] = wrong;
  else if (isMore(asset, amount, held[asset]))
    errors['amount'] = `At most ${held[asset]} ${asset} can be withdrawn now.`;
  return errors;
};

const isMore = (asset: Withdrawal['asset'], amount: string, held: string): boolean => {
  const read = asset === 'SOL' ? parseSol : parseUsdc;
  return (read(amount.trim()) ?? 0n) > (read(held) ?? 0n);
};

/** The most that can be sent now, from the treasury's refusal of a larger amount. */
export const mostOf = (error: Error | null): { asset: Withdrawal['asset']; amount: string } | null => {
  if (!(error instanceof AppError) || error.code !== 'insufficient_balance') return null;
  const { available, unit } = error.details ?? {};
  if (typeof available !== 'string' || !/^\d+$/.test(available)) return null;
  const units = BigInt(available);
  if (units === 0n) return null;
  if (unit === 'lamports') return { asset: 'SOL', amount: formatSol(lamports(units)) };
  return unit === 'micro-USDC' ? { asset: 'USDC', amount: formatUsdc(usdc(units)) } : null;
};

/** Says what a failure means for the withdrawal. */
export const notSent = (error: Error): string => {
  if (endsTransfer(error)) return 'Nothing was sent.';
  if (error instanceof AppError && error.code === 'idempotency_conflict')
    return 'The previous withdrawal may be under way: check the activity, then open this screen again.';
  return 'If it was sent after all, pressing again does not send it twice.';
};
