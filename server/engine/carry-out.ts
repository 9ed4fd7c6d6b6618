// From a request to the row that answers it: found by its key or opened now, taken forward, and waited for.
import { invariant } from '../errors.ts';
import { usdc } from '../money.ts';
import { announceApproval } from './approval.ts';
import type { EngineContext } from './api.ts';
import { refuseWhenStopped } from './context.ts';
import { openIntent, recall, type Asker } from './intent.ts';
import type { Intent } from './judge.ts';
import type { Transfer, TransferState } from './ports.ts';
import { statusOf } from './views.ts';

const usualWaitMs = 30_000;

/**
 * Returns the row as it is when it has settled, needs the owner's word, or the wait is over.
 * @param intentOf is asked only when the key is new
 * @param waitMs null: 30 s for the chain, and not at all for the owner
 * @param alongside what is written in the transaction that opens the row
 * @throws what `openIntent` and `Funds.prepare` throw; then nothing is stored
 */
export const carryOut = async (
  context: EngineContext,
  asker: Asker,
  intentOf: () => Intent,
  waitMs: number | null,
  alongside: (opened: Transfer) => void = () => {},
): Promise<Transfer> => {
  const { store, machine, funds, outcomes, turns, publish } = context;
  const knownId = recall(context, asker.idempotency)?.transferId;
  let opened = knownId == null ? undefined : store.transfers.get(knownId);
  if (opened === undefined) {
    const intent = intentOf();
    // T1 looks again: this spares the queue to whoever would be refused behind it.
    refuseWhenStopped(context, intent);
    const facts = await funds.prepare(intent);
    await turns.next();
    const grouped = store.grouped(() => {
      const row = openIntent(context, intent, asker, facts);
      alongside(row);
      return row;
    });
    opened = grouped.result;
    if (opened.state === 'reserved') void machine.advance(opened.id);
    await grouped.durable;
    if (opened.approvalId === null) publish({ type: 'transfer', transfer: opened });
    else announceApproval(context, opened.approvalId);
    warnNearBudget(context, opened);
  }
  const { id } = opened;
  const state = (): TransferState => {
    const now = store.transfers.state(id);
    invariant(now !== undefined, 'a transfer is never deleted');
    return now;
  };
  const decided = (): boolean => state() !== 'awaiting_approval';
  if (!decided()) await outcomes.wait(id, decided, waitMs ?? 0, asker.keyId);
  const settled = (): boolean => !['pending', 'unknown'].includes(statusOf({ state: state() }));
  await outcomes.wait(id, settled, waitMs ?? usualWaitMs, asker.keyId);
  // Nobody is told what a power cut could still take back.
  await store.settled();
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
