// The balances with which records begin that were restored from the chain: they stand for everything without a row.
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
