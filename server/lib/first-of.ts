/** The first result that is not null. */
export const firstOf = <T, R>(all: readonly T[], find: (one: T) => R | null): R | null => {
  for (const one of all) {
    const found = find(one);
    if (found !== null) return found;
  }
  return null;
};
