// The one composition root of everything headless, in five stages: open, connect, build, serve, ready.
// server/main.ts, electron/main.ts and the tests start it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Network } from '../engine/ports.ts';
import { AppError, invariant } from '../errors.ts';
import { endInTime } from '../lib/closing.ts';
import { build } from './build.ts';
import { connect } from './connect.ts';
import { open } from './open.ts';
import { checkPort } from './port.ts';
import { ready } from './ready.ts';
import { serve } from './serve.ts';
import { vaultOf } from '../vault/of-network.ts';
import type { Closers, Host, HostOptions } from './options.ts';
import { phraseOf } from './vault.ts';

interface Exported {
  /** 24 words. */
  phrase: string;
  network: Network;
  /** The address that the words open first. */
  treasury: string;
}

/**
 * The recovery phrase and whose it is, for the command that prints it.
 * @throws AppError as the vault does; `bad_request` where the folder has several networks and none was named
 */
export const exportPhrase = async ({
  config,
  log,
  ...secrets
}: Pick<HostOptions, 'config' | 'log' | 'passphrase'>): Promise<Exported> => {
  const network = networkIn(config);
  const vault = vaultOf({ dataDir: config.dataDir, network }, log);
  const phrase = await phraseOf(vault, secrets);
  invariant(vault.treasuryAddress !== null, 'a vault with a phrase has a treasury');
  return { phrase, network, treasury: vault.treasuryAddress };
};

const networkIn = ({ dataDir, network, isNetworkNamed }: HostOptions['config']): Network => {
  if (isNetworkNamed) return network;
  const made = (['sandbox', 'devnet', 'mainnet'] as const).filter((one) =>
    existsSync(join(dataDir, one, 'vault.json')),
  );
  if (made.length > 1)
    throw new AppError(
      'bad_request',
      `--network: this data folder has treasuries on ${made.join(' and ')}, and each has words of its own. Name one, as --network ${made.at(-1)}.`,
    );
  return made[0] ?? network;
};

export { restoreBackup, restoredText } from '../backup/restore.ts';

/** Longer than the engine takes, which names the part of it that does not end. */
const partWithinMs = 40_000;

/**
 * Starts a treasury on its data folder, in this order: look whether the port is free, lock the store, open the vault, check that the chain is the one
 * this treasury belongs to, restore missing records from it, look up every open transfer once, then answer requests.
 * @throws AppError with the next step in its message: `conflict` (folder or port in use), `chain_unreachable`, ...
 */
export const createHost = async (options: HostOptions): Promise<Host> => {
  const closers: Closers = [];
  const close = async (): Promise<void> => {
    const faults: unknown[] = [];
    for (const [part, closeOne] of closers.toReversed())
      try {
        await endInTime({ [part]: (async () => closeOne())() }, partWithinMs);
      } catch (error) {
        options.log.error(
          { err: error, part },
          'a part of the treasury did not close; the rest is closed without it',
        );
        faults.push(error);
      }
    if (faults.length > 0) throw new AggregateError(faults, 'The treasury did not close cleanly.');
  };
  const start = async (): Promise<Host> => {
    await checkPort(options.config);
    const opened = await open(options, closers);
    const connected = await connect(options, opened, closers);
    const built = await build(options, opened, connected, closers);
    const stages = { ...opened, ...connected, ...built };
    const served = await serve(options, stages, closers);
    return { ...ready(options, { ...stages, ...served }, closers), close };
  };
  try {
    return await Promise.race([start(), endOf(options.ending)]);
  } catch (error) {
    // The reason why it did not start is the one to report.
    await close().catch(() => {});
    throw error;
  }
};

/** Rejects once the start is to end; a stage may wait for long, as for a passphrase. */
const endOf = (ending?: AbortSignal): Promise<never> =>
  new Promise((_, reject) => ending?.addEventListener('abort', () => reject(ending.reason as Error)));
