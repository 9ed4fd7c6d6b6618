// The reference: the decisions that a treasury has to make, written from its promises alone and without reading the
// product. It adds up every known payment each time.

export interface Rules {
  dailyBudget: bigint;
  maxPerPayment: bigint;
  cooldownMs: number;
  /** Empty for all. */
  services: readonly string[];
  approveAbove: bigint | null;
  approvalMs: number;
}

/** A reservation: `open` counts at any age, `final` for a day from `countsFrom`, `released` not at all. */
export interface Reservation {
  agentId: string;
  amount: bigint;
  state: 'open' | 'final' | 'released';
  countsFrom: number;
}

export interface Wish {
  agentId: string;
  service: string;
  amount: bigint;
}

export type Verdict =
  | 'allow'
  | 'hold'
  | 'service_not_allowed'
  | 'max_per_payment'
  | 'cooldown'
  | 'daily_budget'
  | 'owner_ceiling';

const day = 86_400_000;
export const mostPending = 3;

export interface Reference {
  rules: Map<string, Rules>;
  ceiling: bigint | null;
  frozen: boolean;
  suspended: Set<string>;
  /** By payment. */
  reservations: Map<string, Reservation>;
  lastReservedAt: Map<string, number>;
  stopped(agentId: string): 'frozen' | 'suspended' | null;
  /** The sum that counts at `now`; for null, of all agents together. */
  spent(agentId: string | null, now: number): bigint;
  decide(wish: Wish, now: number, granted?: boolean): Verdict;
  change(agentId: string, change: Partial<Rules>): void;
  reserve(id: string, wish: Wish, now: number): void;
}

export const createReference = (first: ReadonlyMap<string, Rules>): Reference => {
  const reference: Reference = {
    rules: new Map(first),
    ceiling: null,
    frozen: false,
    suspended: new Set(),
    reservations: new Map(),
    lastReservedAt: new Map(),

    stopped(agentId) {
      if (reference.frozen) return 'frozen';
      return reference.suspended.has(agentId) ? 'suspended' : null;
    },

    spent(agentId, now) {
      let sum = 0n;
      for (const one of reference.reservations.values()) {
        const counts = one.state === 'open' || (one.state === 'final' && one.countsFrom > now - day);
        if (counts && (agentId === null || one.agentId === agentId)) sum += one.amount;
      }
      return sum;
    },

    decide({ agentId, service, amount }, now, granted = false) {
      const rules = reference.rules.get(agentId);
      if (rules === undefined) throw new Error(`there is no ${agentId}`);
      const last = reference.lastReservedAt.get(agentId);
      if (rules.services.length > 0 && !rules.services.includes(service)) return 'service_not_allowed';
      if (amount > rules.maxPerPayment) return 'max_per_payment';
      if (!granted && rules.cooldownMs > 0 && last !== undefined && now < last + rules.cooldownMs)
        return 'cooldown';
      if (reference.spent(agentId, now) + amount > rules.dailyBudget) return 'daily_budget';
      if (reference.ceiling !== null && reference.spent(null, now) + amount > reference.ceiling)
        return 'owner_ceiling';
      return !granted && rules.approveAbove !== null && amount > rules.approveAbove ? 'hold' : 'allow';
    },

    change(agentId, change) {
      const rules = reference.rules.get(agentId);
      if (rules === undefined) throw new Error(`there is no ${agentId}`);
      reference.rules.set(agentId, { ...rules, ...change });
    },

    reserve(id, { agentId, amount }, now) {
      reference.reservations.set(id, { agentId, amount, state: 'open', countsFrom: now });
      reference.lastReservedAt.set(agentId, now);
    },
  };
  return reference;
};
