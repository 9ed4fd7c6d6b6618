// The changes that remedies make to the rules in force now.
import { AppError, type ErrorCode } from '../../errors.ts';
import { parseUsdc } from '../../money.ts';
import type { OwnerApi } from '../owner-api.ts';
import { policyFields, type StatedLimits, type StatedPolicy } from '../limits/policy-fields.ts';
import { isModelIn } from '../limits/policy-field.ts';
import { raiseOf, raisesOfField, type Raise } from '../limits/raise.ts';
import { labelOf, type Remedy } from './remedy.ts';
import { limitAt, type ChangeOf } from '../limits/service-limits.ts';

export interface Change {
  /** Set when a limit is removed, or raised more than ten times over, which the owner confirms first. */
  raise: Raise | null;
  /** @throws AppError as the treasury refuses it */
  run(): Promise<unknown>;
}

type Asking = Pick<OwnerApi, 'ask'>;

interface Refused {
  agentId: string;
  transferId: string;
}

/**
 * The change that a remedy makes to the rules in force now, or null when they allow as much already: a remedy never
 * lowers a limit that was raised since, and never turns "every service" into a list. It gives money once for each
 * refused transfer, however often it is asked for.
 * @param isPaused the agent is, and is resumed after the change
 */
export const changeOf = async (
  api: Asking,
  refused: Refused,
  remedy: Remedy,
  isPaused = false,
): Promise<Change | null> => {
  const change = await changeOfRules(api, refused, remedy);
  if (!isPaused || remedy.kind === 'resume') return change;
  return {
    raise: change?.raise ?? null,
    async run() {
      await change?.run();
      return api.ask('resume', { params: { agentId: refused.agentId } });
    },
  };
};

const changeOfRules = async (
  { ask }: Asking,
  { agentId, transferId }: Refused,
  remedy: Remedy,
): Promise<Change | null> => {
  const params = { agentId };
  switch (remedy.kind) {
    case 'raise_limit': {
      const { field, to } = remedy;
      const { limits, set } = await limitsOf(ask, agentId, remedy);
      const before = (limits as Partial<StatedPolicy>)[field] ?? null;
      if (before === null) return null;
      return raised(before, remedy, () => set({ [field]: to }));
    }
    case 'raise_service_limit': {
      const { serviceId, field, to } = remedy;
      const { limits, set } = await limitsOf(ask, agentId, remedy);
      const limit = limitAt(limits.serviceLimits, serviceId);
      const before = limit?.[field];
      if (before === undefined) return null;
      const serviceLimits = { [serviceId]: { ...limit, [field]: to } };
      return raised(before, remedy, () => set({ serviceLimits }));
    }
    case 'raise_rate': {
      const { field, to } = remedy;
      const { limits, set } = await limitsOf(ask, agentId, remedy);
      const before = limits[field];
      if (before === null || before >= to) return null;
      return plainly(() => set({ [field]: to }));
    }
    case 'lift': {
      const { limits, set } = await limitsOf(ask, agentId, remedy);
      if (limits[remedy.field] === null) return null;
      const [raise = null] = raisesOfField(policyFields[remedy.field], limits[remedy.field], null);
      return { raise, run: () => set({ [remedy.field]: null }) };
    }
    case 'raise_ceiling': {
      const { dailyBudget } = await ask('getCeiling');
      if (dailyBudget === null) return null;
      return raised(dailyBudget, remedy, () => ask('setCeiling', { body: { dailyBudget: remedy.to } }));
    }
    case 'allow_service': {
      const { limits, set } = await limitsOf(ask, agentId, remedy);
      const allowed = limits.allowedServices ?? [];
      if (allowed.length === 0 || allowed.includes(remedy.serviceId)) return null;
      return plainly(() => set({ allowedServices: [...allowed, remedy.serviceId] }));
    }
    case 'allow_model':
      return allowModel(await limitsOf(ask, agentId, remedy), remedy.model);
    case 'boost': {
      const payment = { transferId };
      const { boosts } = await ask('foreseeBoost', { params: payment });
      if (boosts.length === 0) return null;
      return plainly(() => ask('boostFor', { params: payment }));
    }
    case 'unblock_service':
    case 'trust_seller':
      return ruled(ask, remedy);
    case 'give': {
      const { balance } = await ask('balance', { params });
      if (isAtLeast(balance, remedy.upTo)) return null;
      return plainly(() => giveOnce(ask, agentId, remedy.amount, `give-${transferId}`));
    }
    case 'resume': {
      const { agents } = await ask('listAgents');
      const isPaused = agents.some((one) => one.agentId === agentId && one.status === 'suspended');
      return isPaused ? plainly(() => ask('resume', { params })) : null;
    }
  }
};

