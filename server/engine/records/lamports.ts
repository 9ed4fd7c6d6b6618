// The treasury's SOL, which pays all network fees.
import type { Chain } from '../ports.ts';
import type { Reading } from './debits.ts';

/** A reading that is older is read again before it is shown. */
export const staleAfterMs = 2_000;

/** @throws AppError `chain_unreachable` */
export const refreshLamports = async (reading: Reading): Promise<void> => {
  const { chain, settings, publish } = reading.context;
  const before = reading.lamports;
  reading.lamports = await chain.lamports(settings.owner);
  reading.lamportsAt = performance.now();
  if (reading.lamports !== before) publish({ type: 'balance', wallet: settings.owner });
};

/** Read again when a transfer has gone on since, or the reading is older than 2 s; the last known when no RPC answers. */
export const lamportsNow = async (reading: Reading): Promise<bigint> => {
  const { chain, log } = reading.context;
  if (performance.now() - reading.lamportsAt > staleAfterMs && !areDown(chain))
    await refreshLamports(reading).catch((error: unknown) =>
      log.debug({ err: error }, 'the last known SOL is given'),
    );
  return reading.lamports;
};

/** A screen does not wait for RPCs that do not answer: the timers go on asking them. */
export const areDown = (chain: Pick<Chain, 'rpcs'>): boolean =>
  chain.rpcs().every(({ downSince }) => downSince !== null);
