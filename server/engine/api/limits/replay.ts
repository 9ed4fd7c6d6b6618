// Decides payments of the past again, oldest first, as if the earlier ones had gone as decided. A held payment counts as
// paid. Budgets and numbers of payments count from the first payment on.
import { usdc, type Usdc } from '../../../money.ts';
import type { Calendar } from '../../limits/calendar.ts';
import type { NodeFacts } from '../../limits/node-facts.ts';
import { rollingMs } from '../../limits/windows.ts';
import { decide, elseAllowed } from '../../payment/decision/decide.ts';
import type { Policy, UsdcTransfer } from '../../ports.ts';

export interface Outcome {
  /** `allowed`, `asked`, or the rule that refuses. */
  outcome: string;
  amount: Usdc;
}

interface Past {
  /** Whether the payee was known before the first of these payments. */
  knownBefore(payee: string): boolean;
  calendar: Calendar;
}

export const createReplay = (
  policy: Policy,
  { knownBefore, calendar }: Past,
): ((payment: UsdcTransfer) => Outcome) => {
  const known = new Set<string>();
  const spent = createSpent(calendar);
  return ({ amount, serviceId, payee, createdAt: now, agentId }) => {
    const request = { agentId: agentId ?? '', amount, serviceId: serviceId ?? '', payee, now };
    const decision = decide(request, {
      ...elseAllowed,
      path: [
        {
          ...spent.at(now),
          node: { kind: 'agent', id: request.agentId, name: request.agentId },
          limits: policy,
          opensAt: () => (policy.activeHours === null ? null : calendar.opensAt(policy.activeHours, now)),
        },
      ],
      policy,
      payeeKnown: known.has(payee) || knownBefore(payee),
      available: amount,
    });
    if (decision.kind === 'deny') return { outcome: String(decision.refusal.details['rule']), amount };
    known.add(payee);
    spent.add(now, amount, request.serviceId);
    return { outcome: decision.kind === 'hold' ? 'asked' : 'allowed', amount };
  };
};

/** The sums over the payments so far, of all and at each service. Times only grow. */
const createSpent = (calendar: Calendar) => {
  const all = createSums(calendar);
  const services = new Map<string, ReturnType<typeof createSums>>();
  const atService = (serviceId: string) => {
    const known = services.get(serviceId) ?? createSums(calendar);
    services.set(serviceId, known);
    return known;
  };
  return {
    at: (now: number): Omit<NodeFacts, 'node' | 'limits' | 'opensAt'> => ({
      ...all.at(now),
      atService: (serviceId) => atService(serviceId).at(now),
    }),
    add(now: number, amount: bigint, serviceId: string) {
      all.add(now, amount);
      atService(serviceId).add(now, amount);
    },
  };
};

/** The sums in each window. */
const createSums = ({ monthAt }: Calendar) => {
  const [hour, day, week] = [rollingMs.hour, rollingMs.day, rollingMs.week].map(createRolling);
  let total = 0n;
  let month = { from: 0, amount: 0n };
  let last: number | null = null;
  const monthSum = (now: number): bigint => {
    const { from } = monthAt(now);
    if (from !== month.from) month = { from, amount: 0n };
    return month.amount;
  };
  return {
    at: (now: number): Omit<NodeFacts, 'node' | 'limits' | 'opensAt' | 'atService'> => ({
      isLowest: true,
      boost: null,
      fees: () => 0n,
      lastReservedAt: last,
      isClaimed: false,
      spent: (window) =>
        usdc(
          {
            day: () => day?.at(now).amount ?? 0n,
            week: () => week?.at(now).amount ?? 0n,
            month: () => monthSum(now),
            total: () => total,
          }[window](),
        ),
      freedAt: () => null,
      // A past of payments alone is replayed.
      modelRequests: () => 0,
      payments: (window) => (window === 'hour' ? hour : day)?.at(now).payments ?? 0,
      fewerAt: () => null,
    }),
    add(now: number, amount: bigint) {
      for (const rolling of [hour, day, week]) rolling?.add(now, amount);
      month = { from: monthAt(now).from, amount: monthSum(now) + amount };
      total += amount;
      last = now;
    },
  };
};

const createRolling = (windowMs: number) => {
  const paid: { at: number; amount: bigint }[] = [];
  let oldest = 0;
  let amount = 0n;
  return {
    at(now: number) {
      for (
        let first = paid[oldest];
        first !== undefined && first.at <= now - windowMs;
        first = paid[oldest]
      ) {
        amount -= first.amount;
        oldest += 1;
      }
      return { amount, payments: paid.length - oldest };
    },
    add(at: number, more: bigint) {
      paid.push({ at, amount: more });
      amount += more;
    },
  };
};
