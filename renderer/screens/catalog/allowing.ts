// What it would mean to put a service on an agent's list of allowed services. The empty list allows every service, so
// that the first entry takes all others away.

export type Allowing =
  /** The list is empty: it is allowed already, and an entry would restrict the agent to it. */
  | { kind: 'every' }
  | { kind: 'listed' }
  /** `others`: how many the list allows beside it. */
  | { kind: 'adds'; others: number };

export const allowingOf = (allowed: readonly string[], serviceId: string): Allowing => {
  if (allowed.length === 0) return { kind: 'every' };
  return allowed.includes(serviceId) ? { kind: 'listed' } : { kind: 'adds', others: allowed.length };
};

export const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((id, index) => id === other[index]);
