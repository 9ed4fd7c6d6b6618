// Refunds of charges whose pictures were not made: paid back once, from the treasury to the agent's wallet.
import { AppError } from '../../errors.ts';
import type { EngineContext } from '../calls/call.ts';
import { iso } from '../calls/views.ts';
import { olderUntil } from '../domain/reconciliation-mark.ts';
import { isOpen, isVoid } from '../domain/states.ts';
import { openIntent, ownAsker } from '../payment/decision/intent.ts';
import { available } from '../payment/decision/balance.ts';
import type { Intent, Task } from '../ports.ts';
import { tell } from './task-view.ts';

const tellOwnerAfterMs = 10 * 60_000;

/** Takes an owed refund as far as it goes now; the next look tries again. */
export const payBack = async (context: EngineContext, task: Task, warned: Set<string>): Promise<void> => {
  const { store, publish, keys, halted, funds, machine, settings } = context;
  const charge = store.transfers.get(task.chargeId);
  const agent = store.agents.get(task.agentId);
  if (charge === undefined || agent === undefined || isVoid(charge))
    return settle(context, task, 'void', null);
  if (charge.state !== 'final') return;
  const last = task.refundId === null ? undefined : store.transfers.get(task.refundId);
  if (last?.state === 'final') return settle(context, task, 'paid', last.id);
  if (last !== undefined && isOpen(last)) return;
  // A rolled-back copy does not know whether it was refunded since.
  if (charge.createdAt <= olderUntil(store)) return settle(context, task, 'void', null);
  // An archived agent's money went back to the treasury, where the charge already is.
  if (agent.archivedAt !== null) return settle(context, task, 'void', null);
  if (keys.locked() || halted.reason !== null) return;
  const intent = refundOf(settings.owner, agent.wallet, task);
  const facts = await funds.prepare(intent);
  const opened = store.atomically(() => {
    if (available(context, settings.owner) < intent.amount) return null;
    const { row } = openIntent(context, intent, ownAsker, facts);
    const linked = store.tasks.refund(task.id, task, { refund: 'owed', refundId: row.id });
    // Rolls the transfer back with it.
    if (linked === null) throw new AppError('conflict', 'Another refund of this task is under way.');
    return { row, linked };
  });
  if (opened === null) return tellOwner(context, task, warned);
  tell(context, opened.linked);
  publish({ type: 'transfer', transfer: opened.row });
  void machine.advance(opened.row.id);
};

const settle = (
  context: EngineContext,
  task: Task,
  refund: 'paid' | 'void',
  refundId: string | null,
): void => {
  const { store } = context;
  const settled = store.atomically(() => store.tasks.refund(task.id, task, { refund, refundId }));
  if (settled !== null) tell(context, settled);
};

const tellOwner = (
  { time, publish }: EngineContext,
  { id, agentId, endedAt }: Task,
  warned: Set<string>,
): void => {
  if (warned.has(id) || time.now() - (endedAt ?? 0) < tellOwnerAfterMs) return;
  warned.add(id);
  const message = `A refund to ${agentId} waits for USDC in the treasury (task ${id}, since ${iso(endedAt ?? 0)}).`;
  publish({ type: 'warning', code: 'refund_waits', message });
};

/** The refund of this task; it names the charge as its invoice. */
const refundOf = (owner: string, wallet: string, task: Task): Intent => ({
  kind: 'refund',
  agentId: task.agentId,
  walletIndex: 0,
  wallet: owner,
  payee: wallet,
  asset: 'USDC',
  amount: task.cost,
  serviceId: task.modelId,
  serviceName: `Refund of ${task.modelName}`,
  description: task.id,
  invoice: task.chargeId,
});
