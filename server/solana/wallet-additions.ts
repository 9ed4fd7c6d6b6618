// The instructions that wallets add to a transaction by themselves and that move nothing: a network fee, and assertions.
import { computeBudgetProgram } from '../lib/solana/programs.ts';

/** The program of assertions that some wallets add. https://docs.phantom.com/developer-powertools/lighthouse */
const lighthouse = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95';

/** `MemoryWrite` and `MemoryClose`; everything after them only asserts. */
const writingGuards = 2;

/** @param program base58 */
export const isAddedByWallet = (program: string, data: Uint8Array): boolean =>
  program === computeBudgetProgram || (program === lighthouse && (data[0] ?? 0) >= writingGuards);
