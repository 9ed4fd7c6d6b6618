// The sums that the store keeps beside the payments: by agent and for all, by day; and the known payees.
import type Database from 'better-sqlite3';
import type { PastAgent, PastService } from './past-models.ts';

interface Counted {
  agent: PastAgent;
  service: PastService;
  amount: bigint;
  fee: bigint;
  at: number;
}

interface Sum {
  inWindow: bigint;
  fees: bigint;
  amount: bigint;
  payments: number;
  last: number;
}

const dayMs = 86_400_000;

/**
 * @param edge of the window of 24 hours
 * @param know is called for each payee that an agent pays for the first time
 */
export const createSums = (
  db: Database.Database,
  edge: number,
  know: (agentId: string, payee: string, at: number) => void,
) => {
  const scopes = new Map<string, Sum>();
  const payees = new Set<string>();
  let day = 0;
  let ofDay = new Map<string, { agentId: string; serviceId: string; amount: bigint; payments: number }>();
  const addDay = db.prepare(/* sql */ `
    INSERT INTO spending_day (day, agent_id, service_id, amount, payments) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET amount = amount + excluded.amount, payments = payments + excluded.payments`);

  const endDay = (): void => {
    for (const { agentId, serviceId, amount, payments } of ofDay.values())
      addDay.run(day, agentId, serviceId, amount, payments);
    ofDay = new Map();
  };
  const addTo = (scope: string, { amount, fee, at }: Counted): void => {
    const sum = scopes.get(scope) ?? { inWindow: 0n, fees: 0n, amount: 0n, payments: 0, last: 0 };
    scopes.set(scope, sum);
    sum.amount += amount;
    sum.payments += 1;
    sum.last = at;
    if (at > edge) {
      sum.inWindow += amount;
      sum.fees += fee;
    }
  };

  return {
    /** In the order of their times. */
    add(counted: Counted) {
      const { agent, service, amount, at } = counted;
      addTo(agent.agentId, counted);
      addTo('', counted);
      const itsDay = Math.floor(at / dayMs);
      if (itsDay !== day) {
        endDay();
        day = itsDay;
      }
      const name = `${agent.agentId} ${service.id}`;
      const found = ofDay.get(name) ?? {
        agentId: agent.agentId,
        serviceId: service.id,
        amount: 0n,
        payments: 0,
      };
      ofDay.set(name, found);
      found.amount += amount;
      found.payments += 1;
      if (payees.has(name)) return;
      payees.add(name);
      know(agent.agentId, service.payee, at);
    },
    /** Returns the spending of each agent. */
    write(): [string, bigint][] {
      endDay();
      const write = db.prepare(/* sql */ `
        INSERT INTO spending (scope, edge, final_amount, final_fees, lifetime_amount, lifetime_payments, last_reserved_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET final_amount = final_amount + excluded.final_amount,
          final_fees = final_fees + excluded.final_fees, lifetime_amount = lifetime_amount + excluded.lifetime_amount,
          lifetime_payments = lifetime_payments + excluded.lifetime_payments, edge = excluded.edge`);
      for (const [scope, { inWindow, fees, amount, payments, last }] of scopes)
        write.run(scope, edge, inWindow, fees, amount, payments, last);
      return [...scopes].filter(([scope]) => scope !== '').map(([scope, { amount }]) => [scope, amount]);
    },
  };
};
