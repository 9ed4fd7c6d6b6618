// What was asked of somebody at the page of a link session, and waits for its proof.

export interface Ask {
  linkId: string;
  /** Unix milliseconds. */
  expiresAt: number;
}

export interface OpenAsks<T extends Ask> {
  /** The oldest of the same link session makes room for it. */
  add(ask: T): void;
  /** Those of one link session that are not too old. */
  of(linkId: string): T[];
  /** It was used, or guessed at too often. */
  remove(ask: T): void;
  clear(): void;
}

/** At most `mostPerLink` at a time for each link session; what is too old is forgotten. */
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
