// A pending approval survives a change of the rules if it still fits them. Otherwise the transaction that changes the
// rules cancels it, with the reason for the owner and for the agent.
import { announceApproval, refusalAtGrant, refuseApproval } from './approval.ts';
import { pathAtGrant } from '../decision/charge-path.ts';
import type { Context } from '../context.ts';
import type { Decision } from '../decision/decide.ts';
import { judge } from '../decision/judge.ts';
import { payeeChangedSince } from '../decision/refusals.ts';
import { isRule } from '../../../errors.ts';
import type { Approval, ApprovalKind, Refusal, Transfer } from '../../ports.ts';

/**
 * Cancels the pending approvals, of one agent or of all, that the rules in force no longer allow. Run it inside the
 * transaction that changes the rules. Returns the canceled ones; announce them after the commit.
 */
export const takeAwayUnfit = (context: Context, agentId?: string): Approval[] =>
  context.store.approvals.pending(agentId).filter((approval) => {
    const why = unfitness[approval.kind](context, approval);
    if (why !== null) refuseApproval(context, approval, 'cancelled', why);
    return why !== null;
  });

/**
 * Changes the rules in one transaction with what they take away, and then announces that.
 * @param bound the agents that they bind, read after the change; by default all
 */
export const changeRules = <T>(
  context: Context,
  change: () => T,
  bound: () => readonly (string | undefined)[] = () => [undefined],
): T => {
  const { outcome, unfit } = context.store.atomically(() => ({
    outcome: change(),
    unfit: bound().flatMap((agentId) => takeAwayUnfit(context, agentId)),
  }));
  for (const { id } of unfit) announceApproval(context, id);
  return outcome;
};

type Unfitness = (context: Context, approval: Approval) => Refusal | null;

const always: Unfitness = () => null;

const unfitness: Record<ApprovalKind, Unfitness> = {
  payment: (context, approval) => {
    const transfer =
      approval.transferId === null ? undefined : context.store.transfers.get(approval.transferId);
    if (transfer === undefined) return null;
    const refusal = refusalAtGrant(decideGrant(context, transfer), approval);
    return refusal === payeeChangedSince || (refusal !== null && isRule(refusal.code)) ? refusal : null;
  },
  policy: ({ store }, { agentId, policyVersion }) =>
    store.policies.get(agentId).version === policyVersion ? null : policyMoved,
  allocate: always,
  deploy: always,
  resume: always,
  standing: always,
};

const decideGrant = (context: Context, transfer: Transfer): Decision => {
  const costs = {
    fee: context.chain.feeLamports(transfer),
    rent: transfer.rentLamports,
    treasuryLamports: 0n,
  };
  const path = pathAtGrant(context, transfer);
  return judge(context, transfer, costs, { now: context.time.now(), consent: 'approval', path }).decision;
};

/** For a request to change a policy: it shows a policy that is no longer in force. */
export const policyMoved: Refusal = {
  code: 'approval_cancelled',
  message: 'The policy has changed since this request was made, so the request is out of date. Ask again.',
  details: {},
};