interface Limiting {
  limits: StatedLimits;
  set(change: ChangeOf<StatedLimits, string>): Promise<unknown>;
}

/** The limits in force of the node that a remedy changes: the agent's policy, its group's or the treasury's. */
const limitsOf = async (
  ask: Asking['ask'],
  agentId: string,
  { node }: { node?: { kind: 'group' | 'treasury'; id: string } },
): Promise<Limiting> => {
  if (node === undefined) {
    const params = { agentId };
    const { policy } = await ask('getPolicy', { params });
    return {
      limits: policy,
      set: (change) => ask('setPolicy', { params, body: change as ChangeOf<StatedPolicy, string> }),
    };
  }
  if (node.kind === 'treasury') {
    const { limits } = await ask('getTreasuryLimits');
    return { limits, set: (body) => ask('setTreasuryLimits', { body }) };
  }
  const params = { groupId: node.id };
  const { limits } = await ask('getGroup', { params });
  return { limits, set: (body) => ask('setGroupLimits', { params, body }) };
};

const allowModel = ({ limits: { allowedModels }, set }: Limiting, model: string): Change | null =>
  allowedModels === null || isModelIn(allowedModels, model)
    ? null
    : plainly(() => set({ allowedModels: [...allowedModels, model] }));

/** Null for a seller that is trusted already, and for one outside the catalog, where nothing can be trusted. */
const ruled = async (
  ask: Asking['ask'],
  { kind, serviceId }: Extract<Remedy, { kind: 'unblock_service' | 'trust_seller' }>,
): Promise<Change | null> => {
  const { blockedAt, isTrusted, mayTrust } = await ask('getService', { params: { serviceId } });
  if (kind === 'unblock_service')
    return blockedAt === null
      ? null
      : plainly(() => ask('setServiceRule', { params: { serviceId }, body: { blocked: false } }));
  return isTrusted || !mayTrust
    ? null
    : plainly(() => ask('setServiceRule', { params: { serviceId }, body: { trusted: true } }));
};

/** The allocation of this idempotency key; once that one has failed, which is the answer for ever, another. */
const giveOnce = async (
  ask: Asking['ask'],
  agentId: string,
  amount: string,
  key: string,
): Promise<unknown> => {
  const asked = { params: { agentId }, body: { amount } };
  return ask('allocate', { ...asked, key }).catch((error: unknown) => {
    if (!(error instanceof AppError) || !movedNothing.has(error.code)) throw error;
    return ask('allocate', asked);
  });
};

const movedNothing: ReadonlySet<ErrorCode> = new Set(['insufficient_balance', 'payment_failed']);

const plainly = (run: Change['run']): Change => ({ raise: null, run });

const raised = (from: string, remedy: Remedy & { to: string }, run: Change['run']): Change | null => {
  const [before, after] = [parseUsdc(from), parseUsdc(remedy.to)];
  if (before === null || after === null || after <= before) return null;
  return { raise: raiseOf(labelOf(remedy), from, remedy.to), run };
};

const isAtLeast = (a: string, b: string): boolean => (parseUsdc(a) ?? 0n) >= (parseUsdc(b) ?? 0n);
