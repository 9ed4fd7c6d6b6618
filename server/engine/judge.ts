// Gathers the facts of a decision, from the store alone, and asks the policy. Run it in the transaction that acts on it.
import { invariant } from '../errors.ts';
import { lamports, usdc } from '../money.ts';
import type { Context } from './context.ts';
import { decide, type Decision, type Facts } from './decide.ts';
import type { NewTransfer, Purchase, Refusal, Service, Transfer } from './ports.ts';

/** What somebody wants moved. */
export type Intent = Pick<
  NewTransfer,
  | 'kind'
  | 'agentId'
  | 'walletIndex'
  | 'wallet'
  | 'payee'
  | 'asset'
  | 'amount'
  | 'serviceId'
  | 'serviceName'
  | 'description'
  | 'invoice'
  | 'reason'
> & {
  /** Of a payment that follows a seller's 402. */
  purchase?: Purchase | null;
};

/** What has to be asked of the chain before T1 can decide. */
export interface ChainFacts {
  /** The treasury's lamports as last read. */
  treasuryLamports: bigint;
  /** Rent of the payee's token account in lamports, 0 when it exists. */
  rent: bigint;
}

interface Judged {
  decision: Decision;
  policyVersion: number;
  grantId: string | null;
}

/**
 * The decision on an intent at `now`. Run it in the transaction that reserves.
 * @param byOwner the owner asks for it: no further word is needed, and every limit holds
 * @param own the transfer's row, when its own reservation must not be counted against it
 */
export const judge = (
  context: Pick<Context, 'store' | 'settings'>,
  intent: Intent,
  facts: { fee: bigint; rent: bigint; now: number },
  { approved = false, byOwner = false, own }: { approved?: boolean; byOwner?: boolean; own?: Transfer } = {},
): Judged => {
  const { store, settings } = context;
  const { agentId, amount, payee, serviceId } = intent;
  const counted = own?.reservedAt == null ? 0n : own.amount;
  if (intent.kind !== 'payment' && intent.kind !== 'charge') {
    const refusal = intent.asset === 'USDC' ? beyondBalance(context, intent, counted) : null;
    return {
      decision: refusal === null ? { kind: 'allow' } : { kind: 'deny', refusal },
      policyVersion: 0,
      grantId: null,
    };
  }
  invariant(agentId !== null && serviceId !== null, 'a payment has an agent and a service');
  const { fee, rent, now } = facts;
  const policy = store.policies.get(agentId);
  const spent = store.spend.at(agentId, now);
  const spentByAll = store.spend.at(null, now);
  const ownFee = own?.reservedAt == null ? 0n : own.feeLamports;
  const ownRent = own?.reservedAt == null ? 0n : own.rentLamports;
  const all: Facts = {
    policy,
    spent: spent.open + spent.final - counted,
    ceiling: store.policies.ceiling(),
    spentByAll: spentByAll.open + spentByAll.final - counted,
    lastReservedAt: policy.cooldownSeconds === 0 ? null : store.spend.lastReservedAt(agentId),
    // A charge goes to the treasury itself.
    payeeKnown:
      policy.newPayees === 'allow' || intent.kind === 'charge' || store.payees.known(agentId, payee),
    payeeChanged: intent.purchase != null && isChangedPayee(store.services.get(serviceId), payee),
    granted: byOwner,
    available: available(context, intent.wallet) + counted,
    fee: lamports(fee),
    feesSpent: spent.fees - ownFee,
    feeLimit: settings.feeLimit,
    rent: lamports(rent),
    rentSpent: rent === 0n ? 0n : store.transfers.rentSince(now - 86_400_000) - ownRent,
    rentLimit: settings.rentLimit,
    rentAllowed:
      rent === 0n || (vouchedFor(context, serviceId) && (ownRent > 0n || !store.transfers.rentPaid(payee))),
    freedAt: (scope, needed) => store.spend.freedAt(scope === 'agent' ? agentId : null, now, needed),
  };
  invariant(all.spent >= 0n && all.spentByAll >= 0n, 'what is spent is never less than nothing');
  const decision = decide({ agentId, amount: usdc(amount), serviceId, payee, now }, all, approved);
  // A standing grant is drawn on only where the policy wants the owner's word.
  const grant =
    decision.kind === 'hold' && decision.because !== 'payee_changed'
      ? store.grants.usable({ agentId, serviceId, payee, amount, now })
      : undefined;
  return {
    decision: grant === undefined ? decision : { kind: 'allow' },
    policyVersion: policy.version,
    grantId: grant?.id ?? null,
  };
};

/** A place with pinned payees that now wants somebody else paid: that needs the owner's word, whatever the policy. */
const isChangedPayee = (service: Service | undefined, payee: string): boolean =>
  service !== undefined && service.payees.length > 0 && !service.payees.includes(payee);

const vouchedFor = ({ store }: Pick<Context, 'store'>, serviceId: string): boolean =>
  store.services.get(serviceId)?.vouched === true;

/** What the wallet can still spend: its balance as last read, less what open rows will take. */
export const available = ({ store }: Pick<Context, 'store'>, address: string): bigint => {
  const wallet = store.wallets.get(address);
  return wallet === undefined ? 0n : wallet.balance - wallet.pending;
};

const beyondBalance = (
  context: Pick<Context, 'store'>,
  { wallet, amount }: Intent,
  counted: bigint,
): Refusal | null => {
  const left = available(context, wallet) + counted;
  if (amount <= left) return null;
  return {
    code: 'insufficient_balance',
    message: 'The wallet does not hold that much USDC.',
    details: { available: left.toString(), amount: amount.toString(), unit: 'micro-USDC' },
  };
};
