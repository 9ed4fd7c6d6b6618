// The amount that a key can spend now: the least that its wallet and the budgets of its path leave.
import { invariant } from '../../errors.ts';
import { atLeastZero, usdc, type Usdc } from '../../money.ts';
import type { EngineContext } from '../calls/call.ts';
import { pathOf } from '../limits/path.ts';
import { leastLeft } from '../limits/usage.ts';
import { pathNow } from '../payment/decision/charge-path.ts';
import { available } from '../payment/decision/balance.ts';

/** Of the wallet as last read. @param keyId the API key that would pay; null for the owner */
export const spendableBy = (context: EngineContext, agentId: string, keyId: string | null): Usdc => {
  const { store, time } = context;
  const agent = store.agents.get(agentId);
  invariant(agent !== undefined, `agent ${agentId} exists`);
  const path = pathNow(store, agentId, keyId);
  const nodes = pathOf(context, { ...path, agentId, isClaimed: false, now: time.now(), own: null });
  const held = available(context, agent.wallet);
  return nodes.reduce(
    (least, node) => {
      const left = leastLeft(node);
      return left !== null && left < least ? left : least;
    },
    usdc(atLeastZero(held)),
  );
};
