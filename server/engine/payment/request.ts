// From a request to the row that answers it: found by its key or opened now, taken forward, and waited for.
import { invariant } from '../../errors.ts';
import { usdc } from '../../money.ts';
import { announceApproval } from './approval.ts';
import type { EngineContext } from '../api/api.ts';
import { refuseWhenDiskLow, refuseWhenStopped } from './context.ts';
import { answering, answeringNow, noteWish, refuseWhenGone } from './continuation.ts';
import { openIntent, type Asker } from './intent.ts';
import type { Intent } from './judge.ts';
import type { Transfer, TransferState } from '../ports.ts';
import { statusOf } from '../api/views.ts';

export const usualWaitMs = 30_000;

/**
 * The row that answers a request: found by its key, or opened and on its way.
 * @param intentOf is asked only when the key is new
 * @param alongside what is written in the transaction that opens the row
 * @throws what `openIntent` and `Funds.prepare` throw; then nothing is stored
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
  // T1 looks again: this spares the queue to whoever would be refused behind it.
  refuseWhenStopped(context, intent);
  refuseWhenDiskLow(context, intent);
  const facts = await funds.prepare(intent);
  await turns.next(intent.agentId ?? '');
  refuseWhenGone(asker);
  const { result, durable } = store.grouped(() => {
    const earlier = answering(context, asker);
    if (earlier !== undefined) return { row: earlier, isNew: false };
    const one = openIntent(context, intent, asker, facts);
    if (one.isNew) noteWish(context, asker, one.row);
    alongside(one.row);
    return one;
  });
  const opened = result.row;
  if (opened.state === 'reserved') void machine.advance(opened.id);
  await durable;
  if (!result.isNew) return opened;
  if (opened.approvalId === null) publish({ type: 'transfer', transfer: opened });
  else announceApproval(context, opened.approvalId);
  warnNearBudget(context, opened);
  return opened;
};

/** Waits for the owner's word, if the row needs it, as long as the caller wishes. */
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
 * From a request to its row as it is when it has settled, needs the owner's word, or the wait is over.
 * @param waitMs null: 30 s for the chain, and not at all for the owner
 * @throws what `openTransfer` throws
 */
export const carryOut = async (
  context: EngineContext,
  asker: Asker,
  intentOf: () => Intent,
  waitMs: number | null,
  alongside?: (opened: Transfer) => void,
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

/** Tells the owner once, with the payment that takes what is spent past 80 % of the agent's budget. */
const warnNearBudget = (
  { store, time, publish }: EngineContext,
  { agentId, kind, reservedAt, amount }: Transfer,
): void => {
  if (agentId === null || reservedAt === null || (kind !== 'payment' && kind !== 'charge')) return;
  const { dailyBudget } = store.policies.get(agentId);
  const { open, final } = store.spend.at(agentId, time.now());
  const spent = usdc(open + final);
  const isPast = (sum: bigint): boolean => sum * 5n > dailyBudget * 4n;
  if (isPast(spent) && !isPast(spent - amount)) publish({ type: 'budget', agentId, spent, dailyBudget });
};
