// The allowances that the owner signed and that were sent: which of them can still land. Kept on disk, since one that a
// restart forgot could land after a later one was reported as final.
import { AppError } from '../../errors.ts';
import { formatUsdc, usdc } from '../../money.ts';
import type { Store } from '../ports.ts';
import type { AllowanceOrder } from './cold.ts';

export interface SentOrder extends AllowanceOrder {
  wire: Uint8Array;
  signature: string;
  /** `sent`: it may still land. */
  state: 'sent' | 'final' | 'failed' | 'expired';
  /** The slot in which it landed; null before. */
  slot: number | null;
}

const name = 'allowance-orders';

/** The last one sent, last, and those before it that could land when it was sent. */
export const sentOrders = ({ meta }: Pick<Store, 'meta'>): SentOrder[] => {
  const stored = JSON.parse(meta.get(name) ?? '[]') as (Omit<SentOrder, 'wire' | 'allowance'> & {
    wire: string;
    allowance: string;
  })[];
  return stored.map(({ wire, allowance, ...order }) => ({
    ...order,
    wire: Buffer.from(wire, 'base64'),
    allowance: usdc(BigInt(allowance)),
  }));
};

const put = ({ meta }: Pick<Store, 'meta'>, orders: readonly SentOrder[]): void => {
  const stored = orders.map(({ wire, allowance, ...order }) => ({
    ...order,
    wire: Buffer.from(wire).toString('base64'),
    allowance: allowance.toString(),
  }));
  meta.set(name, JSON.stringify(stored));
};

const canLand = ({ state }: SentOrder): boolean => state === 'sent';

/** Call it in a transaction. */
export const addOrder = (store: Pick<Store, 'meta'>, order: SentOrder): void => {
  const before = sentOrders(store);
  put(store, [...(before.some(canLand) ? before : []), order]);
};

/** Enters what became of one. Call it in a transaction. */
export const endOrder = (
  store: Pick<Store, 'meta'>,
  signature: string,
  end: Pick<SentOrder, 'state' | 'slot'>,
): void =>
  put(
    store,
    sentOrders(store).map((order) => (order.signature === signature ? { ...order, ...end } : order)),
  );

/** The allowances above 0 that may still land. */
export const openAllowances = (store: Pick<Store, 'meta'>): SentOrder[] =>
  sentOrders(store).filter((order) => canLand(order) && order.allowance > 0n);

/** @throws AppError `conflict` while an allowance above 0 may still land: it would replace the next one, and bind nobody */
export const refuseWhileOrdered = (store: Pick<Store, 'meta'>): void => {
  const [open] = openAllowances(store);
  if (open === undefined) return;
  throw new AppError(
    'conflict',
    `An allowance of ${formatUsdc(open.allowance)} USDC was signed and may still land, for about a minute. Revoke it now, or try again when it is decided.`,
  );
};

/** What became of the last one, and the most that one before it can still make of the allowance; null: nothing. */
export const outcomeOf = (
  orders: readonly SentOrder[],
): { state: SentOrder['state'] | 'overtaken'; earlier: bigint | null } | null => {
  const last = orders.at(-1);
  if (last === undefined) return null;
  const others = orders.slice(0, -1);
  const open = others.filter(canLand).map(({ allowance }) => allowance);
  const earlier = open.length === 0 ? null : open.reduce((most, one) => (one > most ? one : most));
  if (last.state !== 'final') return { state: last.state, earlier };
  // Final says that the allowance is this one: not while another may come after it, nor when one did.
  if (earlier !== null) return { state: 'sent', earlier };
  const isLast = others.every(({ state, slot }) => state !== 'final' || (slot ?? 0) < (last.slot ?? 0));
  return { state: isLast ? 'final' : 'overtaken', earlier };
};
