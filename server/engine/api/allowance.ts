// The allowance of the cold treasury, set from the dashboard: we build the transaction, a wallet of the browser signs it,
// and it is sent when the wallet changed nothing in it. Nothing is drawn meanwhile: an approval replaces the allowance, so
// a draw beside it would be drawn once more.
import { coldFaults } from '../../contract/cold-faults.ts';
import type { Reply } from '../../contract/schemas.ts';
import { AppError } from '../../errors.ts';
import { formatSol, formatUsdc, lamports } from '../../money.ts';
import { done, type EngineContext } from '../calls/call.ts';
import type { AllowanceOrder, Operation } from '../ports.ts';
import { chosenCold, pauseMs, refuseWhileDrawing } from './cold.ts';

type Names = 'prepareAllowance' | 'sendAllowance' | 'getAllowance';
export type AllowanceOperations = { [N in Names]: Operation<N> };

type State = NonNullable<Reply<'getAllowance'>['change']>['state'];

interface Prepared {
  order: AllowanceOrder;
  unsigned: Uint8Array;
}

interface Sent extends Prepared {
  wire: Uint8Array;
  signature: string;
  state: State;
}

/** A signature, and a generous priority fee beside it. */
const leastLamports = 10_000n;

export const allowanceOperations = (context: EngineContext): AllowanceOperations => {
  const { chain } = context;
  // In memory alone: after a restart the owner asks for it again, and the chain says what is left.
  let prepared: Prepared | null = null;
  let sent: Sent | null = null;

  return {
    async prepareAllowance({ body: { allowance } }) {
      const { address } = chosenCold(context);
      pause(context, address);
      await context.funds.readCold();
      await refuseUnableWallet(context);
      const order = { address, allowance, lifetime: await chain.lifetime() };
      prepared = { order, unsigned: chain.buildAllowance(order) };
      return done({
        address,
        transaction: Buffer.from(prepared.unsigned).toString('base64'),
        left: formatUsdc(chosenCold(context).allowance),
        allowance: formatUsdc(allowance),
      });
    },

    async sendAllowance({ body: { transaction } }) {
      if (prepared === null)
        throw new AppError('conflict', 'The treasury was started again since. Sign it once more.');
      const wire = Buffer.from(transaction, 'base64');
      const signature = chain.allowanceSignature(prepared.unsigned, wire);
      pause(context, prepared.order.address);
      if (sent?.signature !== signature) sent = { ...prepared, wire, signature, state: 'sent' };
      await broadcast(context, sent);
      return done(viewOf(sent));
    },

    async getAllowance() {
      if (sent?.state === 'sent') await lookUp(context, sent);
      return done(viewOf(sent));
    },
  };
};

const viewOf = (sent: Sent | null): Reply<'getAllowance'> => ({
  change:
    sent === null
      ? null
      : { allowance: formatUsdc(sent.order.allowance), signature: sent.signature, state: sent.state },
});

/** @throws AppError `conflict` while a draw is under way, and when another wallet was chosen */
const pause = (context: EngineContext, address: string): void => {
  const { store, time } = context;
  store.atomically(() => {
    if (chosenCold(context).address !== address)
      throw new AppError('conflict', 'Another cold treasury was chosen since. Open this page again.');
    refuseWhileDrawing(context);
    store.cold.pause(address, time.now() + pauseMs);
  });
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

const broadcast = async ({ chain, log }: EngineContext, { wire, signature }: Sent): Promise<void> => {
  try {
    await chain.broadcast(wire);
  } catch (error) {
    // A hint only: it may still land, and its signature is looked up.
    log.warn({ err: error, signature }, 'the RPC did not take the new allowance');
  }
};

/** Enters what the chain says of it; sends it again while it may still land. */
const lookUp = async (context: EngineContext, sent: Sent): Promise<void> => {
  const { chain, funds, store, publish } = context;
  // Its height first: what is not there after the last block that could hold it never will be.
  const height = await chain.finalizedHeight();
  const [sighting = null] = (await chain.sightings([sent.signature])).found;
  if (sighting === null && height <= sent.order.lifetime.lastValidHeight) return broadcast(context, sent);
  if (sighting !== null && sighting.commitment !== 'finalized') return;
  sent.state = sighting === null ? 'expired' : sighting.error === null ? 'final' : 'failed';
  await funds.readCold();
  if (sent.state === 'final') store.atomically(() => store.cold.pause(sent.order.address, 0));
  publish({ type: 'cold' });
};
