// What a path names: found for this caller, or the 404 that says that it is not there. HTTP asks before it reads a
// body, so that a wrong path is told before a wrong body.
import { AppError } from '../../errors.ts';
import { agentNamed, type EngineContext } from '../api.ts';
import type { AgentKey, Approval, Caller, StandingGrant, Transfer } from '../ports.ts';

type Has<T extends keyof EngineContext> = Pick<EngineContext, T>;

export const keyNamed = ({ store }: Has<'store'>, agentId: string, keyId: string): AgentKey => {
  const key = store.keys.list(agentId).find(({ id }) => id === keyId);
  if (key === undefined) throw new AppError('not_found', `There is no key ${keyId} of this agent.`);
  return key;
};

export const paymentNamed = ({ store }: Has<'store'>, agentId: string, paymentId: string): Transfer => {
  const transfer = store.transfers.get(paymentId);
  if (transfer === undefined || transfer.agentId !== agentId) {
    throw new AppError('not_found', `There is no payment ${paymentId} of this agent.`);
  }
  return transfer;
};

/** The owner sees every approval, an agent what it asked for itself. */
export const approvalNamed = ({ store }: Has<'store'>, caller: Caller, approvalId: string): Approval => {
  const approval = store.approvals.get(approvalId);
  const own = caller.role === 'owner' || (caller.role === 'agent' && approval?.agentId === caller.agentId);
  if (approval === undefined || !own) throw new AppError('not_found', `There is no approval ${approvalId}.`);
  return approval;
};

export const grantNamed = ({ store }: Has<'store'>, grantId: string): StandingGrant => {
  const grant = store.grants.list().find(({ id }) => id === grantId);
  if (grant === undefined) throw new AppError('not_found', `There is no standing grant ${grantId}.`);
  return grant;
};

export type CheckPath = (caller: Caller, params: Readonly<Record<string, unknown>>) => void;

/** @throws AppError `not_found` */
export const createPathCheck =
  (context: Has<'store'>): CheckPath =>
  (caller, { agentId, keyId, paymentId, approvalId, grantId }) => {
    if (typeof agentId === 'string') {
      agentNamed(context.store, agentId);
      if (typeof keyId === 'string') keyNamed(context, agentId, keyId);
      if (typeof paymentId === 'string') paymentNamed(context, agentId, paymentId);
    }
    if (typeof approvalId === 'string') approvalNamed(context, caller, approvalId);
    if (typeof grantId === 'string') grantNamed(context, grantId);
  };
