// A generation task as the API shows it.
import type { Reply } from '../../contract/schemas.ts';
import { formatUsdc } from '../../money.ts';
import type { Context } from '../payment/context.ts';
import type { Task } from '../ports.ts';
import { iso, isoOrNull } from '../calls/views.ts';

type TaskReply = Reply<'getTask'>;

/** Publishes a task's change, after its commit. */
export const tell = (context: Pick<Context, 'store' | 'settings' | 'publish'>, task: Task): void =>
  context.publish({ type: 'task', task: taskView(context, task) });

/** @param url the origin at which its reader reaches this host; default: the local one */
export const taskView = (
  context: Pick<Context, 'store' | 'settings'>,
  task: Task,
  url = context.settings.ownOrigins()[0] ?? '',
): TaskReply => {
  const charge = context.store.transfers.get(task.chargeId);
  const { image, failure, agentId, id: taskId } = task;
  const refund = refundView(context, task);
  const { owner } = context.settings;
  return {
    taskId,
    status: task.state,
    agentId,
    modelId: task.modelId,
    model: task.modelName,
    prompt: task.prompt,
    resolution: task.resolution,
    estimatedCost: formatUsdc(task.cost),
    createdAt: iso(task.createdAt),
    startedAt: isoOrNull(task.startedAt),
    endedAt: isoOrNull(task.endedAt),
    paymentId: task.chargeId,
    ...(charge?.state === 'awaiting_approval' && charge.approvalId !== null
      ? { approvalId: charge.approvalId }
      : {}),
    ...(image === null
      ? {}
      : {
          resultUrl: `${url}/v1/agents/${encodeURIComponent(agentId)}/tasks/${taskId}/image?owner=${owner}`,
          cost: formatUsdc(task.cost),
          currency: 'USDC' as const,
          image,
        }),
    ...(failure === null ? {} : { failure }),
    ...(refund === null ? {} : { refund }),
  };
};

const refundView = (
  { store }: Pick<Context, 'store'>,
  { refund, refundId, cost }: Task,
): NonNullable<TaskReply['refund']> | null => {
  if (refund === null || refund === 'void') return null;
  const row = refundId === null ? undefined : store.transfers.get(refundId);
  return {
    status: refund === 'paid' ? 'paid' : row === undefined ? 'owed' : 'pending',
    amount: formatUsdc(cost),
    txSignature: row?.signed?.signature ?? null,
  };
};
