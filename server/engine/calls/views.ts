// Views of the domain: the contract's replies, made from rows.
import { policyInReply } from '../../contract/limits/policy-fields.ts';
import { shownEvidence } from './statements.ts';
import type { Reply } from '../../contract/schemas.ts';
import { detailsForAgent } from '../../contract/refusals/to-agent.ts';
import { txSignatureOf } from '../payment/machine/tx-signature.ts';
import { formatSol, formatUsdc, lamports } from '../../money.ts';
import type {
  Agent,
  AgentKey,
  Approval,
  Caller,
  Deposit,
  KeptAnswer,
  ListedService,
  Policy,
  Reputation,
  StandingGrant,
  Store,
  Transfer,
  TransferState,
} from '../ports.ts';
import { amountOf } from '../domain/transfer.ts';
import { allStates, isPaid, statusOf, type TransferStatus } from '../domain/states.ts';

export const iso = (time: number): string => new Date(time).toISOString();

export const isoOrNull = (time: number | null): string | null => (time === null ? null : iso(time));

/** The states that the API calls by this word. */
export const statesOf = (status: TransferStatus): TransferState[] =>
  allStates.filter((state) => statusOf({ state }) === status);

export const agentView = (agent: Agent): Reply<'deploy'>['agent'] => ({
  agentId: agent.agentId,
  walletAddress: agent.wallet,
  createdAt: iso(agent.createdAt),
  displayName: agent.displayName,
  status: agent.status,
});

export const marksView = ({ color, picture, tags }: Agent) => ({ color, picture, tags: [...tags] });

export const policyView: (policy: Policy) => Reply<'getPolicy'>['policy'] = policyInReply;

export const historyView = (transfer: Transfer): Reply<'spendHistory'>['payments'][number] => ({
  id: transfer.id,
  service: transfer.serviceName,
  amount: amountOf(transfer),
  currency: transfer.asset,
  status: statusOf(transfer),
  timestamp: iso(transfer.createdAt),
  txSignature: txSignatureOf(transfer),
  agentId: transfer.agentId,
  serviceId: transfer.serviceId,
  cursor: transfer.seq,
});

export const paymentView = (
  transfer: Transfer,
  caller: Caller,
  receipt: string | null,
  kept: KeptAnswer | undefined,
): Reply<'getPayment'> => ({
  paymentId: transfer.id,
  txSignature: txSignatureOf(transfer),
  amount: amountOf(transfer),
  currency: transfer.asset,
  status: statusOf(transfer),
  timestamp: iso(transfer.createdAt),
  xPaymentHeader: receipt,
  service: transfer.serviceId,
  agentId: transfer.agentId,
  description: transfer.description,
  reason: transfer.reason,
  failure: visibleTo(caller, failureOf(transfer)),
  delivery: transfer.purchase?.carrier === 'treasury' ? transfer.purchase.delivery : null,
  answer:
    kept === undefined
      ? null
      : { status: kept.status, contentType: kept.headers['content-type'] ?? null, bytes: kept.bytes },
});

/** @param counted the number of further refusals that this row counts */
export const activityView = (transfer: Transfer, counted = 0): Reply<'activity'>['entries'][number] => ({
  id: transfer.id,
  kind: transfer.kind,
  agentId: transfer.agentId,
  service: transfer.serviceName,
  serviceId: transfer.serviceId,
  amount: amountOf(transfer),
  currency: transfer.asset,
  status: statusOf(transfer),
  state: transfer.state,
  timestamp: iso(transfer.createdAt),
  payee: transfer.payee,
  description: transfer.description,
  txSignature: txSignatureOf(transfer),
  failure: failureOf(transfer),
  counted,
  note: noteOf(transfer),
  delivered: transfer.purchase?.delivery === 'delivered',
  cursor: transfer.seq,
});

export const transferDetailsView = (
  transfer: Transfer,
  receipt: string | null,
  { counted, approved }: Pick<Reply<'getTransfer'>, 'counted' | 'approved'>,
): Reply<'getTransfer'> => ({
  ...activityView(transfer, counted),
  wallet: transfer.wallet,
  source: transfer.source,
  reason: transfer.reason,
  invoice: transfer.invoice,
  approvalId: transfer.approvalId,
  approved,
  grantId: transfer.grantId,
  feeSol: formatSol(lamports(transfer.feeLamports)),
  rentSol: formatSol(lamports(transfer.rentLamports)),
  receipt,
  purchase: purchaseView(transfer),
  times: {
    asked: iso(transfer.createdAt),
    reserved: isoOrNull(transfer.reservedAt),
    signed: isoOrNull(transfer.signed?.at ?? null),
    sent: isoOrNull(transfer.sentAt),
    seen: isoOrNull(transfer.seenAt),
    block: isoOrNull(transfer.blockTime),
    ended: isoOrNull(transfer.endedAt),
  },
});

