// The owner's cold treasury: its address, and whether allocations draw on it.
import type { Reply } from '../../contract/schemas.ts';
import { AppError, fieldError } from '../../errors.ts';
import { formatUsdc } from '../../money.ts';
import { done, type EngineContext } from '../calls/call.ts';
import { iso, isoOrNull } from '../calls/views.ts';
import { refuseWhileOrdered } from '../domain/allowance-orders.ts';
import { drawable, readCold } from '../payment/decision/draws.ts';
import { setPause } from '../payment/owner/pauses.ts';
import type { ColdTreasury, SomeOperations } from '../ports.ts';

export const coldOperations = (context: EngineContext) => {
  const { store, chain, keys, time, funds, publish } = context;

  /** Call it after the commit. */
  const changed = () => {
    publish({ type: 'cold' });
    return done(viewOf(context));
  };

  return {
    async getCold() {
      await funds.readCold().catch(noted(context));
      return done(viewOf(context));
    },

    async setCold({ body: { address } }) {
      const before = store.cold.get()?.address;
      if (before !== address) {
        if (!chain.isWallet(address)) throw fieldError('address', 'this is not the address of a wallet');
        if (await keys.owns(address))
          throw fieldError(
            'address',
            'this machine has the key of this address: use one of a Ledger or a phone',
          );
        await refuseWhileAllowed(context);
        const scannedTo = await chain.newestMove(address);
        store.atomically(() => {
          refuseWhileDrawing(context);
          refuseWhileOrdered(store);
          if (store.cold.get()?.address !== before) throw chosenMeanwhile();
          context.seals.addColdWallet(address);
          store.cold.choose({ address, since: time.now(), scannedTo });
        });
      }
      await funds.readCold().catch(noted(context));
      return changed();
    },

    async forgetCold() {
      await refuseWhileAllowed(context);
      store.atomically(() => {
        refuseWhileDrawing(context);
        refuseWhileOrdered(store);
        store.cold.forget();
      });
      return changed();
    },

    stopDrawing() {
      chosenCold(context);
      store.atomically(() => store.cold.stop(time.now()));
      return changed();
    },

    resumeDrawing() {
      chosenCold(context);
      store.atomically(() => store.cold.stop(null));
      return changed();
    },

    async pauseDrawing({ body: { paused, page = '' } }) {
      chosenCold(context);
      setPause(context, page, paused);
      // The new allowance, if the owner has set one.
      if (!paused) await funds.readCold().catch(noted(context));
      return changed();
    },
  } satisfies SomeOperations;
};

const noted =
  ({ log }: EngineContext) =>
  (error: unknown): void =>
    log.debug({ err: error }, 'the cold wallet is read later');

const chosenMeanwhile = (): AppError =>
  new AppError(
    'conflict',
    'Another cold wallet was chosen meanwhile. Open the page again before you choose this one.',
  );

const viewOf = (context: EngineContext): Reply<'getCold'> => {
  const { store, chain, settings, time } = context;
  const cold = store.cold.get();
  if (cold === null) return { cold };
  const now = time.now();
  return {
    cold: {
      address: cold.address,
      network: settings.network,
      tokenAccount: chain.tokenAccount(cold.address),
      delegate: settings.owner,
      since: iso(cold.since),
      balance: formatUsdc(cold.balance),
      allowance: formatUsdc(cold.allowance),
      granted: formatUsdc(cold.granted),
      drawable: formatUsdc(drawable(context, now)),
      fault: cold.fault,
      stoppedAt: isoOrNull(cold.stoppedAt),
      pausedUntil: cold.pausedUntil > now ? iso(cold.pausedUntil) : null,
    },
  };
};

/** @throws AppError `not_found` */
export const chosenCold = ({ store }: EngineContext): ColdTreasury => {
  const cold = store.cold.get();
  if (cold === null) throw new AppError('not_found', 'There is no cold wallet. Set its address first.');
  return cold;
};

/** A draw under way belongs to the account that it was reserved on. @throws AppError `conflict` */
export const refuseWhileDrawing = ({ store }: EngineContext): void => {
  if ((store.cold.get()?.pending ?? 0n) > 0n)
    throw new AppError(
      'conflict',
      'A draw on the cold wallet is still pending. Try again when it is confirmed.',
    );
};

/** While the allowance stands, a thief can draw. @throws AppError `conflict`, `chain_unreachable` */
const refuseWhileAllowed = async (context: EngineContext): Promise<void> => {
  refuseWhileDrawing(context);
  refuseWhileOrdered(context.store);
  await readCold(context);
  const cold = context.store.cold.get();
  // Nobody can revoke on a frozen account. It is counted and followed like every account that was ever chosen.
  if (cold === null || cold.allowance === 0n || cold.fault === 'frozen') return;
  throw new AppError(
    'conflict',
    `The cold wallet ${cold.address} still allows this treasury ${formatUsdc(cold.allowance)} USDC. Revoke the allowance with that wallet first.`,
  );
};
