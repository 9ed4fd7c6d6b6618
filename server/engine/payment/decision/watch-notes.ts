// Keeps payments and their outcomes in mind for the watch, in the transactions that record them.
import { payeesOf } from '../../domain/purchase.ts';
import { isPaid } from '../../domain/states.ts';
import type { UsdcTransfer } from '../../domain/transfer.ts';
import {
  newAgentMemory,
  newServiceMemory,
  noteDelivery,
  notePayment,
  type Asked,
  type Memory,
} from '../../watch/memory.ts';
import type { Store, Transfer } from '../../ports.ts';

type Has = { store: Store };

export type WatchedPayment = Pick<UsdcTransfer, 'payee' | 'amount'> & {
  agentId: string;
  serviceId: string;
  purchase?: UsdcTransfer['purchase'];
};

/** Payments and charges, whose money leaves an agent's wallet for a service. */
export const isWatched = <R extends Pick<Transfer, 'kind' | 'agentId' | 'serviceId' | 'asset'>>(
  row: R,
): row is R & WatchedPayment =>
  (row.kind === 'payment' || row.kind === 'charge') &&
  row.asset === 'USDC' &&
  row.agentId !== null &&
  row.serviceId !== null;

export const askedOf = ({ payees }: Pick<Store, 'payees'>, payment: WatchedPayment, now: number): Asked => {
  const { agentId, serviceId, payee, amount } = payment;
  const isNew = (one: string): boolean => !payees.known(agentId, one);
  const [, ...others] = payeesOf(payment);
  return {
    now,
    serviceId,
    payee,
    amount: Number(amount),
    isNewPayee: isNew(payee),
    otherNewPayees: others.filter(isNew),
  };
};

/** Where an older version kept less, the rest begins empty. */
export const agentMemoryOf = ({ watch }: Pick<Store, 'watch'>, agentId: string): Memory['agent'] => ({
  ...newAgentMemory(),
  ...watch.agentMemory(agentId),
});

export const memoryOf = ({ watch }: Pick<Store, 'watch'>, agentId: string, serviceId: string): Memory => ({
  agent: agentMemoryOf({ watch }, agentId),
  service: watch.serviceMemory(agentId, serviceId) ?? newServiceMemory(),
});

/** An approved payment is kept in mind when the owner grants it. Call it in that transaction. */
export const noteGranted = ({ store }: Has, row: Transfer, now: number): void => {
  if (!isWatched(row)) return;
  const { agentId, serviceId } = row;
  const memory = memoryOf(store, agentId, serviceId);
  notePayment(memory, askedOf(store, row, now));
  store.watch.keepAgent(agentId, memory.agent, now);
  store.watch.keepService(agentId, serviceId, memory.service, now);
};

/** Call it when a purchase is both paid and answered, whichever comes last, in the transaction that records that. */
export const noteOutcome = ({ store }: Has, row: Transfer, now: number): void => {
  const { agentId, serviceId, purchase } = row;
  if (agentId === null || serviceId === null || purchase === null || !isPaid(row)) return;
  // The caller's own limits do not count against the seller.
  if (purchase.delivery === 'open' || purchase.evidence?.['code'] !== undefined) return;
  const service = store.watch.serviceMemory(agentId, serviceId);
  const isDelivered = purchase.delivery === 'delivered';
  if (service === undefined || (isDelivered && service.undelivered.count === 0)) return;
  noteDelivery(service, isDelivered, Number(row.amount));
  store.watch.keepService(agentId, serviceId, service, now);
};