const purchaseView = (transfer: Transfer): Reply<'getTransfer'>['purchase'] => {
  const { purchase } = transfer;
  if (purchase === null) return null;
  const { dialect, carrier, method, url, requestHash, delivery, evidence } = purchase;
  const splits = purchase.splits.map(({ payee, amount }) => ({ payee, amount: formatUsdc(amount) }));
  const plain = { dialect, carrier, method, url, requestHash, splits, delivery };
  return { ...plain, ...shownEvidence(evidence, txSignatureOf(transfer)) };
};

const noteOf = (transfer: Transfer): string | null => {
  if (transfer.purchase?.delivery !== 'undelivered') return null;
  const said = String(transfer.purchase.evidence?.['error'] ?? '');
  return isPaid(transfer) ? `Paid, but not delivered. ${said}` : `Not delivered. ${said}`;
};

const failureOf = ({ refusal }: Transfer): Reply<'getPayment'>['failure'] =>
  refusal === null ? null : { ...refusal, details: { ...refusal.details } };

/** A refusal as its reader may know it. */
export const visibleTo = <F extends { details: Readonly<Record<string, unknown>> } | null>(
  { role }: Caller,
  failure: F,
): F =>
  failure === null || role === 'owner'
    ? failure
    : { ...failure, details: { ...detailsForAgent(failure.details) } };

export const transferView = (transfer: Transfer, balance: string): Reply<'allocate'> => ({
  transferId: transfer.id,
  agentId: transfer.agentId,
  amount: amountOf(transfer),
  currency: transfer.asset,
  txSignature: txSignatureOf(transfer),
  status: statusOf(transfer),
  timestamp: iso(transfer.createdAt),
  balance,
});

export const approvalView = (
  approval: Approval,
  whilePending: Pick<Reply<'getApproval'>, 'budget' | 'facts'> = { budget: null, facts: null },
): Reply<'getApproval'> => ({
  approvalId: approval.id,
  kind: approval.kind,
  agentId: approval.agentId,
  status: approval.status,
  shown: { ...approval.shown },
  hash: approval.hash,
  createdAt: iso(approval.createdAt),
  expiresAt: iso(approval.expiresAt),
  decidedAt: isoOrNull(approval.decidedAt),
  denyAt: isoOrNull(approval.denyAt),
  result: approval.result === null ? null : { ...approval.result },
  ...whilePending,
});

export const grantView = (grant: StandingGrant): Reply<'listGrants'>['grants'][number] => ({
  grantId: grant.id,
  agentId: grant.agentId,
  serviceId: grant.serviceId,
  upTo: formatUsdc(grant.upTo),
  used: formatUsdc(grant.used),
  until: iso(grant.until),
  payees: [...grant.payees],
  revokedAt: isoOrNull(grant.revokedAt),
  endedBecause: grant.endedBecause,
});

export const keyView = (key: AgentKey, lastSeenAt: number | null): Reply<'listKeys'>['keys'][number] => ({
  keyId: key.id,
  label: key.label,
  createdAt: iso(key.createdAt),
  expiresAt: isoOrNull(key.expiresAt),
  revokedAt: isoOrNull(key.revokedAt),
  lastSeenAt: isoOrNull(lastSeenAt),
});

export const serviceView = (service: ListedService): Reply<'searchServices'>['results'][number] => ({
  id: service.id,
  name: service.name,
  description: service.description,
  category: service.category,
  pricing: { ...service.pricing },
  price: service.price,
  endpoint: service.endpoint,
  origin: service.origin,
  source: service.source,
  payees: [...service.payees],
  addedByOwner: service.addedByOwner,
  ...(service.vanishedAt === undefined ? {} : { vanishedAt: iso(service.vanishedAt) }),
  ...(service.newPayees === undefined ? {} : { payeeChange: { payees: [...service.newPayees] } }),
  reputation: reputationView(service.reputation),
});

const reputationView = ({ calls, successes, medianLatencyMs, lastSeenAt }: Reputation) => ({
  calls,
  successRate: calls === 0 ? null : successes / calls,
  medianLatencyMs,
  lastSeenAt: isoOrNull(lastSeenAt),
});

export const depositView = (deposit: Deposit): Reply<'faucet'> => ({
  id: deposit.id,
  txSignature: deposit.txSignature,
  from: deposit.from,
  amount: amountOf(deposit),
  currency: deposit.asset,
  status: deposit.status,
  timestamp: iso(deposit.at),
  cursor: deposit.seq,
});

/** Names a group as it is called now, archived or not; empty for none. */
export const groupNames = ({ groups }: Pick<Store, 'groups'>): ((id: string | null) => string) => {
  const names = new Map(groups.list().map(({ id, name }) => [id, name]));
  return (id) => (id === null ? '' : (names.get(id) ?? id));
};
