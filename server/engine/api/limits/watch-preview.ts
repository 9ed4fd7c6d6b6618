// The trips that the watch would have seen in the last 30 days, from the requests on record and by the same rules.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { agentNamed, done, type EngineContext } from '../../calls/call.ts';
import { lately } from '../../calls/zone.ts';
import { iso } from '../../calls/views.ts';
import { watchRules, type ServiceMemory, type Trip } from '../../domain/watch.ts';
import { isWatched, type WatchedPayment } from '../../payment/decision/watch-notes.ts';
import { type Usdc } from '../../../money.ts';
import type { SomeOperations, Transfer } from '../../ports.ts';
import {
  burstsBegun,
  newAgentMemory,
  newServiceMemory,
  noteBursts,
  noteDelivery,
  notePayment,
  noteRefusal,
} from '../../watch/memory.ts';
import { baselineDays } from '../../watch/pace.ts';
import { refusalTrip, tripsOf } from '../../watch/rules.ts';

const dayMs = 86_400_000;
/** If there are more, only the newest are looked at. */
const mostRequests = 20_000;
const requestsPerTurn = 50;
const mostTold = 20;

export const watchPreviewOperations = (context: EngineContext) =>
  ({
    async previewWatch({ params }) {
      const { store, time } = context;
      const { agentId } = agentNamed(store, params.agentId);
      const now = time.now();
      const { days, from: begin } = lately(context, now);
      const from = begin - baselineDays * dayMs;
      const asked = { agentId, kinds: ['payment', 'charge'], ...store.transfers.between({ from }) } as const;
      const rows: Transfer[] = [];
      for (const row of store.transfers.iterate(asked)) {
        if (rows.push(row) > mostRequests) break;
        if (rows.length % requestsPerTurn === 0) await nextTurn();
      }
      const knownBefore = (payee: string): boolean => (store.payees.knownSince(agentId, payee) ?? now) < from;
      const look = createLook(store.policies.get(agentId).dailyBudget, knownBefore);
      const seen: { row: Transfer; trip: Trip }[] = [];
      let requests = 0;
      for (const [index, row] of rows.slice(0, mostRequests).toReversed().entries()) {
        const begun = row.keyId !== null && isWatched(row) ? look({ ...row, keyId: row.keyId }) : [];
        if (row.createdAt >= begin) {
          requests += 1;
          seen.push(...begun.map((trip) => ({ row, trip })));
        }
        if (index % requestsPerTurn === 0) await nextTurn();
      }
      return done({
        days,
        requests,
        rules: watchRules
          .map((rule) => ({ rule, bursts: seen.filter(({ trip }) => trip.rule === rule).length }))
          .filter(({ bursts }) => bursts > 0),
        newest: seen
          .slice(-mostTold)
          .toReversed()
          .map(({ row, trip }) => ({
            rule: trip.rule,
            service: trip.about,
            at: iso(row.createdAt),
            sentence: trip.sentence,
            paymentId: row.id,
          })),
        truncated: rows.length > mostRequests,
      });
    },
  }) satisfies SomeOperations;

type Look = (row: Transfer & WatchedPayment & { keyId: string }) => Trip[];

/** Looks at requests in their order; returns the trips that begin a burst. */
const createLook = (dailyBudget: Usdc, knownBefore: (payee: string) => boolean): Look => {
  const agent = newAgentMemory();
  const services = new Map<string, ServiceMemory>();
  const payees = new Set<string>();
  return (row) => {
    const { createdAt: now, serviceId, payee, keyId, purchase } = row;
    const service = services.get(serviceId) ?? newServiceMemory();
    services.set(serviceId, service);
    const memory = { agent, service };
    if (row.state === 'denied' && row.approvalId === null) {
      noteRefusal(agent, keyId, now);
      const trip = refusalTrip(agent, keyId, now);
      return begunBy(agent, trip === null ? [] : [trip], now);
    }
    const isNewPayee = !payees.has(payee) && !knownBefore(payee);
    const asked = { now, serviceId, payee, amount: Number(row.amount), isNewPayee };
    const begun = begunBy(agent, tripsOf({ ...memory, asked, dailyBudget }), now);
    if (row.reservedAt === null) return begun;
    notePayment(memory, asked);
    payees.add(payee);
    if (purchase !== null && purchase.delivery !== 'open')
      noteDelivery(service, purchase.delivery === 'delivered', asked.amount);
    return begun;
  };
};

const begunBy = (agent: ReturnType<typeof newAgentMemory>, trips: readonly Trip[], now: number): Trip[] => {
  const begun = burstsBegun(agent, trips, now);
  noteBursts(agent, begun, now);
  return begun;
};
