// Follows the allowances that were sent until each is final or can no longer land, whether a page is open or not. Only the
// last one is sent again: the owner replaced those before it.
import { repeat, type Repeated } from '../../lib/repeat.ts';
import { endOrder, openAllowances, sentOrders, type SentOrder } from '../domain/allowance-orders.ts';
import type { Context } from '../payment/context.ts';
import { setPause } from '../payment/owner/pauses.ts';
import { readCold } from '../payment/decision/draws.ts';
import type { Sighting } from '../ports.ts';

type Following = Pick<Context, 'store' | 'chain' | 'time' | 'pauses' | 'publish' | 'log'>;

const lookMs = 1_000;
/** The pause of draws until an allowance that was sent is decided. */
export const sentPause = 'sent';

export const createAllowances = (context: Following): Repeated =>
  repeat(
    () => lookAtOrders(context),
    lookMs,
    (error) => context.log.debug({ err: error }, 'a new allowance is looked up later'),
  );

/** @throws AppError `chain_unreachable` */
const lookAtOrders = async (context: Following): Promise<void> => {
  const { chain, store, publish } = context;
  const orders = sentOrders(store);
  const open = orders.filter(({ state }) => state === 'sent');
  if (open.length === 0) return;
  if (openAllowances(store).length > 0) setPause(context, sentPause, true);
  // Its height first: what is not there after the last block that could hold it never will be.
  const height = await chain.finalizedHeight();
  const { found } = await chain.sightings(open.map(({ signature }) => signature));
  const ends = open.flatMap((order, place) => {
    const end = endOf(order, found[place] ?? null, height);
    return end === null ? [] : [{ order, end }];
  });
  const last = orders.at(-1);
  const isMissing = last !== undefined && found[open.indexOf(last)] === null;
  if (isMissing && ends.every(({ order }) => order !== last)) await broadcastOrder(context, last);
  if (ends.length === 0) return;
  await readCold(context);
  store.atomically(() => {
    for (const { order, end } of ends) endOrder(store, order.signature, end);
    if (openAllowances(store).length === 0) setPause(context, sentPause, false);
  });
  publish({ type: 'cold' });
};

/** What became of it; null while it may still land. */
const endOf = (
  { lifetime }: SentOrder,
  sighting: Sighting | null,
  height: number,
): Pick<SentOrder, 'state' | 'slot'> | null => {
  if (sighting?.commitment === 'finalized')
    return { state: sighting.error === null ? 'final' : 'failed', slot: sighting.slot };
  return sighting === null && height > lifetime.lastValidHeight ? { state: 'expired', slot: null } : null;
};

/** Never rejects: the answer is a hint, and its signature is looked up. */
export const broadcastOrder = async (
  { chain, log }: Pick<Following, 'chain' | 'log'>,
  { wire, signature }: Pick<SentOrder, 'wire' | 'signature'>,
): Promise<void> => {
  try {
    await chain.broadcast(wire);
  } catch (error) {
    log.warn({ err: error, signature }, 'the RPC did not take the new allowance');
  }
};
