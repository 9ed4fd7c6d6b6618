// The balance of each wallet of ours on paper, in micro-USDC, as entries are added.
import { isOurs, type Entry, type Place } from './entry.ts';

export interface Tallies {
  add(entry: Entry): void;
  /** @param agentId null: the treasury */
  of(agentId: string | null): bigint;
}

export const createTallies = (): Tallies => {
  const held = new Map<string | null, bigint>();
  const move = (place: Place, change: bigint): void => {
    if (!isOurs(place)) return;
    const agentId = place.kind === 'agent' ? place.agentId : null;
    held.set(agentId, (held.get(agentId) ?? 0n) + change);
  };
  return {
    add({ asset, amount, from, to }) {
      if (asset !== 'USDC') return;
      move(from, -amount);
      move(to, amount);
    },
    of: (agentId) => held.get(agentId) ?? 0n,
  };
};
