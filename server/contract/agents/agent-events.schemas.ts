// The events sent to an agent: its own payments, pictures, approvals, policy and stops, and nothing of others.
import { z } from 'zod';
import { approvalReply } from '../approvals/approvals.schemas.ts';
import { historyEntry, paymentReply } from '../payments/payments.schemas.ts';
import { taskReply } from '../catalog/pictures.schemas.ts';
import { policyReply } from '../limits/policy.schemas.ts';

export const agentEvents = {
  payment: paymentReply
    .pick({ paymentId: true, status: true, amount: true, currency: true, timestamp: true, delivery: true })
    .extend(historyEntry.pick({ service: true, serviceId: true }).shape),
  task: taskReply.pick({ taskId: true, status: true, paymentId: true }),
  approval: approvalReply.pick({
    approvalId: true,
    kind: true,
    status: true,
    expiresAt: true,
    decidedAt: true,
  }),
  policy: z.object({ agentId: z.string(), policy: policyReply }),
  stop: z.object({
    suspended: z.boolean().describe('this agent is; all others here stop everything'),
    frozen: z.boolean(),
    locked: z.boolean(),
    halted: z.boolean(),
  }),
};

type Events = typeof agentEvents;
export type AgentEvent = { [T in keyof Events]: { type: T; data: z.output<Events[T]> } }[keyof Events];
