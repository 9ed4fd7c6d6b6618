// Reads the balances of the managed wallets, and notes those that are lower than the records explain.
import { changeShortfall, takenSince } from '../domain/foreign-debits.ts';
import type { Context } from '../payment/context.ts';
import { atLeastZero, usdc, type Usdc } from '../../money.ts';
import type { Wallet } from '../ports.ts';
import type { Reading } from './debits.ts';

/** Five minutes of slots: an unchanged balance is recorded that often, and no more. */
const slotsBetweenReadings = 750;

/** Returns the slot of the readings. @param isNews which of them are entered */
export const readBalances = async (
  reading: Reading,
  addresses: readonly string[],
  isNews: typeof isChange,
): Promise<number> => {
  let lowest = Infinity;
  for (let from = 0; from < addresses.length; from += walletsAtOnce)
    lowest = Math.min(lowest, await readSome(reading, addresses.slice(from, from + walletsAtOnce), isNews));
  return lowest;
};

/** As many as one answer of an RPC holds: the answers to a longer list are of several slots. */
const walletsAtOnce = 100;

const readSome = async (
  { context }: Reading,
  addresses: readonly string[],
  isNews: typeof isChange,
): Promise<number> => {
  const { store, chain, time, publish } = context;
  const mark = store.wallets.mark();
  const { slot, units } = await chain.balances(addresses);
  const changed: string[] = [];
  store.atomically(() => {
    for (const [index, address] of addresses.entries()) {
      const before = store.wallets.get(address);
      const now = units[index] ?? usdc(0n);
      if (before !== undefined && !isNews(before, now, slot)) {
        store.wallets.unchanged(address, slot);
        continue;
      }
      const isEntered = store.wallets.read(address, { balance: now, slot, now: time.now(), mark });
      if (isEntered && before !== undefined) noteShortfall(context, before, now);
      if (before !== undefined && before.balance !== now) changed.push(address);
    }
  });
  for (const wallet of changed) publish({ type: 'balance', wallet });
  return slot;
};

/**
 * Notes what the reading lacks of what the records explain, until the debit is found: an explanation that fails now comes
 * later. Call it in the transaction of the reading.
 */
const noteShortfall = ({ store, time }: Context, before: Wallet, now: Usdc): void => {
  const { address, balance, pending, slot } = before;
  const expected = balance - takenSince(store, address, slot);
  const missing = expected - pending - now;
  // Within what is pending, a payment of ours has landed, or somebody else took as much: the history shows which.
  if (now < expected) changeShortfall(store, address, atLeastZero(missing), time.now());
  else if (now > expected) changeShortfall(store, address, expected - now, time.now());
};

/** An idle treasury writes nothing: an unchanged balance with nothing pending is not recorded again for a while. */
export const isChange = ({ balance, pending, readAt, slot }: Wallet, now: Usdc, nowSlot: number): boolean =>
  now !== balance || pending !== 0n || readAt === 0 || nowSlot - slot >= slotsBetweenReadings;
