// The reference: the decisions that a treasury has to make, written from its promises alone and without reading the
// product. It adds up every known payment each time.

/** The limits of one node: an agent, its group, a delegated key, or all agents together. */
export interface Rules {
  dailyBudget: bigint | null;
  weeklyBudget: bigint | null;
  maxPerPayment: bigint | null;
  cooldownMs: number;
  /** Empty for all. */
  services: readonly string[];
  /** Of agents alone. */
  approveAbove: bigint | null;
  approvalMs: number;
}

export const noRules: Rules = {
  dailyBudget: null,
  weeklyBudget: null,
  maxPerPayment: null,
  cooldownMs: 0,
  services: [],
  approveAbove: null,
  approvalMs: 0,
};

/** A reservation: `open` counts at any age, `final` for a while from `countsFrom`, `released` not at all. */
export interface Reservation {
  /** The nodes that it is charged to. */
  path: readonly string[];
  amount: bigint;
  state: 'open' | 'final' | 'released';
  countsFrom: number;
}

export interface Wish {
  agentId: string;
  /** A delegated key; null for the agent's own. */
  keyId: string | null;
  service: string;
  amount: bigint;
}

/** A delegated key, by its id. */
export interface Delegated {
  agentId: string;
  /** The key that delegated it; null: the owner did. */
  parent: string | null;
  level: number;
  endsAt: number;
  isEnded: boolean;
}

export type Verdict =
  | 'allow'
  | 'hold'
  | 'service_not_allowed'
  | 'max_per_payment'
  | 'cooldown'
  | 'daily_budget'
  | 'weekly_budget'
  | 'owner_ceiling';

const day = 86_400_000;
const spans = { dailyBudget: day, weeklyBudget: 7 * day } as const;
export const mostPending = 3;

/** The names of nodes; an agent's is its id. */
export const everything = '';
export const nodeOfGroup = (groupId: string): string => `group:${groupId}`;
export const nodeOfKey = ({ level }: Delegated, keyId: string): string => `key${level}:${keyId}`;

export interface Reference {
  /** By node. */
  rules: Map<string, Rules>;
  boosts: Map<string, { amount: bigint; until: number }>;
  /** By agent: the group that it is in. */
  groups: Map<string, string | null>;
  keys: Map<string, Delegated>;
  frozen: boolean;
  suspended: Set<string>;
  /** Those of the suspended that a stop of this group suspended. */
  stoppedWith: Map<string, string>;
  stoppedGroups: Set<string>;
  /** By payment. */
  reservations: Map<string, Reservation>;
  lastReservedAt: Map<string, number>;
  stopped(agentId: string): 'frozen' | 'suspended' | null;
  hasEnded(keyId: string | null, now: number): boolean;
  /** The nodes that a payment is charged to now, from the one that pays upwards. */
  path(wish: Pick<Wish, 'agentId' | 'keyId'>): string[];
  /** The sum that counts at a node at `now`. */
  spent(node: string, now: number, span?: number): bigint;
  /** What a node allows in a span, with its boost; null: anything. */
  limit(node: string, field: keyof typeof spans, now: number): bigint | null;
  decide(wish: Wish, now: number, granted?: boolean): Verdict;
  change(node: string, change: Partial<Rules>): void;
  reserve(id: string, wish: Wish, now: number): void;
}

export const createReference = (
  first: ReadonlyMap<string, Rules>,
  groups: ReadonlyMap<string, string | null>,
): Reference => {
  const rulesOf = (node: string): Rules => reference.rules.get(node) ?? noRules;

  const keysAbove = (keyId: string | null): string[] => {
    const key = keyId === null ? undefined : reference.keys.get(keyId);
    return keyId === null || key === undefined ? [] : [nodeOfKey(key, keyId), ...keysAbove(key.parent)];
  };

  const refusal = (
    { service, amount }: Wish,
    { node, now, granted }: { node: string; now: number; granted: boolean },
  ): Verdict | null => {
    const { services, maxPerPayment, cooldownMs } = rulesOf(node);
    const last = reference.lastReservedAt.get(node);
    if (services.length > 0 && !services.includes(service)) return 'service_not_allowed';
    if (maxPerPayment !== null && amount > maxPerPayment) return 'max_per_payment';
    if (!granted && cooldownMs > 0 && last !== undefined && now < last + cooldownMs) return 'cooldown';
    for (const field of ['dailyBudget', 'weeklyBudget'] as const) {
      const limit = reference.limit(node, field, now);
      if (limit === null || reference.spent(node, now, spans[field]) + amount <= limit) continue;
      if (field === 'weeklyBudget') return 'weekly_budget';
      return node === everything ? 'owner_ceiling' : 'daily_budget';
    }
    return null;
  };

  const reference: Reference = {
    rules: new Map(first),
    boosts: new Map(),
    groups: new Map(groups),
    keys: new Map(),
    frozen: false,
    suspended: new Set(),
    stoppedWith: new Map(),
    stoppedGroups: new Set(),
    reservations: new Map(),
    lastReservedAt: new Map(),

    stopped(agentId) {
      if (reference.frozen) return 'frozen';
      return reference.suspended.has(agentId) ? 'suspended' : null;
    },

    hasEnded(keyId, now) {
      const key = keyId === null ? undefined : reference.keys.get(keyId);
      return key !== undefined && (key.isEnded || key.endsAt <= now);
    },

    path({ agentId, keyId }) {
      const group = reference.groups.get(agentId) ?? null;
      return [...keysAbove(keyId), agentId, ...(group === null ? [] : [nodeOfGroup(group)]), everything];
    },

    spent(node, now, span = day) {
      let sum = 0n;
      for (const one of reference.reservations.values()) {
        const counts = one.state === 'open' || (one.state === 'final' && one.countsFrom > now - span);
        if (counts && one.path.includes(node)) sum += one.amount;
      }
      return sum;
    },

    limit(node, field, now) {
      const limit = rulesOf(node)[field];
      const boost = reference.boosts.get(node);
      return limit === null || boost === undefined || boost.until <= now ? limit : limit + boost.amount;
    },

    decide(wish, now, granted = false) {
      for (const node of reference.path(wish)) {
        const refused = refusal(wish, { node, now, granted });
        if (refused !== null) return refused;
      }
      const { approveAbove } = rulesOf(wish.agentId);
      return !granted && approveAbove !== null && wish.amount > approveAbove ? 'hold' : 'allow';
    },

    change(node, change) {
      reference.rules.set(node, { ...rulesOf(node), ...change });
    },

    reserve(id, wish, now) {
      const path = reference.path(wish);
      reference.reservations.set(id, { path, amount: wish.amount, state: 'open', countsFrom: now });
      for (const node of path) reference.lastReservedAt.set(node, now);
    },
  };
  return reference;
};
