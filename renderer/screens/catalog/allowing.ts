// The effect of adding a service to an agent's allowed services. An empty list allows every service, so the first
// entry excludes all others.

export type Allowing =
  /** The list is empty: the service is allowed already, and an entry would restrict the agent to it. */
  | { kind: 'every' }
  | { kind: 'listed' }
  /** `others`: how many other services the list allows. */
  | { kind: 'adds'; others: number };

export const allowingOf = (allowed: readonly string[], serviceId: string): Allowing => {
  if (allowed.length === 0) return { kind: 'every' };
  return allowed.includes(serviceId) ? { kind: 'listed' } : { kind: 'adds', others: allowed.length };
};

export const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((id, index) => id === other[index]);
