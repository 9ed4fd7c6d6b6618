// On a real network, a block's time is the witness for this machine's clock. The sandbox's chain runs by that clock.
import { toleranceMs } from '../domain/time.ts';
import type { Context } from '../payment/context.ts';

/** @throws AppError `chain_unreachable` */
export const compareClocks = async ({
  settings,
  chain,
  time,
}: Pick<Context, 'settings' | 'chain' | 'time'>): Promise<void> => {
  if (settings.network === 'sandbox') return;
  const chainTime = await chain.chainTime();
  if (chainTime === null) return;
  if (Math.abs(chainTime - time.wall()) < toleranceMs) time.trust();
  else time.suspect('the clock of this machine differs from the network’s by more than five minutes');
};
