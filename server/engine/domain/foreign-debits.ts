// Keeps the debits of our wallets that no payment of ours explains: somebody else has the key, or these records are an
// older copy. Keeps the wallets, too, whose balance is lower than the records explain, until the debit is found.
import { atLeastZero, usdc, type Usdc } from '../../money.ts';
import type { Store } from '../ports.ts';

export interface ForeignDebit {
  /** The wallet that signed it. */
  wallet: string;
  /** The cold treasury that paid; null: the wallet itself. */
  source: string | null;
  /** Null: the wallet is the treasury's. */
  agentId: string | null;
  /** Null: no RPC shows the transaction; the balance is lower. */
  signature: string | null;
  amount: Usdc;
  /** When it was found, in Unix milliseconds. */
  at: number;
}

interface Kept extends ForeignDebit {
  slot: number;
  /** The debit has a row, and counts as spent. */
  isEntered: boolean;
  /** The owner resumed the agent, or lifted the freeze, after the owner was warned. */
  isKnown: boolean;
  /** Every RPC that answered has shown it, and what could pay it again has ended. */
  isProven?: boolean;
}

type Meta = Pick<Store, 'meta'>;

const name = 'foreign-debits';

const read = ({ meta }: Meta): Kept[] =>
  (JSON.parse(meta.get(name) ?? '[]') as (Omit<Kept, 'amount'> & { amount: string })[]).map((one) => ({
    ...one,
    amount: usdc(BigInt(one.amount)),
  }));

/** The owner is shown so many of those that have their rows. */
const mostShown = 100;

/** A debit that has its row and that the owner knows of is kept no longer. */
const write = ({ meta }: Meta, all: readonly Kept[]): void => {
  const shown = all.filter(({ isEntered, isKnown }) => isEntered && !isKnown).slice(-mostShown);
  const kept = all.filter((one) => !one.isEntered || shown.includes(one));
  meta.set(name, JSON.stringify(kept.map((one) => ({ ...one, amount: String(one.amount) }))));
};

const isSame = (one: ForeignDebit, { signature, wallet, source }: ForeignDebit): boolean =>
  one.signature === signature && one.wallet === wallet && one.source === source;

/** Those of which the owner has to know, oldest first. */
export const foreignDebits = (store: Meta): ForeignDebit[] => read(store).filter(({ isKnown }) => !isKnown);

/** Those that have no row yet. */
export const debitsToEnter = (store: Meta): ForeignDebit[] =>
  read(store).filter(({ isEntered, signature }) => !isEntered && signature !== null);

export const isNoted = (store: Meta, debit: ForeignDebit): boolean =>
  read(store).some((one) => isSame(one, debit));

/** Micro-USDC that debits without a row took from the wallet after its last reading, which is of this slot. */
export const takenSince = (store: Meta, wallet: string, slot: number): bigint =>
  read(store)
    .filter((one) => !one.isEntered && one.source === null && one.wallet === wallet && one.slot > slot)
    .reduce((sum, { amount }) => sum + amount, 0n);

/** Call it in a transaction, once the wallet is stopped. */
export const noteForeignDebit = (store: Meta, debit: ForeignDebit & { slot: number }): void => {
  const all = read(store);
  // The transaction takes the place of a difference that only the balance showed.
  const others = all.filter(
    ({ signature, wallet, source }) =>
      debit.signature === null || signature !== null || wallet !== debit.wallet || source !== debit.source,
  );
  write(store, [...others, { ...debit, isEntered: debit.signature === null, isKnown: false }]);
};

export const isProven = (store: Meta, debit: ForeignDebit): boolean =>
  read(store).some((one) => isSame(one, debit) && one.isProven === true);

const change = (store: Meta, debit: ForeignDebit, fields: Partial<Kept>): void =>
  write(
    store,
    read(store).map((one) => (isSame(one, debit) ? { ...one, ...fields } : one)),
  );

/** Call it in the transaction that ends what could pay it again. */
export const setProven = (store: Meta, debit: ForeignDebit): void => change(store, debit, { isProven: true });

/** Call it in the transaction that enters its row. */
export const setEntered = (store: Meta, debit: ForeignDebit): void =>
  change(store, debit, { isEntered: true });

/** A wallet whose balance is lower than the records explain. */
export interface Shortfall {
  /** Micro-USDC; 0: the difference is explained, or gone again. */
  missing: bigint;
  /** Unix milliseconds. */
  since: number;
}

const shortName = 'shortfalls';

/** By wallet. */
export const shortfalls = ({ meta }: Meta): Map<string, Shortfall> => {
  const kept = JSON.parse(meta.get(shortName) ?? '[]') as [string, { missing: string; since: number }][];
  return new Map(kept.map(([wallet, one]) => [wallet, { ...one, missing: BigInt(one.missing) }]));
};

const writeShortfalls = ({ meta }: Meta, all: ReadonlyMap<string, Shortfall>): void =>
  meta.set(
    shortName,
    JSON.stringify([...all].map(([wallet, one]) => [wallet, { ...one, missing: String(one.missing) }])),
  );

/**
 * Adds what a reading was lower than expected; a negative amount, when it was higher, or when a debit of so much was found.
 * Call it in the transaction of the reading, or of the debit.
 * @param units micro-USDC
 * @param now Unix milliseconds
 */
export const changeShortfall = (store: Meta, wallet: string, units: bigint, now: number): void => {
  const all = shortfalls(store);
  const before = all.get(wallet);
  if (before === undefined && units < 0n) return;
  const missing = (before?.missing ?? 0n) + units;
  const since = before !== undefined && before.missing > 0n ? before.since : now;
  all.set(wallet, { since, missing: atLeastZero(missing) });
  writeShortfalls(store, all);
};

/**
 * Ends the shortfalls of these wallets in which nothing is missing; with `always`, the others too. Call it once the
 * wallets' history was read to its end.
 */
export const endShortfalls = (store: Meta, wallets: readonly string[], always = false): void => {
  const all = shortfalls(store);
  const left = [...all].filter(
    ([wallet, { missing }]) => !wallets.includes(wallet) || (missing > 0n && !always),
  );
  if (left.length < all.size) writeShortfalls(store, new Map(left));
};

/** A reconciliation has entered what was missing until it read each history: what is missing since is looked for again. */
export const resetShortfalls = (store: Meta): void =>
  writeShortfalls(
    store,
    new Map([...shortfalls(store)].map(([wallet, one]) => [wallet, { ...one, missing: 0n }])),
  );

/** Call it in the transaction in which the owner resumes this agent; null: in which the owner lifts the freeze. */
export const setKnown = (store: Meta, agentId: string | null): void => {
  const all = read(store);
  const known = all.filter((one) => agentId === null || one.agentId === agentId);
  if (known.length === 0) return;
  const unseen = known.filter(({ signature }) => signature === null);
  endShortfalls(
    store,
    unseen.map(({ wallet }) => wallet),
    true,
  );
  write(
    store,
    all.map((one) => (known.includes(one) ? { ...one, isKnown: true } : one)),
  );
};
