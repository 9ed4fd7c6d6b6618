// The balances with which records begin: they stand for everything without a row. Records that were restored from the
// chain have one of each wallet's USDC; those of the treasury's SOL, one where it was not empty at their beginning.
import type { Store, TokenMove } from '../ports.ts';

/** By wallet, the slot up to which everything is in its opening balance. */
const slotsName = 'openings';

/** Call it in the transaction that ends a restore. */
export const openBalances = ({ wallets, ledger, meta }: Pick<Store, 'wallets' | 'ledger' | 'meta'>): void => {
  const all = wallets.list();
  for (const { address, balance } of all) ledger.open(address, balance);
  meta.set(slotsName, JSON.stringify(Object.fromEntries(all.map(({ address, slot }) => [address, slot]))));
};

/** Whether a move of this wallet is part of the balance with which its restored records began. */
export const isInOpening = (
  { meta, books }: Pick<Store, 'meta' | 'books'>,
  wallet: string,
  { slot, blockTime }: Pick<TokenMove, 'slot' | 'blockTime'>,
): boolean => {
  const slots = JSON.parse(meta.get(slotsName) ?? '{}') as Record<string, number>;
  const until = slots[wallet];
  if (until !== undefined) return slot <= until;
  // Restored by a version that did not note the slots.
  const opening = books.openings().find((one) => one.wallet === wallet);
  return opening !== undefined && (blockTime ?? 0) <= opening.at;
};

const solName = 'sol-until';

/** The newest transaction of the treasury's address whose SOL is in the records. */
export interface SolCursor {
  /** Null: there was none. */
  signature: string | null;
  slot: number;
}

/** Null: the records of SOL have not begun. */
export const solCursor = ({ meta }: Pick<Store, 'meta'>): SolCursor | null => {
  const text = meta.get(solName) ?? '';
  return text === '' ? null : (JSON.parse(text) as SolCursor);
};

/** Call it in the transaction that enters what came until there. @param cursor null: they have to begin anew */
export const setSolCursor = ({ meta }: Pick<Store, 'meta'>, cursor: SolCursor | null): void =>
  meta.set(solName, cursor === null ? '' : JSON.stringify(cursor));

/** The cursor of a wallet that the chain has never seen. */
export const noSolYet: SolCursor = { signature: null, slot: 0 };

/** Since when every movement of the treasury's SOL is in the records, in Unix milliseconds; null: it is not. */
export const solKnownSince = (store: Pick<Store, 'meta' | 'books'>): number | null =>
  solCursor(store) === null
    ? null
    : (store.books.openings().findLast(({ wallet }) => wallet === null)?.at ?? 0);
