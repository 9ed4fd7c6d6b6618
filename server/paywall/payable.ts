// Whether the seller's wallet can be paid at all: a wallet that never held USDC has no account for it.
import { z } from 'zod';
import type { TransactionReader } from './transaction-reader.ts';
import type { Network } from './types.ts';

const foundSchema = z.object({ value: z.unknown() });

export interface Payee {
  network: Network;
  recipient: string;
  /** Its account for USDC. */
  account: string;
}

/**
 * Null when it can be paid, otherwise what to do, as the end of a sentence. On a sandbox its account is opened.
 * @throws AppError `chain_unreachable`
 */
export const whyUnpayable = async (
  { call }: Pick<TransactionReader, 'call'>,
  { network, recipient, account }: Payee,
): Promise<string | null> => {
  const found = await call('getAccountInfo', [account, { encoding: 'base64', commitment: 'confirmed' }]);
  if (foundSchema.parse(found).value !== null) return null;
  if (network === 'sandbox') {
    await call('sandbox_fundUsdc', [recipient, '0']);
    return null;
  }
  return `the wallet ${recipient} has no USDC account yet, so that nobody can pay it: send it any amount of USDC once`;
};
