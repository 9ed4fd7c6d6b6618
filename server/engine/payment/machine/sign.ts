// T2: everything that may have changed since the reservation is checked again, and the bytes are signed.
import { AppError } from '../../../errors.ts';
import type { Lifetime, Refusal, Transfer } from '../../ports.ts';
import { refuseRevoked, refuseWhenUnable, stopFor, type Context } from '../context.ts';
import { readCold } from '../decision/draws.ts';
import { judgeAgain } from '../decision/judge.ts';
import { refillRefusal } from '../decision/refill-facts.ts';
import {
  chainUnreachable,
  interrupted,
  noLongerCovered,
  notSigned,
  refusalFrom,
} from '../decision/refusals.ts';
import { cancel, current, step, tell, type Steps } from './steps.ts';
import { isViaFacilitator } from './tx-signature.ts';

/** T2. Signing happens inside the transaction, so that a freeze commits either before it or after it. */
export const sign = async (steps: Steps, row: Transfer): Promise<void> => {
  const { store, chain, log } = steps;
  let lifetime;
  try {
    // The owner may have revoked the allowance a moment ago.
    [lifetime] = await Promise.all([chain.lifetime(), row.source === null ? null : readCold(steps)]);
  } catch (error) {
    log.warn({ err: error, transfer: row.id }, 'no blockhash, or no reading of the cold wallet, can be had');
    cancel(steps, row.id, chainUnreachable);
    return;
  }
  try {
    const { result: after, durable } = store.grouped(() => signOrCancel(steps, row, lifetime));
    await durable;
    if (after.state === 'cancelled' || isViaFacilitator(after)) tell(steps, after);
  } catch (error) {
    if (error instanceof AppError && error.code === 'halted') throw error;
    // The transaction was rolled back, and any signature was lost with it.
    log.error({ err: error, transfer: row.id }, 'a transfer could not be signed');
    cancel(steps, row.id, notSigned);
  }
};

/** Requests are in memory alone: after a restart, one is unknown until its agent repeats it. */
export const canBeCarried = ({ carried }: Pick<Context, 'carried'>, row: Transfer): boolean =>
  !isViaFacilitator(row) || row.purchase?.carrier === 'agent' || carried.has(row.id);

const signOrCancel = (steps: Steps, row: Transfer, lifetime: Lifetime): Transfer => {
  const { time, keys, chain } = steps;
  const now = time.now();
  const refusal = refusalAtSigning(steps, current(steps, row.id), now);
  if (refusal !== null) return step(steps, row, 'cancelled', { refusal, endedAt: now });
  const signed = keys.sign(row.id, chain.build(row, lifetime));
  return step(steps, row, 'signed', { signed: { ...signed, lifetime, at: now } });
};

/** Checks everything that may have changed since T1. */
const refusalAtSigning = (context: Context, row: Transfer, now: number): Refusal | null => {
  try {
    refuseWhenUnable(context);
    refuseRevoked(context, row.keyId);
  } catch (error) {
    if (error instanceof AppError) return refusalFrom(error);
    throw error;
  }
  const stop = stopFor(context, row);
  if (stop !== null) return refusalFrom(stop);
  if (now - (row.reservedAt ?? 0) > context.settings.reservationMs) return interrupted;
  const refill = refillRefusal(context, row, now);
  if (refill !== null) return refill;
  const decision = judgeAgain(context, row, now);
  if (decision.kind === 'allow') return null;
  return decision.kind === 'deny' ? decision.refusal : noLongerCovered(decision.because);
};
