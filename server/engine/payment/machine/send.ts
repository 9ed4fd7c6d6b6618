// T3: the signed bytes leave, by us or through a facilitator, unless something was stopped.
import { AppError, invariant } from '../../../errors.ts';
import type { Transfer } from '../../ports.ts';
import { stopFor } from '../context.ts';
import { commitStep, current, neverSent, step, tell, watch, type Steps } from './steps.ts';
import { isViaFacilitator } from './tx-signature.ts';

/** T3. `sent` is recorded after the RPC answers, off the critical path, so a `signed` row may have been sent. */
export const send = async (steps: Steps, row: Transfer): Promise<void> => {
  const { store, chain, time, log } = steps;
  invariant(row.signed !== null, 'only signed bytes are sent');
  const stop = stopFor(steps, row);
  if (stop !== null) {
    // Never sent, even once the stop is lifted: only `signed` and `sent` rows are.
    if (!isOnlyUnread(stop)) commitStep(steps, row, 'unknown', neverSent);
    return;
  }
  if (isViaFacilitator(row)) return;
  // No stop can come between the check above and the bytes leaving: both are in one turn of the event loop.
  watch(steps, row.id, row.signed.signature);
  try {
    await chain.broadcast(row.signed.wire);
  } catch (error) {
    // An RPC error is only a hint: the bytes may still land.
    log.warn(
      { err: error, transfer: row.id },
      'the RPC did not take a transaction; it is watched all the same',
    );
  }
  const now = current(steps, row.id);
  if (now.state !== 'signed') return;
  tell(
    steps,
    store.lazily(() => step(steps, now, 'sent', { sentAt: time.now() })),
  );
};

/** See `Machine.submitViaFacilitator`. */
export const submitViaFacilitator = (steps: Steps, id: string): void => {
  const { store, time } = steps;
  const row = current(steps, id);
  invariant(isViaFacilitator(row) && row.signed !== null, 'a facilitator submits only signed transactions');
  invariant(!steps.inHand.has(id), 'submitted bytes are on disk');
  const stop = stopFor(steps, row);
  if (stop !== null) {
    if (row.state === 'signed' && !isOnlyUnread(stop)) commitStep(steps, row, 'unknown', neverSent);
    throw stop;
  }
  if (row.state === 'signed') {
    // The commit is not awaited: after a crash, a row that is still `signed` may have been submitted.
    const sent = store.lazily(() => step(steps, row, 'sent', { sentAt: time.now() }));
    setImmediate(tell, steps, sent);
    return;
  }
  const shownBefore = row.state === 'sent' || row.state === 'seen' || row.state === 'final';
  if (!shownBefore)
    throw new AppError('payment_failed', 'This payment can no longer be shown to its seller.');
};

/** Nothing is known to be stopped: the row stays as it is until the words that may be a stop were read. */
const isOnlyUnread = ({ code }: AppError): boolean => code === 'chain_unreachable';

/** Sends the same bytes again, unless something is stopped. */
export const resend = (steps: Steps, row: Transfer): void => {
  const { chain, watched, log } = steps;
  if (isViaFacilitator(row)) return;
  if (row.signed === null || stopFor(steps, row) !== null) return;
  if (!watched.has(row.id)) watch(steps, row.id, row.signed.signature);
  chain.broadcast(row.signed.wire).catch((error: unknown) => {
    log.debug({ err: error, transfer: row.id }, 'rebroadcast not accepted');
  });
};
