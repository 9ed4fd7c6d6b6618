// The mark of records that lag behind the chain: nothing is paid and no freeze is lifted until reconciliation.ts has
// cleared it.
import { AppError } from '../../errors.ts';
import type { Store } from '../ports.ts';

/** Why a reconciliation is due, and the transfers and deposits that it has entered so far. */
export interface ReconciliationMark {
  /** `older`: these records are a rolled-back copy. `debit`: a start found a debit that no row explains. */
  kind: 'older' | 'debit';
  payments: number;
  /** Micro-USDC of those payments. */
  units: bigint;
  deposits: number;
  /** Of the newest row, in Unix milliseconds, before anything was entered. */
  since?: number;
}

const name = 'rescan';

/** Null when no reconciliation is due. */
export const reconciliationMark = ({ meta }: Pick<Store, 'meta'>): ReconciliationMark | null => {
  const text = meta.get(name) ?? '';
  if (text === '') return null;
  const { units, ...mark } = JSON.parse(text) as Omit<ReconciliationMark, 'units'> & { units: string };
  return { ...mark, units: BigInt(units) };
};

/** Call it in the transaction of the change that it records. */
export const setReconciliationMark = (store: Marked, mark: ReconciliationMark | null): void =>
  store.meta.set(
    name,
    mark === null ? '' : JSON.stringify({ ...mark, units: mark.units.toString(), since: sinceOf(store) }),
  );

type Marked = Pick<Store, 'meta' | 'newestTime'>;

/** The rows that are found on the chain are newer than the copy. */
const sinceOf = (store: Marked): number => reconciliationMark(store)?.since ?? store.newestTime();

export const nothingFound = { payments: 0, units: 0n, deposits: 0 } as const;

/** @throws AppError `conflict` while a reconciliation is due */
export const refuseBeforeReconciliation = (store: Pick<Store, 'meta'>): void => {
  if (reconciliationMark(store) === null) return;
  throw new AppError(
    'conflict',
    'The freeze stays until the treasury has compared its records with the chain. Unlock it if it is locked, see that its Solana RPC answers, and try again once the reason of the freeze shows the result.',
  );
};

const recordsName = 'records';

/** False while the records of a root that came from its recovery phrase are being restored from the chain. */
export const areRecordsWhole = ({ meta }: Pick<Store, 'meta'>): boolean => meta.get(recordsName) === 'whole';

/** Call it in the transaction that ends the restore. */
export const setRecordsWhole = ({ meta }: Pick<Store, 'meta'>): void => meta.set(recordsName, 'whole');

const untilName = 'older-until';
const copyName = 'older-copy';

/** Call it in the transaction that finds a rolled-back copy: its rows so far may have moved on without it. */
export const setOlderUntil = (store: Marked, now: number): void => {
  store.meta.set(untilName, String(store.newestTime()));
  setOlderCopy(store, { since: sinceOf(store), foundAt: now });
};

export interface OlderCopy {
  /** Of its own newest row, 0 without one. */
  since: number;
  foundAt: number;
}

const mostCopies = 20;

/** A copy that is found again has its later time. Where too many were found, the first stands for those that are dropped. */
export const setOlderCopy = (store: Pick<Store, 'meta'>, copy: OlderCopy): void => {
  const [first, ...others] = [...olderCopies(store).filter(({ since }) => since < copy.since), copy];
  store.meta.set(copyName, JSON.stringify([first, ...others.slice(-mostCopies)]));
};

/** The rolled-back copies that were ever put back, by what they know, the least first. */
export const olderCopies = ({ meta }: Pick<Store, 'meta'>): OlderCopy[] =>
  [JSON.parse(meta.get(copyName) ?? '[]') as OlderCopy | OlderCopy[]].flat();

/** Unix milliseconds: rows up to here were in a rolled-back copy; 0 when there never was one. */
export const olderUntil = ({ meta }: Pick<Store, 'meta'>): number => Number(meta.get(untilName) ?? 0);
