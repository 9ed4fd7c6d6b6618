// Previews a changed policy on the last 30 days: each payment that was asked for is decided again, in order, by the
// same rules. Only the policy's own rules count, since balance and fees were those of that day.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { addUsdc, formatUsdc, usdc } from '../../../money.ts';
import { agentNamed, done, type EngineContext } from '../../calls/call.ts';
import { lately } from '../../calls/zone.ts';
import type { SomeOperations, UsdcTransfer } from '../../ports.ts';
import { changed } from './limit-changes.ts';
import { withServiceNames } from '../service-names.ts';
import { createReplay, type Outcome } from './replay.ts';

/** If there are more, only the newest are decided. */
const mostPayments = 10_000;
/** Read, or decided, in about a millisecond: payments go on between two turns of the event loop. */
const paymentsPerTurn = 50;

export const previewOperations = (context: EngineContext) =>
  ({
    async previewPolicy({ params, body }) {
      const { store, time, calendar } = context;
      const { agentId } = agentNamed(store, params.agentId);
      const now = time.now();
      const before = store.policies.get(agentId);
      const { days, from } = lately(context, now);
      const asked = { agentId, kinds: ['payment', 'charge'], ...store.transfers.between({ from }) } as const;
      const rows: UsdcTransfer[] = [];
      for await (const payment of inTurns(store.transfers.iterate(asked)))
        if (payment.asset === 'USDC' && rows.push(payment) > mostPayments) break;
      const looked = rows.slice(0, mostPayments).toReversed();
      const knownBefore = (payee: string): boolean => (store.payees.knownSince(agentId, payee) ?? now) < from;
      const replayed = createReplay(changed(before, withServiceNames(context, before, body)), {
        knownBefore,
        calendar,
      });
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
  }) satisfies SomeOperations;

async function* inTurns<T>(payments: Iterable<T>): AsyncIterable<T> {
  let given = 0;
  for (const payment of payments) {
    yield payment;
    given += 1;
    if (given % paymentsPerTurn === 0) await nextTurn();
  }
}
