// Tells the owner when a reservation takes a budget past 80 %, or leaves the agent’s wallet low.
import { addNotice } from '../../notices/add-notice.ts';
import { pathOf, type Sums } from '../../limits/path.ts';
import type { NodeFacts, WindowSums } from '../../limits/node-facts.ts';
import { budgetFields, budgetWindows, serviceWindows, type BudgetWindow } from '../../limits/windows.ts';
import { limitAt } from '../../../contract/limits/service-limits.ts';
import type { ChargePath, ModelRequest, Transfer } from '../../ports.ts';
import { usdc, type Usdc } from '../../../money.ts';
import type { Context } from '../context.ts';
import { available } from './balance.ts';

type Noting = Pick<Context, 'store' | 'time'> & Sums;

/** Call it in the transaction that settles the request, once it is settled. */
export const noteModelRequest = (context: Noting, { amount, ...request }: ModelRequest): void => {
  if (!context.store.notices.isWanted('budget') || amount === null) return;
  const serviceName = context.store.services.get(request.serviceId)?.name ?? request.serviceId;
  noteBudgets(context, { ...request, amount, serviceName });
};

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

type Reserved = ChargePath &
  Pick<Transfer, 'serviceId' | 'serviceName'> & { agentId: string; amount: bigint };

/** Each budget on the path, from the node that pays up to the treasury, that this amount takes past 80 %. */
const noteBudgets = (context: Noting, reserved: Reserved): void => {
  const { agentId, keyPath, groupId, serviceId, serviceName } = reserved;
  const charged = { agentId, keyPath, groupId, isClaimed: false, now: context.time.now(), own: null };
  for (const facts of pathOf(context, charged)) {
    const { limits, atService } = facts;
    for (const window of budgetWindows)
      noteBudget(context, reserved, facts, { window, limit: limits[budgetFields[window]], sums: facts });
    const atHand = serviceId === null ? undefined : limitAt(limits.serviceLimits, serviceId);
    if (serviceId === null || atHand === undefined) continue;
    for (const window of serviceWindows) {
      const limit = atHand[budgetFields[window]] ?? null;
      const of = { window, limit, sums: atService(serviceId), service: serviceName };
      noteBudget(context, reserved, facts, of);
    }
  }
};

interface Budget<Window> {
  window: Window;
  limit: Usdc | null;
  sums: WindowSums<Window>;
  service?: string;
}

const noteBudget = <Window extends BudgetWindow>(
  context: Noting,
  { agentId, amount }: Reserved,
  { node }: NodeFacts,
  { window, limit, sums, service }: Budget<Window>,
): void => {
  if (limit === null) return;
  const spent = sums.spent(window);
  const isPast = (sum: bigint): boolean => sum * 5n > limit * 4n;
  if (isPast(spent) && !isPast(spent - amount))
    addNotice(context, { kind: 'budget', agentId, node, window, spent, limit, service: service ?? null });
};
