// What each gate of the campaign is.
export interface GateOptions {
  /** Everything that is left to chance follows from it. */
  seed: number;
  /** The form inside `npm test`. */
  short: boolean;
  say(text: string): void;
  /** The tree whose host is put to the test; at first this one. A copy of it may have a bug planted. */
  source?: string;
}

export interface GateResult {
  figures: Record<string, number>;
  /** Empty: passed. */
  failures: string[];
  /** Why nothing was tried, where that is so: then there are no failures and no figures. */
  skipped?: string;
}

export interface Gate {
  number: number;
  title: string;
  run(options: GateOptions): Promise<GateResult>;
}

/** Numbers from 0 up to 1 that follow from the seed. */
export const createRandom = (seed: number): (() => number) => {
  let state = (seed % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return (state - 1) / 2_147_483_646;
  };
};

/** The same list in an order that follows from `random`. */
export const shuffled = <T>(list: readonly T[], random: () => number): T[] =>
  list
    .map((one) => [random(), one] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one);
