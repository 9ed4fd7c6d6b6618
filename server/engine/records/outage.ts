// An outage of the RPCs: since when, why, and what it holds. It is on every screen within a minute, and the owner gets a
// notice when it lasts, and one when it is over.
import type { Reply } from '../../contract/schemas.ts';
import { formatUsdc, usdc, type Usdc } from '../../money.ts';
import { repeat, type Repeated } from '../../lib/repeat.ts';
import { addNotice } from '../notices/add-notice.ts';
import type { Context } from '../payment/context.ts';

type Outage = NonNullable<Reply<'dashboard'>['outage']>;

/** Milliseconds. An answer that is lost now and then is no outage. */
const shownAfterMs = 20_000;
const noticeAfterMs = 60_000;
const lookMs = 5_000;

/** Null: every RPC answers, or has failed for a few seconds only. */
export const outageOf = (context: Pick<Context, 'chain' | 'network' | 'store'>): Outage | null => {
  const { chain, network } = context;
  const held = heldIn(context);
  const view = { held: { transfers: held.transfers, amount: formatUsdc(held.amount) } };
  const wait = network.wait();
  if (wait !== null) {
    const { since, host, why } = wait;
    const rpcs = [{ host, role: 'first' as const, why }];
    return { since: new Date(since).toISOString(), isStarting: true, isWhole: true, rpcs, ...view };
  }
  const states = chain.rpcs();
  const down = states.filter(({ downSince }) => downSince !== null && Date.now() - downSince >= shownAfterMs);
  if (down.length === 0) return null;
  const isWhole = down.length === states.length;
  const begins = down.map(({ downSince }) => downSince ?? 0);
  return {
    // No RPC answers since the last of them went down.
    since: new Date(isWhole ? Math.max(...begins) : Math.min(...begins)).toISOString(),
    isStarting: false,
    isWhole,
    rpcs: down.map(({ host, role, why }) => ({ host, role, why: why ?? 'it does not answer' })),
    ...view,
  };
};

const heldIn = ({ store }: Pick<Context, 'store'>): { transfers: number; amount: Usdc } => {
  const open = store.transfers.open().filter(({ asset }) => asset === 'USDC');
  return { transfers: open.length, amount: usdc(open.reduce((sum, { amount }) => sum + amount, 0n)) };
};

/** Publishes each change, and writes the notices. */
export const createOutages = (context: Context): Repeated => {
  const { store, publish, log } = context;
  let shown = '';
  /** The outage of which the owner has a notice. */
  let noticed: { since: number } | null = null;

  const note = (outage: Outage | null): void => {
    const isDown = outage?.isWhole === true;
    if (isDown === (noticed !== null)) return;
    const since = noticed?.since ?? Date.parse(outage?.since ?? '');
    if (isDown && Date.now() - since < noticeAfterMs) return;
    const facts = {
      rpcs: outage?.rpcs ?? [],
      since,
      until: isDown ? null : Date.now(),
      held: heldIn(context),
    };
    store.atomically(() => addNotice(context, { kind: 'rpc_down', ...facts }));
    noticed = isDown ? { since } : null;
  };
  const look = (): void => {
    const outage = outageOf(context);
    note(outage);
    const now = outage === null ? '' : JSON.stringify({ ...outage, held: null });
    if (now === shown) return;
    shown = now;
    publish({ type: 'network' });
  };
  return repeat(look, lookMs, (error) => log.warn({ err: error }, 'an outage could not be noted now'));
};
