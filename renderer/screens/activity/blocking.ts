// The way to keep an agent from a service. There is no list of blocked services, only one of allowed ones.

export type Blocking =
  /** The list is empty: every service is allowed, and there is nothing to take the service off. */
  | { kind: 'every' }
  /** It is the only one: an empty list would allow every service. */
  | { kind: 'only' }
  | { kind: 'listed'; others: string[] }
  | { kind: 'blocked' };

export const blockingOf = (allowed: readonly string[], serviceId: string): Blocking => {
  if (allowed.length === 0) return { kind: 'every' };
  if (!allowed.includes(serviceId)) return { kind: 'blocked' };
  const others = allowed.filter((id) => id !== serviceId);
  return others.length === 0 ? { kind: 'only' } : { kind: 'listed', others };
};
