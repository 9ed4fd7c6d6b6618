// Tells the owner when a reservation takes a budget past 80 %, or leaves the agent’s wallet low.
import { addNotice } from '../notices/add-notice.ts';
import { pathOf, type Sums } from '../limits/path.ts';
import { budgetFields, budgetWindows } from '../limits/windows.ts';
import type { ChargePath, Transfer } from '../ports.ts';
import { usdc } from '../../money.ts';
import type { Context } from './context.ts';
import { available } from './judge.ts';

type Noting = Pick<Context, 'store' | 'time'> & Sums;

/** Call it in the transaction that reserves the row, once it is written. */
export const noteReservation = (context: Noting, row: Transfer): void => {
  if (row.agentId === null || row.asset !== 'USDC' || (row.kind !== 'payment' && row.kind !== 'charge'))
    return;
  const { agentId, amount, wallet } = row;
  const { notices } = context.store;
  if (notices.isWanted('budget')) noteBudgets(context, { ...row, agentId, amount });
  const limit = notices.isWanted('low_balance') ? notices.lowBalance(agentId) : null;
  const left = limit === null ? usdc(0n) : available(context, wallet);
  if (limit !== null && left < limit && left + amount >= limit)
    addNotice(context, { kind: 'low_balance', agentId, left, limit });
};

type Reserved = ChargePath & { agentId: string; amount: bigint };

/** Each budget on the path, from the node that pays up to the treasury, that this amount takes past 80 %. */
const noteBudgets = (context: Noting, { agentId, keyPath, groupId, amount }: Reserved): void => {
  const charged = { agentId, keyPath, groupId, isClaimed: false, now: context.time.now(), own: null };
  for (const { node, limits, spent: spentIn } of pathOf(context, charged))
    for (const window of budgetWindows) {
      const limit = limits[budgetFields[window]];
      if (limit === null) continue;
      const spent = spentIn(window);
      const isPast = (sum: bigint): boolean => sum * 5n > limit * 4n;
      if (isPast(spent) && !isPast(spent - amount))
        addNotice(context, { kind: 'budget', agentId, node, window, spent, limit });
    }
};
