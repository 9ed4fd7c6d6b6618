// The watch of this treasury, on the traces: the same rules and the same memory as in production, kept in RAM.
import type { ServiceMemory } from '../../../server/engine/domain/watch.ts';
import {
  newAgentMemory,
  newServiceMemory,
  noteDelivery,
  notePayment,
  noteRefusal,
  type Asked as AskedPayment,
  type Memory,
} from '../../../server/engine/watch/memory.ts';
import { refusalTrip, tripsOf } from '../../../server/engine/watch/rules.ts';
import type { Asked, Watch } from './score.ts';
import type { Event } from './trace.ts';

const keyId = 'key';

interface Mind {
  agent: Memory['agent'];
  services: Map<string, ServiceMemory>;
  payees: Set<string>;
  /** Events of today that it has noted. */
  noted: number;
}

export const ruledWatch = (): Watch => {
  let mind: Mind = newMind();
  let of: readonly Event[] | null = null;
  return ({ before, today, dailyBudget }, asked) => {
    if (of !== today) {
      [of, mind] = [today, newMind()];
      for (const event of before) note(mind, event);
    }
    for (; mind.noted < today.length; mind.noted += 1) {
      const event = today[mind.noted];
      if (event !== undefined) note(mind, event);
    }
    const trip = asked.isRefused
      ? refusalAfter(mind, asked)
      : tripsOf({ ...memoryOf(mind, asked.service), asked: paymentOf(mind, asked), dailyBudget })[0];
    return trip === undefined || trip === null ? null : { rule: trip.rule, about: trip.about };
  };
};

const newMind = (): Mind => ({ agent: newAgentMemory(), services: new Map(), payees: new Set(), noted: 0 });

const memoryOf = ({ agent, services }: Mind, serviceId: string): Memory => {
  const service = services.get(serviceId) ?? newServiceMemory();
  services.set(serviceId, service);
  return { agent, service };
};

const paymentOf = (
  { payees }: Mind,
  { at, service, payee, amount }: Omit<Event, 'outcome'>,
): AskedPayment => ({
  now: at,
  serviceId: service,
  payee,
  amount: Number(amount),
  isNewPayee: !payees.has(payee),
});

const note = (mind: Mind, event: Event): void => {
  const { service, payee, at, outcome } = event;
  if (outcome === 'refused') {
    noteRefusal(mind.agent, keyId, at);
    return;
  }
  const memory = memoryOf(mind, service);
  notePayment(memory, paymentOf(mind, event));
  noteDelivery(memory.service, outcome === 'paid', Number(event.amount));
  mind.payees.add(payee);
};

/** The treasury notes a refusal in the transaction that refuses; here that comes with the next request. */
const refusalAfter = ({ agent }: Mind, { at }: Asked) => {
  const after = { ...agent, refused: structuredClone(agent.refused) };
  noteRefusal(after, keyId, at);
  return refusalTrip(after, keyId, at);
};
