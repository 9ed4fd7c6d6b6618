// Opens approvals: writes exactly what the owner is shown, and binds the approval to its hash.
import { hash, randomBytes } from 'node:crypto';
import bs58 from 'bs58';
import { isDeepStrictEqual } from 'node:util';
import { AppError, invariant } from '../../../errors.ts';
import { shareOf } from '../../../lib/share-of.ts';
import { formatSol, formatUsdc, lamports, usdc } from '../../../money.ts';
import { leastMinutes } from '../../domain/phone.ts';
import { payeesOf } from '../../domain/purchase.ts';
import { amountOf } from '../../domain/transfer.ts';
import { addNotice } from '../../notices/add-notice.ts';
import { refuseRevoked, type Context } from '../context.ts';
import type { Hold } from '../decision/judge.ts';
import { areClaimed, isClaimed } from '../decision/pinned-payees.ts';
import type { Approval, ApprovalKind, Transfer } from '../../ports.ts';
import canonicalize from 'canonicalize';

const pendingPerAgent = 3;

const defaultMinutes = 15;

const hashOf = (shown: Approval['shown']): string => hash('sha256', canonicalize(shown) ?? '');

interface Asked {
  id: string;
  kind: ApprovalKind;
  agentId: string;
  keyId: string | null;
  transferId: string | null;
  policyVersion: number;
  minutes: number;
  details: Readonly<Record<string, unknown>>;
}

/**
 * Writes a pending approval; call it inside a transaction.
 * @throws AppError `too_many_requests` when three of this agent's are pending, `unauthorized` for a revoked API key
 */
const ask = (context: Context, asked: Asked): Approval => {
  const { store, time } = context;
  const { id, kind, agentId, keyId, transferId, policyVersion, minutes, details } = asked;
  refuseRevoked(context, keyId);
  refuseTooManyPending(context, agentId, keyId);
  const now = time.now();
  const byPhone = store.phones.wallets().length > 0;
  const expiresAt = now + (byPhone ? Math.max(minutes, leastMinutes) : minutes) * 60_000;
  const shown = {
    approvalId: id,
    kind,
    agentId,
    policyVersion,
    expiresAt: new Date(expiresAt).toISOString(),
    ...details,
  };
  const approval: Approval = {
    id,
    agentId,
    keyId,
    kind,
    shown,
    hash: hashOf(shown),
    policyVersion,
    transferId,
    status: 'pending',
    createdAt: now,
    expiresAt,
    decidedAt: null,
    denyAt: null,
    result: null,
  };
  store.approvals.insert(approval);
  if (byPhone) openToPhones(context, approval);
  addNotice(context, { kind: 'approval', approval }, Math.round((now + expiresAt) / 2));
  return approval;
};

/** Lets phones answer it: by a reference and a code that nobody can guess, and that the owner alone is shown. */
export const openToPhones = (
  { store }: Pick<Context, 'store'>,
  { id, hash: shownHash }: Pick<Approval, 'id' | 'hash'>,
): void =>
  store.phones.addRequest({
    approvalId: id,
    hash: shownHash,
    reference: bs58.encode(randomBytes(32)),
    code: randomBytes(16).toString('hex'),
  });

/**
 * @param keyId the API key that asks; null for the owner
 * @throws AppError `too_many_requests` when three approvals of this agent are pending, or one of this delegated key
 */
export const refuseTooManyPending = (
  { store }: Pick<Context, 'store'>,
  agentId: string,
  keyId: string | null,
): void => {
  const pending = store.approvals.pending(agentId);
  const isDelegated = keyId !== null && (store.keys.get(keyId)?.delegated ?? null) !== null;
  if (isDelegated && pending.some((one) => one.keyId === keyId))
    throw new AppError(
      'too_many_requests',
      'A request of this delegated key already waits for the owner. Wait until it is decided.',
    );
  if (pending.length < pendingPerAgent) return;
  throw new AppError(
    'too_many_requests',
    `${pendingPerAgent} requests of this agent already wait for the owner. Wait until one of them is decided.`,
  );
};

