// The allowance of the cold treasury, set from the dashboard: we build the transaction, a wallet of the browser signs it,
// and it is sent when the wallet changed nothing in it. Nothing is drawn meanwhile: an approval replaces the allowance, so
// a draw beside it would be drawn once more. A revocation waits for nothing.
import { randomInt } from 'node:crypto';
import { coldFaults } from '../../contract/treasury/cold-faults.ts';
import type { Reply } from '../../contract/schemas.ts';
import { AppError } from '../../errors.ts';
import { formatSol, formatUsdc, lamports, usdc, type Usdc } from '../../money.ts';
import { done, type EngineContext } from '../calls/call.ts';
import { addOrder, outcomeOf, refuseWhileOrdered, sentOrders } from '../domain/allowance-orders.ts';
import { readCold } from '../payment/decision/draws.ts';
import { setPause } from '../payment/owner/pauses.ts';
import type { AllowanceOrder, Chain, SomeOperations } from '../ports.ts';
import { broadcastOrder, sentPause } from '../records/allowance.ts';
import { chosenCold, refuseWhileDrawing } from './cold.ts';

interface Prepared {
  order: AllowanceOrder;
  unsigned: Uint8Array;
  /** What was left when the owner was shown it. */
  left: Usdc;
  page: string;
}

/** A signature, and a generous priority fee beside it. */
const leastLamports = 10_000n;
/** Pages that prepare one at the same time. */
const mostPrepared = 16;

export const allowanceOperations = (context: EngineContext) => {
  const { chain, store } = context;
  // In memory alone, the oldest first: after a restart the owner asks for it again, and the chain says what is left.
  const prepared: Prepared[] = [];

  return {
    async prepareAllowance({ body: { allowance, page = '' } }) {
      const { address } = chosenCold(context);
      refuseUnready(context, { address, allowance });
      setPause(context, page, true);
      await readCold(context);
      await refuseUnableWallet(context);
      const order = { address, allowance, lifetime: await chain.lifetime(), salt: randomInt(10_000) };
      const left = chosenCold(context).allowance;
      const unsigned = chain.buildAllowance(order);
      prepared.push({ order, unsigned, left, page });
      if (prepared.length > mostPrepared) prepared.shift();
      return done({
        address,
        transaction: Buffer.from(unsigned).toString('base64'),
        left: formatUsdc(left),
        allowance: formatUsdc(allowance),
      });
    },

    async sendAllowance({ body: { transaction } }) {
      const wire = Buffer.from(transaction, 'base64');
      const { order, left, page, signature } = preparedFor(chain, prepared, wire);
      await readCold(context);
      store.atomically(() => {
        if (sentOrders(store).some((one) => one.signature === signature)) return;
        refuseUnready(context, order);
        if (order.allowance > 0n) refuseChanged(chosenCold(context).allowance, left);
        addOrder(store, { ...order, wire, signature, state: 'sent', slot: null });
        // Its own pause lasts until it is decided, however long its page stays open.
        if (order.allowance > 0n) setPause(context, sentPause, true);
        setPause(context, page, false);
      });
      // A newer one may have replaced it meanwhile.
      if (sentOrders(store).at(-1)?.signature === signature)
        await broadcastOrder(context, { wire, signature });
      return done(viewOf(context));
    },

    getAllowance: () => done(viewOf(context)),
  } satisfies SomeOperations;
};

const viewOf = ({ store }: EngineContext): Reply<'getAllowance'> => {
  const orders = sentOrders(store);
  const [last, outcome] = [orders.at(-1), outcomeOf(orders)];
  if (last === undefined || outcome === null) return { change: null };
  const { state, earlier } = outcome;
  return {
    change: {
      allowance: formatUsdc(last.allowance),
      signature: last.signature,
      state,
      earlier: earlier === null ? null : formatUsdc(usdc(earlier)),
    },
  };
};

/** @throws AppError `conflict`: the refusal of the newest one, when the wallet returned none of those that we built */
const preparedFor = (
  chain: Chain,
  prepared: readonly Prepared[],
  wire: Uint8Array,
): Prepared & { signature: string } => {
  let refusal: unknown = new AppError('conflict', 'The treasury was started again since. Sign it once more.');
  for (const one of prepared) {
    try {
      return { ...one, signature: chain.allowanceSignature(one.unsigned, wire) };
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
};

/** @throws AppError `conflict` while a draw or another allowance may still land, and when another wallet was chosen */
const refuseUnready = (
  context: EngineContext,
  { address, allowance }: Pick<AllowanceOrder, 'address' | 'allowance'>,
): void => {
  if (chosenCold(context).address !== address)
    throw new AppError('conflict', 'Another cold wallet was chosen since. Open this page again.');
  if (allowance === 0n) return;
  refuseWhileDrawing(context);
  refuseWhileOrdered(context.store);
};

/** @throws AppError `conflict` when the allowance is not the one that the owner was shown: a draw would come on top */
const refuseChanged = (now: Usdc, shown: Usdc): void => {
  if (now === shown) return;
  throw new AppError(
    'conflict',
    `The allowance was ${formatUsdc(shown)} USDC when you were shown it, and is ${formatUsdc(now)} USDC now. Nothing was sent. Sign again if that is what you want.`,
  );
};

/** @throws AppError `conflict`, `insufficient_balance`, `chain_unreachable` */
const refuseUnableWallet = async (context: EngineContext): Promise<void> => {
  const { address, fault } = chosenCold(context);
  if (fault === 'missing' || fault === 'frozen') throw new AppError('conflict', coldFaults[fault]);
  const held = await context.chain.lamports(address);
  if (held < leastLamports)
    throw new AppError(
      'insufficient_balance',
      `The cold wallet pays the network fee, and holds ${formatSol(lamports(held))} SOL. Send it a little SOL first.`,
    );
};
