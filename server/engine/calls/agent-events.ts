// Events as one agent gets them: of its own alone, and of its policy and its stops only what has changed.
import { isDeepStrictEqual } from 'node:util';
import type { AgentEvent } from '../../contract/agents/agent-events.schemas.ts';
import { statusOf } from '../domain/states.ts';
import { amountOf } from '../domain/transfer.ts';
import { frozenBy } from '../payment/context.ts';
import type { EngineEvent, Transfer } from '../ports.ts';
import type { EngineContext } from './call.ts';
import { approvalView, iso, policyView } from './views.ts';

/** Null: nothing to tell, but the agent itself has changed, and perhaps its keys. */
type Shown = readonly AgentEvent[] | null;

/** Returns a function for one listener, which turns each event into those of this agent. */
export const agentEventsOf = (context: EngineContext, agentId: string): ((event: EngineEvent) => Shown) => {
  const policy = whenChanged(() => policyOf(context, agentId));
  const stop = whenChanged(() => stopOf(context, agentId));
  return (event) => {
    switch (event.type) {
      case 'transfer':
        return isPaymentOf(event.transfer, agentId) ? [paymentOf(event.transfer)] : [];
      case 'task': {
        const { taskId, status, paymentId } = event.task;
        return event.task.agentId === agentId ? [{ type: 'task', data: { taskId, status, paymentId } }] : [];
      }
      case 'approval': {
        if (event.approval.agentId !== agentId) return [];
        const { approvalId, kind, status, expiresAt, decidedAt } = approvalView(event.approval);
        return [{ type: 'approval', data: { approvalId, kind, status, expiresAt, decidedAt } }];
      }
      case 'agent': {
        if (event.agentId !== agentId) return [];
        const shown = [...policy(), ...stop()];
        return shown.length === 0 ? null : shown;
      }
      case 'freeze':
      case 'lock':
      case 'halted':
        return stop();
      default:
        return [];
    }
  };
};

const isPaymentOf = ({ agentId, kind }: Transfer, own: string): boolean =>
  agentId === own && (kind === 'payment' || kind === 'charge');

const paymentOf = (transfer: Transfer): AgentEvent => ({
  type: 'payment',
  data: {
    paymentId: transfer.id,
    status: statusOf(transfer),
    service: transfer.serviceName,
    serviceId: transfer.serviceId,
    amount: amountOf(transfer),
    currency: transfer.asset,
    timestamp: iso(transfer.createdAt),
    delivery: transfer.purchase?.carrier === 'treasury' ? transfer.purchase.delivery : null,
  },
});

const policyOf = ({ store }: EngineContext, agentId: string): AgentEvent => ({
  type: 'policy',
  data: { agentId, policy: policyView(store.policies.get(agentId)) },
});

const stopOf = (context: EngineContext, agentId: string): AgentEvent => ({
  type: 'stop',
  data: {
    suspended: context.store.agents.get(agentId)?.status !== 'active',
    frozen: frozenBy(context) !== null,
    locked: context.keys.locked(),
    halted: context.halted.reason !== null,
  },
});

/** Tells it when it differs from the last time. */
const whenChanged = (read: () => AgentEvent): (() => AgentEvent[]) => {
  let last = read();
  return () => {
    const now = read();
    if (isDeepStrictEqual(now, last)) return [];
    last = now;
    return [now];
  };
};
