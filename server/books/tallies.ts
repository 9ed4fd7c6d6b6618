// The balance of each wallet of ours on paper, as entries are added.
import { isOurs, type Entry, type Place } from './entry.ts';

export interface Tallies {
  add(entry: Entry): void;
  /** In micro-USDC. @param agentId null: the treasury */
  of(agentId: string | null): bigint;
  /** All of them. */
  sum(): bigint;
  /** The treasury's, in lamports. */
  sol(): bigint;
}

export const createTallies = (): Tallies => {
  const held = new Map<string | null, bigint>();
  const move = (place: Place, change: bigint): void => {
    if (!isOurs(place)) return;
    const agentId = place.kind === 'agent' ? place.agentId : null;
    held.set(agentId, (held.get(agentId) ?? 0n) + change);
  };
  let sol = 0n;
  return {
    add(entry) {
      const { asset, amount, from, to } = entry;
      sol += solChangeOf(entry);
      if (asset !== 'USDC') return;
      move(from, -amount);
      move(to, amount);
    },
    of: (agentId) => held.get(agentId) ?? 0n,
    sum: () => [...held.values()].reduce((sum, one) => sum + one, 0n),
    sol: () => sol,
  };
};

/** By how many lamports an entry changes what the treasury's own wallet holds. */
export const solChangeOf = ({ asset, amount, from, to }: Entry): bigint => {
  if (asset !== 'SOL' || from.kind === to.kind) return 0n;
  if (to.kind === 'treasury') return amount;
  return from.kind === 'treasury' ? -amount : 0n;
};
