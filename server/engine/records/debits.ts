// Debits that no row explains: the wallet is stopped, and its owner warned.
import { formatUsdc, usdc } from '../../money.ts';
import { reconciliationMark } from '../domain/reconciliation-mark.ts';
import type { Context } from '../payment/context.ts';
import { suspend } from '../payment/stop.ts';
import { isOurs } from '../payment/via-facilitator.ts';
import type { TokenMove, Wallet } from '../ports.ts';
import type { Aside } from './aside.ts';
import { beginReconciliation } from './rollback.ts';

/** Enters a balance that was read. */
export type EnterBalance = () => void;

/** The results of this process's readings of the chain. */
export interface Reading {
  context: Context;
  /** Payees that have a token account. */
  openAccounts: Set<string>;
  lamports: bigint;
  /** When `lamports` was read, by `performance.now`. */
  lamportsAt: number;
  /** Balances read for dry runs, by wallet; `at` by `performance.now`. */
  glances: Map<string, { at: number; balance: Promise<EnterBalance> }>;
  /** This process has compared its records with the chain. */
  compared: boolean;
  /** When it last did with an RPC that had gone on, in Unix milliseconds, and the slot of that comparison. */
  comparedAt: number | null;
  comparedSlot: number;
  /** Every deposit and debit until then is entered, in Unix milliseconds; null: not since the start. */
  enteredUntil: number | null;
  aside: Aside;
}

/** The balance is lower than our rows can explain: finds the debit, and stops its wallet. */
export const stopAtUnexplainedDebit = async (reading: Reading, address: string): Promise<void> => {
  const { store, chain } = reading.context;
  const wallet = store.wallets.get(address);
  // The reconciliation explains them all.
  if (wallet === undefined || reconciliationMark(store) !== null) return;
  for await (const { moves } of chain.moves(address, wallet.scannedTo)) {
    const strange = moves.find((move) => move.change < 0n && !isOurs(store, move));
    if (strange !== undefined) return stopWallet(reading, wallet, strange);
  }
};

/** Suspends the wallet's agent; for the treasury's own wallet and the cold one, freezes everything. */
export const stopWallet = (
  { context, compared }: Reading,
  { address, agentId }: Pick<Wallet, 'address' | 'agentId'>,
  { signature, change }: TokenMove,
): void => {
  const { log, publish } = context;
  const reason = `transaction ${signature} took ${formatUsdc(usdc(-change))} USDC and no payment explains it`;
  log.error({ wallet: address, signature }, 'a debit that no payment explains');
  suspend(context, agentId, reason);
  publish({
    type: 'warning',
    code: 'unexplained_debit',
    message: `Wallet ${address} is stopped: ${reason}.`,
  });
  // While the treasury runs, each of its debits has a row; at a start, the records may be a rolled-back copy.
  if (!compared) beginReconciliation(context, 'debit', reason);
};
