// The mark of a ledger that lacks what the chain knows: nothing is paid, and no stop is lifted, until reconcile.ts has taken
// it away.
import { AppError } from '../../errors.ts';
import type { Store } from '../ports.ts';

/** What a rescan is about, and what it has entered so far. */
export interface ReconciliationMark {
  /** `older`: these records are an older copy. `debit`: a start found a movement that no row explains. */
  kind: 'older' | 'debit';
  payments: number;
  /** Micro-USDC of those payments. */
  units: bigint;
  deposits: number;
}

const name = 'rescan';

/** Null when there is nothing to rescan. */
export const reconciliationMark = ({ meta }: Pick<Store, 'meta'>): ReconciliationMark | null => {
  const text = meta.get(name) ?? '';
  if (text === '') return null;
  const { units, ...mark } = JSON.parse(text) as Omit<ReconciliationMark, 'units'> & { units: string };
  return { ...mark, units: BigInt(units) };
};

/** In the transaction of what it tells of. */
export const setReconciliationMark = ({ meta }: Pick<Store, 'meta'>, mark: ReconciliationMark | null): void =>
  meta.set(name, mark === null ? '' : JSON.stringify({ ...mark, units: mark.units.toString() }));

export const nothingFound = { payments: 0, units: 0n, deposits: 0 } as const;

/** @throws AppError `conflict` while a rescan is due */
export const refuseBeforeReconciliation = (store: Pick<Store, 'meta'>): void => {
  if (reconciliationMark(store) === null) return;
  throw new AppError(
    'conflict',
    'The freeze stays until the treasury has compared its records with the chain. Unlock it if it is locked, see that its Solana RPC answers, and try again when the reason of the freeze says what was found.',
  );
};

const untilName = 'older-until';

/** In the transaction that finds the records to be older: what they hold by now may have gone on without them. */
export const setOlderUntil = ({ meta, newestTime }: Pick<Store, 'meta' | 'newestTime'>): void =>
  meta.set(untilName, String(newestTime()));

/** Unix milliseconds: up to here these records were once older than the chain; 0 when they never were. */
export const olderUntil = ({ meta }: Pick<Store, 'meta'>): number => Number(meta.get(untilName) ?? 0);
