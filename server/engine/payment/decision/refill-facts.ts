// The facts that decide a refill, read in the transaction that reserves it, and again in the one that signs it.
import { formatUsdc, usdc } from '../../../money.ts';
import { refillDue, type RefillFacts } from '../../limits/refill.ts';
import type { Agent, Refusal, Transfer } from '../../ports.ts';
import type { Context } from '../context.ts';
import { mostAllocatable } from '../owner/allocation.ts';
import { available, mostHeld } from './balance.ts';

const dayMs = 86_400_000;
/** Lamports of a transfer between wallets that exist. */
const feeOfOne = 5_000n;

type Reading = Pick<Context, 'store' | 'settings'>;

/** Null for an agent that is not refilled, or that may pay nothing any more. @param now Unix milliseconds */
const factsOf = ({ store, settings }: Reading, agent: Agent, now: number): RefillFacts | null => {
  const { agentId, wallet, refill, status, archivedAt } = agent;
  const { expiresAt } = store.policies.get(agentId);
  const hasEnded = expiresAt !== null && expiresAt <= now;
  if (refill === null || status !== 'active' || archivedAt !== null || hasEnded) return null;
  const refills = store.transfers.refills(agentId, now - dayMs);
  const { feeLimit } = settings;
  const fees = store.spend.at(agentId, now).fees + refills.fees + feeOfOne;
  const underWay = store.transfers
    .openOf(agentId)
    .filter(({ kind }) => kind === 'allocation')
    .reduce((sum, { amount }) => sum + amount, 0n);
  return {
    refill,
    least: available({ store }, wallet),
    most: mostHeld({ store }, wallet),
    underWay: usdc(underWay),
    source: mostAllocatable({ store, settings }, now),
    ...refills,
    mayCostFees: feeLimit === null || fees <= feeLimit,
  };
};

/** The amount to allocate now; null when none is due. Call it in the transaction that reserves it. */
export const refillDueNow = (context: Reading, agent: Agent, now: number) => {
  const facts = factsOf(context, agent, now);
  return facts === null ? null : refillDue(facts, now);
};

/** Why a reserved refill may no longer be signed; null when it may, and for every other transfer. */
export const refillRefusal = (context: Reading, row: Transfer, now: number): Refusal | null => {
  if (row.cause !== 'refill' || row.agentId === null) return null;
  const agent = context.store.agents.get(row.agentId);
  const facts = agent === undefined ? null : factsOf(context, agent, now);
  if (facts === null) return noLongerWanted;
  const { refill, refilled } = facts;
  // The row's own amount is among those of the day.
  if (refilled <= refill.perDay && row.amount <= refill.to) return null;
  return {
    code: 'conflict',
    message: `The owner now lets this agent be refilled with ${formatUsdc(refill.perDay)} USDC in 24 hours.`,
    details: { limit: formatUsdc(refill.perDay), refilled: formatUsdc(refilled) },
  };
};

const noLongerWanted: Refusal = {
  code: 'conflict',
  message: 'The owner has turned refills off for this agent.',
  details: {},
};
