// The allocation of USDC to an agent: from the treasury's own wallet while that holds enough, otherwise drawn on the cold
// treasury. Money that this machine can lose is used up first.
import type { Usdc } from '../../../money.ts';
import type { Agent, Intent } from '../../ports.ts';
import type { Context } from '../context.ts';
import { drawable } from '../decision/draws.ts';
import { available } from '../decision/balance.ts';

type Allocating = Pick<Context, 'store' | 'settings'>;

/** @param cause `refill` when no request asked for it */
export const allocationOf = (
  context: Allocating,
  { agentId, wallet }: Agent,
  amount: Usdc,
  { reason = null, cause = null }: { reason?: string | null; cause?: 'refill' | null },
): Intent => ({
  kind: 'allocation',
  cause,
  reason,
  agentId,
  walletIndex: 0,
  wallet: context.settings.owner,
  source: sourceFor(context, amount),
  payee: wallet,
  asset: 'USDC',
  amount,
  serviceId: null,
  serviceName: cause === 'refill' ? `Refill of ${agentId}` : `Allocation to ${agentId}`,
  description: '',
  invoice: null,
});

const sourceFor = ({ store, settings }: Allocating, amount: Usdc): string | null => {
  const cold = store.cold.get();
  if (cold === null || cold.stoppedAt !== null) return null;
  return available({ store }, settings.owner) >= amount ? null : cold.address;
};

/** The most that one allocation can move now. @param now Unix milliseconds */
export const mostAllocatable = (context: Allocating, now: number): Usdc => {
  const [own, cold] = [available(context, context.settings.owner), drawable(context, now)];
  return own > cold ? own : cold;
};
