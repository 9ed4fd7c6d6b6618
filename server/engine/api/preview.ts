// Previews a changed policy on the last 30 days: each payment that was asked for is decided again, in order, by the
// same rules. Only the policy's own rules count, since balance and fees were those of that day.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { addUsdc, formatUsdc, lamports, subUsdc, usdc, type Usdc } from '../../money.ts';
import { agentNamed, done, type EngineContext } from '../calls/call.ts';
import { decide, type Facts } from '../payment/decide.ts';
import type { NodeFacts } from '../limits/node-rules.ts';
import type { Operation, Policy, UsdcTransfer } from '../ports.ts';
import { changed } from './policies.ts';

export interface PreviewOperations {
  previewPolicy: Operation<'previewPolicy'>;
}

const days = 30;
const windowMs = 86_400_000;
/** If there are more, only the newest are decided. */
const mostPayments = 10_000;
/** Read, or decided, in about a millisecond: payments go on between two turns of the event loop. */
const paymentsPerTurn = 50;

export const previewOperations = (context: EngineContext): PreviewOperations => ({
  async previewPolicy({ params, body }) {
    const { store, time } = context;
    const { agentId } = agentNamed(store, params.agentId);
    const now = time.now();
    const before = store.policies.get(agentId);
    const from = now - days * windowMs;
    const asked = { agentId, kinds: ['payment', 'charge'], ...store.transfers.between({ from }) } as const;
    const rows: UsdcTransfer[] = [];
    for await (const payment of inTurns(store.transfers.iterate(asked)))
      if (payment.asset === 'USDC' && rows.push(payment) > mostPayments) break;
    const looked = rows.slice(0, mostPayments).toReversed();
    const knownBefore = (payee: string): boolean => (store.payees.knownSince(agentId, payee) ?? now) < from;
    const replayed = createReplay(changed(before, body), knownBefore);
    const outcomes: Outcome[] = [];
    for await (const payment of inTurns(looked)) outcomes.push(replayed(payment));
    const totalOf = (outcome: string) => {
      const those = outcomes.filter((one) => one.outcome === outcome);
      const amount = those.reduce((sum, one) => addUsdc(sum, one.amount), usdc(0n));
      return { amount: formatUsdc(amount), payments: those.length };
    };
    const rules = [...new Set(outcomes.map(({ outcome }) => outcome))].filter(
      (outcome) => outcome !== 'allowed' && outcome !== 'asked',
    );
    return done({
      days,
      payments: looked.length,
      allowed: totalOf('allowed'),
      asked: totalOf('asked'),
      refused: rules.map((rule) => ({ rule, ...totalOf(rule) })),
      truncated: rows.length > mostPayments,
    });
  },
});

interface Outcome {
  /** `allowed`, `asked`, or the rule that refuses. */
  outcome: string;
  amount: Usdc;
}

async function* inTurns<T>(payments: Iterable<T>): AsyncIterable<T> {
  let given = 0;
  for (const payment of payments) {
    yield payment;
    given += 1;
    if (given % paymentsPerTurn === 0) await nextTurn();
  }
}

/** Decides payments, oldest first, as if the earlier ones had gone as decided. A held payment counts as paid. */
const createReplay = (policy: Policy, knownBefore: (payee: string) => boolean) => {
  const known = new Set<string>();
  const paid: { at: number; amount: Usdc }[] = [];
  let oldest = 0;
  let spent = usdc(0n);
  return ({ amount, serviceId, payee, createdAt: now, agentId }: UsdcTransfer): Outcome => {
    for (let first = paid[oldest]; first !== undefined && first.at <= now - windowMs; first = paid[oldest]) {
      spent = subUsdc(spent, first.amount);
      oldest += 1;
    }
    const request = { agentId: agentId ?? '', amount, serviceId: serviceId ?? '', payee, now };
    const payeeKnown = known.has(payee) || knownBefore(payee);
    const agent: NodeFacts = {
      node: { kind: 'agent', id: request.agentId },
      limits: policy,
      spent,
      lastReservedAt: paid.at(-1)?.at ?? null,
      isClaimed: false,
      freedAt: () => null,
    };
    const decision = decide(request, {
      ...elseAllowed,
      path: [agent],
      policy,
      payeeKnown,
      available: amount,
    });
    if (decision.kind === 'deny') return { outcome: String(decision.refusal.details['rule']), amount };
    known.add(payee);
    paid.push({ at: now, amount });
    spent = addUsdc(spent, amount);
    return { outcome: decision.kind === 'hold' ? 'asked' : 'allowed', amount };
  };
};

/** Facts under which only the policy refuses. */
const elseAllowed: Omit<Facts, 'path' | 'policy' | 'payeeKnown' | 'available'> = {
  blockedBy: null,
  payeeChanged: false,
  fee: lamports(0n),
  feesSpent: 0n,
  feeLimit: null,
  rent: lamports(0n),
  rentSpent: 0n,
  rentLimit: null,
  rentAllowed: true,
};