/** Opens the approval of a payment that its policy holds for the owner. Call it inside a transaction. */
export const openApproval = (
  context: Context,
  transfer: Transfer,
  { because, reasons, sentence }: Hold,
  keyId: string | null,
): void => {
  const { store } = context;
  invariant(
    transfer.agentId !== null && transfer.approvalId !== null,
    'a held payment names agent and approval',
  );
  const service = transfer.serviceId === null ? undefined : store.services.get(transfer.serviceId);
  const { agentId } = transfer;
  const payees = payeesOf(transfer);
  const isNew = (payee: string): boolean => !store.payees.known(agentId, payee);
  ask(context, {
    id: transfer.approvalId,
    kind: 'payment',
    agentId: transfer.agentId,
    keyId,
    transferId: transfer.id,
    policyVersion: transfer.policyVersion,
    minutes: store.policies.get(transfer.agentId).approvalMinutes,
    details: {
      because,
      paymentId: transfer.id,
      // The words of the agent, or of a key that it delegated.
      ...delegateShown(context, transfer.keyPath),
      service: transfer.serviceId,
      serviceName: transfer.serviceName,
      ...(areClaimed(transfer.purchase, service, payees) ? { saidByAgent: true } : {}),
      payee: transfer.payee,
      payeeIsNew: isNew(transfer.payee),
      ...splitsShown(transfer, isNew),
      // The payees that a standing approval would cover.
      payees: isClaimed(transfer.purchase, service)
        ? []
        : [...new Set([...(service?.payees ?? []), ...payees])],
      amount: amountOf(transfer),
      currency: transfer.asset,
      // The treasury's own request, shown below, is not the agent's description.
      description: transfer.purchase?.carrier === 'treasury' ? '' : transfer.description,
      invoice: transfer.invoice,
      ...reasonShown(transfer),
      ...(transfer.purchase === null
        ? {}
        : { request: `${transfer.purchase.method} ${transfer.purchase.url}`.trim() }),
      ...(sentence === undefined ? {} : { watch: sentence }),
      ...(because === 'payee_changed' ? { payeesSoFar: service?.payees ?? [] } : {}),
      ...(reasons.includes('open_account') ? accountShown(context, transfer) : {}),
    },
  });
};

/** What the payee and each further recipient get of the amount. */
const splitsShown = (transfer: Transfer, isNew: (payee: string) => boolean) =>
  transfer.purchase === null || transfer.purchase.splits.length === 0
    ? {}
    : {
        payeeGets: formatUsdc(usdc(shareOf(transfer.amount, transfer.purchase.splits))),
        splits: transfer.purchase.splits.map(({ payee, amount }) => ({
          payee,
          amount: formatUsdc(amount),
          payeeIsNew: isNew(payee),
        })),
      };

const delegateShown = ({ store }: Context, keyPath: readonly string[]): { delegate?: string } => {
  const keyId = keyPath.at(-1);
  const label = keyId === undefined ? undefined : store.keys.get(keyId)?.label;
  return label === undefined ? {} : { delegate: label };
};

/** The price of the payee's account, and whether the treasury has opened one before that was closed again. */
const accountShown = ({ store }: Context, { payee, rentLamports }: Transfer) => ({
  opensAccount: `${formatSol(lamports(rentLamports))} SOL`,
  ...(store.transfers.rentPaid(payee) ? { openedBefore: true } : {}),
});

/** Granting such a request twice does no more than granting it once. */
const asksOnce: readonly ApprovalKind[] = ['policy', 'resume'];

/** The pending request that asks for exactly this, of the same key: the owner reads it once. */
const alreadyAsked = (
  { store }: Context,
  kind: ApprovalKind,
  { agentId, keyId }: Pick<Approval, 'agentId' | 'keyId'>,
  details: Readonly<Record<string, unknown>>,
): Approval | undefined =>
  asksOnce.includes(kind)
    ? store.approvals
        .pending(agentId)
        .find(
          (one) =>
            one.kind === kind &&
            one.keyId === keyId &&
            one.denyAt === null &&
            one.shown['reason'] === details['reason'] &&
            Object.entries(details).every(([name, value]) => isDeepStrictEqual(one.shown[name], value)),
        )
    : undefined;

/** Opens the approval of another effect that an agent asked for; `details` says exactly what will be done. */
export const openRequest = (
  context: Context,
  kind: Exclude<ApprovalKind, 'payment'>,
  { agentId, keyId }: { agentId: string; keyId: string | null },
  details: Readonly<Record<string, unknown>>,
): Approval => {
  const same = alreadyAsked(context, kind, { agentId, keyId }, details);
  if (same !== undefined) return same;
  const agent = context.store.agents.get(agentId);
  const policy = agent === undefined ? undefined : context.store.policies.get(agentId);
  return ask(context, {
    id: context.newId('apr'),
    kind,
    agentId,
    keyId,
    transferId: null,
    policyVersion: policy?.version ?? 0,
    minutes: policy?.approvalMinutes ?? defaultMinutes,
    details,
  });
};

/** An agent's reason, for the details that the owner is shown. */
export const reasonShown = ({ reason }: { reason?: string | null | undefined }): { reason?: string } =>
  reason == null ? {} : { reason };
