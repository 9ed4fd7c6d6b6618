// A random choice that a test can repeat: the same for the same seed.
export interface Dice {
  /** From 0 to 1. */
  roll(): number;
  isLucky(chance: number): boolean;
  pick<T>(from: readonly [T, ...T[]]): T;
}

/** Mulberry32: small, and even enough to reach every branch. */
export const createDice = (seed: number): Dice => {
  let state = seed >>> 0;
  const roll = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    roll,
    isLucky: (chance) => roll() < chance,
    pick: (from) => from[Math.floor(roll() * from.length)] ?? from[0],
  };
};
