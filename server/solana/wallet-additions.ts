// The instructions that wallets add to a transaction by themselves and that move nothing: a network fee, and assertions.
import { computeBudgetProgram } from '../lib/solana/programs.ts';
import { isGuard } from '../lib/solana/wallet-guards.ts';

/** @param program base58 */
export const isAddedByWallet = (program: string, data: Uint8Array): boolean =>
  program === computeBudgetProgram || isGuard(program, data);
