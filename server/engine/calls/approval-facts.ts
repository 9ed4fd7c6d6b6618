// Facts that help the owner to decide a request, beside those that the approval is bound to: today's facts, which may change while it
// waits. An agent is shown none of them: they tell of other agents and of the treasury.
import type { Reply } from '../../contract/schemas.ts';
import { addUsdc, atLeastZero, formatUsdc, parseUsdc, usdc, type Usdc } from '../../money.ts';
import { paidStates } from '../domain/states.ts';
import type { Approval } from '../ports.ts';
import { iso } from './views.ts';
import type { EngineContext } from './call.ts';

export type ApprovalFacts = NonNullable<Reply<'getApproval'>['facts']>;

/** So many payments say what a service usually costs. */
const usualOf = 20;
/** It looks no further back: refusals may lie between payments by the thousand. */
const newestRows = 10_000;
/** A second request for the same thing within this time may be one too many. */
const sameWithinMs = 3_600_000;
/** It is looked for among so many. */
const newest = 100;

/** Amounts are decimal USDC, times ISO 8601. */
export const approvalFacts = (context: EngineContext, approval: Approval): ApprovalFacts => {
  const { store } = context;
  const { kind, transferId, agentId, shown } = approval;
  const held = transferId === null ? undefined : store.transfers.get(transferId);
  const serviceId = held?.serviceId ?? null;
  const above = shown['because'] === 'approve_above' ? store.policies.get(agentId).approveAbove : null;
  return {
    askAbove: above === null ? null : formatUsdc(above),
    listed: (serviceId === null ? null : store.services.get(serviceId)?.price) ?? null,
    usual: serviceId === null ? null : usualAt(context, serviceId),
    same: sameRequests(context, approval),
    balances: kind === 'allocate' ? balancesAfter(context, approval) : null,
  };
};

/** The least and the most of its newest payments, by whichever agent. */
const usualAt = ({ store }: EngineContext, serviceId: string): ApprovalFacts['usual'] => {
  const paid = store.transfers
    .list({
      serviceId,
      kinds: ['payment'],
      states: paidStates,
      after: store.transfers.lastSeq() - newestRows,
      limit: usualOf,
    })
    .map(({ amount }) => usdc(amount))
    .toSorted((a, b) => Number(a - b));
  const [least, most] = [paid[0], paid.at(-1)];
  return least === undefined || most === undefined
    ? null
    : { least: formatUsdc(least), most: formatUsdc(most), payments: paid.length };
};

/** The fields of what is shown that no two requests share, or that the agent words anew each time. */
const incidental: ReadonlySet<string> = new Set([
  'approvalId',
  'paymentId',
  'expiresAt',
  'policyVersion',
  'reason',
  'description',
  'invoice',
  'payeeIsNew',
  'watch',
  'because',
]);

const subjectOf = ({ shown }: Approval): string =>
  JSON.stringify(Object.entries(shown).filter(([name]) => !incidental.has(name)));

const sameRequests = ({ store }: EngineContext, approval: Approval): ApprovalFacts['same'] => {
  const subject = subjectOf(approval);
  return store.approvals
    .list(newest)
    .filter(({ id, agentId }) => id !== approval.id && agentId === approval.agentId)
    .filter(({ createdAt }) => Math.abs(createdAt - approval.createdAt) <= sameWithinMs)
    .filter((one) => subjectOf(one) === subject)
    .map(({ id, status, createdAt }) => ({ approvalId: id, status, createdAt: iso(createdAt) }));
};

const balancesAfter = (
  { store, settings }: EngineContext,
  { agentId, shown }: Approval,
): ApprovalFacts['balances'] => {
  const amount = parseUsdc(String(shown['amount'])) ?? usdc(0n);
  const agent = store.agents.get(agentId);
  const heldBy = (wallet: string | undefined): Usdc =>
    (wallet === undefined ? undefined : store.wallets.get(wallet)?.balance) ?? usdc(0n);
  const [treasury, own] = [heldBy(settings.owner), heldBy(agent?.wallet)];
  return {
    agent: { before: formatUsdc(own), after: formatUsdc(addUsdc(own, amount)) },
    treasury: {
      before: formatUsdc(treasury),
      after: formatUsdc(usdc(atLeastZero(treasury - amount))),
    },
  };
};
