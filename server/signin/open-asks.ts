// Open sign-in attempts of link sessions, each waiting for its proof.

export interface Ask {
  linkId: string;
  /** Unix milliseconds. */
  expiresAt: number;
}

interface OpenAsks<T extends Ask> {
  /** Evicts the oldest of the same link session when there are too many. */
  add(ask: T): void;
  /** The unexpired ones of a link session. */
  of(linkId: string): T[];
  /** After it was used, or guessed at too often. */
  remove(ask: T): void;
  clear(): void;
}

/** Holds at most `mostPerLink` for each link session; expired ones are dropped. */
export const createOpenAsks = <T extends Ask>(mostPerLink: number, now: () => number): OpenAsks<T> => {
  let open: T[] = [];
  const ofLink = (linkId: string): T[] => {
    open = open.filter(({ expiresAt }) => expiresAt > now());
    return open.filter((ask) => ask.linkId === linkId);
  };
  return {
    add(ask) {
      const kept = [...ofLink(ask.linkId), ask].slice(-mostPerLink);
      open = [...open.filter(({ linkId }) => linkId !== ask.linkId), ...kept];
    },
    of: ofLink,
    remove(ask) {
      open = open.filter((other) => other !== ask);
    },
    clear() {
      open = [];
    },
  };
};
