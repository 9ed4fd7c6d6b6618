// Carries out the owner's approval of a payment or of an allocation, wherever the owner's word came from.
import { invariant } from '../../errors.ts';
import { parseUsdc } from '../../money.ts';
import { agentNamed, type EngineContext } from '../calls/call.ts';
import { allocationOf } from '../payment/owner/allocation.ts';
import {
  decideApproval,
  grantableApproval,
  grantPayment,
  type GrantTerms,
} from '../payment/owner/approval.ts';
import { openIntent, ownAsker } from '../payment/decision/intent.ts';
import type { Approval, Transfer } from '../ports.ts';

interface Granting extends GrantTerms {
  /** Runs in the grant's transaction, before it. What it throws undoes everything. */
  before?: () => void;
  /** Runs in the grant's transaction, after it. */
  after?: (transfer: Transfer) => void;
}

export const movesMoney = ({ kind }: Pick<Approval, 'kind'>): boolean =>
  kind === 'payment' || kind === 'allocate';

/** Grants it in one transaction, and lets the transfer go on. @throws as `grantableApproval` and `grantPayment` do */
export const grantMoney = async (
  context: EngineContext,
  approval: Approval,
  { before, after, ...terms }: Granting,
): Promise<Transfer> => {
  const { store, machine } = context;
  const grant = await (approval.kind === 'payment'
    ? preparePayment(context, approval, terms)
    : prepareAllocation(context, approval));
  const transfer = store.atomically(() => {
    const pending = grantableApproval(context, approval.id, approval.hash);
    before?.();
    const moved = grant(pending);
    after?.(moved);
    return moved;
  });
  if (transfer.state === 'reserved') void machine.advance(transfer.id);
  return transfer;
};

/** Grants it in the caller's transaction, with facts of the chain that were read before. */
type Grant = (pending: Approval) => Transfer;

const preparePayment = async (
  context: EngineContext,
  { transferId }: Approval,
  terms: GrantTerms,
): Promise<Grant> => {
  const held = transferId === null ? undefined : context.store.transfers.get(transferId);
  invariant(held !== undefined, 'an approved payment has its row');
  const facts = await context.funds.prepare(held);
  return (pending) => grantPayment(context, pending, facts, terms);
};

const prepareAllocation = async (context: EngineContext, { agentId, shown }: Approval): Promise<Grant> => {
  const amount = parseUsdc(String(shown['amount']));
  invariant(amount !== null, 'an approved allocation has an amount');
  const reason = typeof shown['reason'] === 'string' ? shown['reason'] : null;
  const intent = allocationOf(context, agentNamed(context.store, agentId), amount, { reason });
  const facts = await context.funds.prepare(intent);
  return (pending) => {
    const { row } = openIntent(context, intent, ownAsker, facts);
    decideApproval(context, pending, row.state === 'denied' ? 'denied' : 'granted', { transferId: row.id });
    return row;
  };
};
