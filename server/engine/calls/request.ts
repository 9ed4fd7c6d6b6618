// Answers a request with a row: finds it by its idempotency key or opens it, takes it forward, and waits.
import { AppError, invariant } from '../../errors.ts';
import { announceApproval } from '../payment/owner/approval.ts';
import type { EngineContext } from './call.ts';
import { refuseWhenDiskLow, refuseWhenStopped } from '../payment/context.ts';
import { answering, answeringNow, noteWish, refuseWhenGone } from '../payment/machine/continuation.ts';
import { errorFrom } from '../payment/decision/refusals.ts';
import { openIntent, type Asker, type Opened } from '../payment/decision/intent.ts';
import type { Intent, Transfer, TransferState } from '../ports.ts';
import { statusOf } from '../domain/states.ts';
import { announceSeen, noteRefused } from '../payment/decision/watching.ts';

export const usualWaitMs = 30_000;

/**
 * Finds the row of the request's idempotency key, or opens a row and sets it on its way.
 * @param intentOf called only for a new idempotency key
 * @param alongside writes more in the transaction that opens the row
 * @throws the errors of `openIntent` and `Funds.prepare`; then nothing is stored. Also the refusal of a request that is only counted
 */
export const openTransfer = async (
  context: EngineContext,
  asker: Asker,
  intentOf: () => Intent,
  alongside: (opened: Transfer) => void = () => {},
): Promise<Transfer> => {
  const { store, machine, funds, turns, publish } = context;
  const known = await answeringNow(context, asker);
  if (known !== undefined) return known;
  const intent = intentOf();
  // Fail fast before queueing; T1 repeats the check.
  refuseWhenStopped(context, intent);
  refuseWhenDiskLow(context, intent);
  const facts = await funds.prepare(intent);
  await turns.next(intent.agentId ?? '');
  refuseWhenGone(asker);
  const decide = (): Opened => {
    const earlier = answering(context, asker);
    if (earlier !== undefined) return { row: earlier, isNew: false, seen: null, counted: null };
    const one = openIntent(context, intent, asker, facts);
    if (one.isNew) noteWish(context, asker, one.row);
    if (one.counted === null) alongside(one.row);
    return one;
  };
  const { result, durable } = countingTooMany(context, intent, asker, () => store.grouped(decide));
  const opened = result.row;
  if (opened.state === 'reserved') void machine.advance(opened.id);
  await durable;
  if (result.seen !== null) announceSeen(context, result.seen);
  if (result.counted !== null) throw errorFrom(result.counted, opened.id);
  if (!result.isNew) return opened;
  if (opened.approvalId === null) publish({ type: 'transfer', transfer: opened });
  else announceApproval(context, opened.approvalId);
  return opened;
};

/** Waits up to `waitMs` for the owner's decision, if the row needs one. */
export const awaitDecision = async (
  { store, outcomes }: Pick<EngineContext, 'store' | 'outcomes'>,
  id: string,
  { keyId }: Pick<Asker, 'keyId'>,
  waitMs: number | null,
): Promise<void> => {
  const decided = (): boolean => store.transfers.state(id) !== 'awaiting_approval';
  if (!decided()) await outcomes.wait(id, decided, waitMs ?? 0, keyId);
};

/**
 * Answers a request with its row once the row is settled, needs the owner's approval, or the wait is over.
 * @param waitMs null: 30 s for the chain, and not at all for the owner
 * @throws the errors of `openTransfer`
 */
export const carryOut = async (
  context: EngineContext,
  asker: Asker,
  intentOf: () => Intent,
  { waitMs, alongside }: { waitMs: number | null; alongside?: (opened: Transfer) => void },
): Promise<Transfer> => {
  const { store, outcomes } = context;
  const { id } = await openTransfer(context, asker, intentOf, alongside);
  await awaitDecision(context, id, asker, waitMs);
  const state = (): TransferState => {
    const now = store.transfers.state(id);
    invariant(now !== undefined, 'a transfer is never deleted');
    return now;
  };
  const settled = (): boolean => !['pending', 'unknown'].includes(statusOf({ state: state() }));
  await outcomes.wait(id, settled, waitMs ?? usualWaitMs, asker.keyId);
  const row = store.transfers.get(id);
  invariant(row !== undefined, 'a transfer is never deleted');
  return row;
};

/** A request that is turned away because too many wait already counts as refused for the watch. */
const countingTooMany = <T>(
  context: EngineContext,
  { agentId }: Intent,
  { keyId }: Asker,
  open: () => T,
): T => {
  try {
    return open();
  } catch (error) {
    const isTooMany = error instanceof AppError && error.code === 'too_many_requests';
    if (isTooMany && keyId !== null && agentId !== null) {
      const { store, time } = context;
      const refused = { agentId, keyId, transferId: null };
      const seen = store.atomically(() => noteRefused(context, refused, time.now()));
      if (seen !== null) announceSeen(context, seen);
    }
    throw error;
  }
};
