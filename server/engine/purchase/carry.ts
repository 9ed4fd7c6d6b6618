// Takes a decided purchase to its seller: waits for the owner and the chain, takes a place, and shows the payment.
import { AppError } from '../../errors.ts';
import type { EngineContext } from '../calls/call.ts';
import { isPaid, statusOf } from '../domain/states.ts';
import { stopFor } from '../payment/context.ts';
import { current } from '../payment/machine/steps.ts';
import { isViaFacilitator } from '../payment/machine/tx-signature.ts';
import type { DeliveredAnswer, SellerRequest, Sellers, Transfer } from '../ports.ts';
import type { Leave, Wanted } from './ask-first.ts';
import type { Kept } from './kept.ts';
import type { Places } from './places.ts';
import type { Room, SetAside } from './room.ts';

/** The purchases that this process has in hand; all maps and sets are by payment. */
export interface Purchasing {
  context: EngineContext;
  sellers: Sellers;
  /** The requests that this process can carry to their sellers. */
  requests: Map<string, SellerRequest>;
  running: Map<string, Promise<void>>;
  /** Sellers' answers on their way to the disk. */
  answers: Map<string, DeliveredAnswer>;
  /** Those of them that their clients acknowledged before they were kept. */
  received: Set<string>;
  /** Payments that are being shown to their sellers now. */
  shown: Set<string>;
  /** Why a payment could not be shown, for the calls that wait for it. */
  hindered: Map<string, AppError>;
  /** Aborted at shutdown. */
  stopping: AbortController;
  room: Room;
  places: Places;
  kept: Kept;
  show(id: string, wanted: Wanted): Promise<void>;
}

const lookAgainMs = 60_000;
const confirmedWithinMs = 120_000;
/** The signal of a wait that no caller can end. */
export const never = new AbortController().signal;

const isStopped = ({ stopping }: Purchasing): boolean => stopping.signal.aborted;

/** @throws AppError `not_available` when the caller has gone */
export const takePlace = (
  { places, stopping }: Purchasing,
  { agent }: Wanted,
  gone: AbortSignal,
  isFirst = false,
): Promise<Leave> => places.take(agent.agentId, AbortSignal.any([gone, stopping.signal]), isFirst);

/**
 * Room for a paid answer. Take the place first: a wait for room ends when another with a place is done.
 * @throws AppError as `Room.take` does
 */
export const takeRoom = (
  { room, stopping }: Purchasing,
  { agent, limits }: Wanted,
  gone: AbortSignal,
): Promise<SetAside> => room.take(agent.agentId, limits.keptBytes, AbortSignal.any([gone, stopping.signal]));

const takeBoth = async (purchasing: Purchasing, wanted: Wanted): Promise<Leave> => {
  const leave = await takePlace(purchasing, wanted, never, true);
  try {
    const { giveBack } = await takeRoom(purchasing, wanted, never);
    return () => {
      giveBack();
      leave();
    };
  } catch (error) {
    leave();
    throw error;
  }
};

/** Sets a purchase on its way, unless it is settled or stopped. */
export const setOut = (purchasing: Purchasing, id: string, wanted: Wanted, leave: Leave | null): void => {
  const { context, running, requests } = purchasing;
  const row = current(context, id);
  if (!isSettled(context, row) && stopFor(context, row) === null) return carry(purchasing, id, wanted, leave);
  leave?.();
  if (!running.has(id)) requests.delete(id);
};

/** Takes a purchase as far as it goes, in one run at a time, whether or not a call waits for it. */
const carry = (purchasing: Purchasing, id: string, wanted: Wanted, leave: Leave | null): void => {
  const { context, requests, running, answers, shown, received, hindered, kept } = purchasing;
  if (running.has(id) || isStopped(purchasing)) return leave?.();
  requests.set(id, wanted.request);
  const end = deliver(purchasing, id, wanted, leave)
    .catch((error: unknown) => {
      if (error instanceof AppError) hindered.set(id, error);
      else context.log.error({ err: error, transfer: id }, 'a purchase could not be taken further');
    })
    .finally(() => {
      leave?.();
      if (received.has(id)) kept.acknowledge(id);
      for (const held of [running, requests, answers, shown, received]) held.delete(id);
      context.outcomes.changed(id);
      // The waiting calls have read it by then.
      setImmediate(() => hindered.delete(id));
    });
  running.set(id, end);
};

const deliver = async (
  purchasing: Purchasing,
  id: string,
  wanted: Wanted,
  place: Leave | null,
): Promise<void> => {
  const { store, machine, outcomes } = purchasing.context;
  const { shown, show } = purchasing;
  let leave = place;
  const isDecided = (): boolean => isStopped(purchasing) || store.transfers.state(id) !== 'awaiting_approval';
  // The owner may take long, and others need the place.
  if (!isDecided()) {
    leave?.();
    leave = null;
  }
  while (!isDecided()) await outcomes.wait(id, isDecided, lookAgainMs, null);
  void machine.advance(id);
  const isReady = (): boolean => {
    const now = current(purchasing.context, id);
    // Once the machine is no longer busy with it, the signed bytes are on disk.
    return isStopped(purchasing) || (canBeShown(now) && !machine.busy(id)) || isOver(now);
  };
  await outcomes.wait(id, isReady, confirmedWithinMs, null);
  if (!mayShow(purchasing, id)) return;
  leave ??= await takeBoth(purchasing, wanted).catch(asPaid);
  try {
    if (!mayShow(purchasing, id)) return;
    shown.add(id);
    outcomes.changed(id);
    await show(id, wanted);
  } finally {
    leave();
  }
};

const mayShow = (purchasing: Purchasing, id: string): boolean => {
  const { context } = purchasing;
  const row = current(context, id);
  return !isStopped(purchasing) && canBeShown(row) && !context.machine.busy(id) && !isSettled(context, row);
};

/** Showing it again would bring nothing more. */
const isSettled = ({ store }: Pick<EngineContext, 'store'>, row: Transfer): boolean =>
  isOver(row) ||
  row.purchase?.delivery === 'delivered' ||
  row.purchase?.evidence?.['code'] === 'answer_not_kept' ||
  store.answers.get(row.id) !== undefined;

/** Paid already, or signed for a facilitator and still valid. */
const canBeShown = (row: Transfer): boolean =>
  isPaid(row) || (isViaFacilitator(row) && (row.state === 'signed' || row.state === 'sent'));

const isOver = (row: Transfer): boolean => ['denied', 'failed', 'unknown'].includes(statusOf(row));

/** Rewords an error that keeps a payment from its seller: "nothing was paid" would be wrong, and cause a second one. */
const asPaid = (error: unknown): never => {
  if (!(error instanceof AppError)) throw error;
  const { code, details } = error;
  if (code === 'answers_full')
    throw new AppError(
      code,
      'This is paid already. Its answer was not requested, since the 64 MiB for this agent’s answers are full. Do not pay it again: acknowledge answers that you have received (POST /v1/agents/:agentId/payments/:paymentId/received) or lower maxBytes, then repeat the request with the same Idempotency-Key.',
      details,
    );
  throw new AppError(
    'halted',
    'The treasury is shutting down. When it runs again, repeat the request with the same Idempotency-Key; you are not charged twice.',
  );
};
