// How the domain looks from outside: the contract's replies, made from rows.
import type { Reply } from '../contract/schemas.ts';
import { formatSol, formatUsdc, lamports, usdc } from '../money.ts';
import type {
  Agent,
  AgentKey,
  Approval,
  Deposit,
  EngineEvent,
  PolicyInForce,
  Service,
  StandingGrant,
  Transfer,
} from './ports.ts';

export const iso = (time: number): string => new Date(time).toISOString();
export const isoOrNull = (time: number | null): string | null => (time === null ? null : iso(time));

export type PaymentStatus = Reply<'getPayment'>['status'];

/** The API's word for each state: `confirmed` is seen or final, `unknown` is itself. */
export const statusOf = ({ state }: Pick<Transfer, 'state'>): PaymentStatus => {
  switch (state) {
    case 'reserved':
    case 'signed':
    case 'sent':
      return 'pending';
    case 'seen':
    case 'final':
      return 'confirmed';
    case 'failed':
    case 'dead':
    case 'cancelled':
      return 'failed';
    case 'awaiting_approval':
    case 'denied':
    case 'unknown':
      return state;
  }
};

export const amountOf = ({ asset, amount }: Pick<Transfer, 'asset' | 'amount'>): string =>
  asset === 'SOL' ? formatSol(lamports(amount)) : formatUsdc(usdc(amount));

export const agentView = (agent: Agent): Reply<'deploy'>['agent'] => ({
  agentId: agent.agentId,
  walletAddress: agent.wallet,
  createdAt: iso(agent.createdAt),
  displayName: agent.displayName,
  status: agent.status,
});

export const policyView = (policy: PolicyInForce): Reply<'getPolicy'>['policy'] => ({
  dailyBudget: formatUsdc(policy.dailyBudget),
  maxPerPayment: formatUsdc(policy.maxPerPayment),
  cooldownSeconds: policy.cooldownSeconds,
  allowedServices: [...policy.allowedServices],
  approveAbove: policy.approveAbove === null ? null : formatUsdc(policy.approveAbove),
  newPayees: policy.newPayees,
  approvalMinutes: policy.approvalMinutes,
});

export const historyView = (transfer: Transfer): Reply<'spendHistory'>['payments'][number] => ({
  id: transfer.id,
  service: transfer.serviceName,
  amount: amountOf(transfer),
  currency: transfer.asset,
  status: statusOf(transfer),
  timestamp: iso(transfer.createdAt),
  txSignature: transfer.signed?.signature ?? null,
  agentId: transfer.agentId,
  serviceId: transfer.serviceId,
  cursor: transfer.seq,
});

export const paymentView = (transfer: Transfer, receipt: string | null): Reply<'getPayment'> => ({
  paymentId: transfer.id,
  txSignature: transfer.signed?.signature ?? null,
  amount: amountOf(transfer),
  currency: transfer.asset,
  status: statusOf(transfer),
  timestamp: iso(transfer.createdAt),
  xPaymentHeader: receipt,
  service: transfer.serviceId,
  agentId: transfer.agentId,
  description: transfer.description,
  failure:
    transfer.refusal === null ? null : { ...transfer.refusal, details: { ...transfer.refusal.details } },
});

export const transferView = (transfer: Transfer, balance: string): Reply<'allocate'> => ({
  transferId: transfer.id,
  agentId: transfer.agentId,
  amount: amountOf(transfer),
  currency: transfer.asset,
  txSignature: transfer.signed?.signature ?? null,
  status: statusOf(transfer),
  timestamp: iso(transfer.createdAt),
  balance,
});

export const approvalView = (approval: Approval): Reply<'getApproval'> => ({
  approvalId: approval.id,
  kind: approval.kind,
  agentId: approval.agentId,
  status: approval.status,
  shown: { ...approval.shown },
  hash: approval.hash,
  createdAt: iso(approval.createdAt),
  expiresAt: iso(approval.expiresAt),
  decidedAt: isoOrNull(approval.decidedAt),
  result: approval.result === null ? null : { ...approval.result },
});

export const grantView = (grant: StandingGrant): Reply<'listGrants'>['grants'][number] => ({
  grantId: grant.id,
  agentId: grant.agentId,
  serviceId: grant.serviceId,
  upTo: formatUsdc(grant.upTo),
  used: formatUsdc(grant.used),
  until: iso(grant.until),
  revokedAt: isoOrNull(grant.revokedAt),
});

export const keyView = (key: AgentKey): Reply<'listKeys'>['keys'][number] => ({
  keyId: key.id,
  label: key.label,
  createdAt: iso(key.createdAt),
  expiresAt: isoOrNull(key.expiresAt),
  revokedAt: isoOrNull(key.revokedAt),
});

export const serviceView = (service: Service): Reply<'searchServices'>['results'][number] => ({
  id: service.id,
  name: service.name,
  description: service.description,
  category: service.category,
  pricing: { ...service.pricing },
  price: service.price,
  endpoint: service.endpoint,
  source: service.source,
});

export const depositView = (deposit: Deposit): Reply<'faucet'> => ({
  id: deposit.id,
  txSignature: deposit.txSignature,
  from: deposit.from,
  amount: formatUsdc(deposit.amount),
  currency: 'USDC',
  status: deposit.status,
  timestamp: iso(deposit.at),
  cursor: deposit.seq,
});

/** An event as the owner's clients get it. */
export const eventView = (event: EngineEvent): Record<string, unknown> => {
  switch (event.type) {
    case 'transfer':
      return { ...paymentView(event.transfer, null), kind: event.transfer.kind, state: event.transfer.state };
    case 'approval':
      return approvalView(event.approval);
    case 'deposit':
      return depositView(event.deposit);
    case 'agent':
    case 'balance':
    case 'freeze':
    case 'halted':
    case 'warning': {
      const { type: _, ...rest } = event;
      return rest;
    }
  }
};
