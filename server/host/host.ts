// The one composition root of everything headless, in five stages: open, connect, build, serve, ready.
// server/main.ts, electron/main.ts and the tests start it.
import { build } from './build.ts';
import { connect } from './connect.ts';
import { open } from './open.ts';
import { checkPort } from './port.ts';
import { ready } from './ready.ts';
import { serve } from './serve.ts';
import { vaultOf } from '../vault/of-network.ts';
import type { Closers, Host, HostOptions } from './options.ts';
import { phraseOf } from './vault.ts';

/** The owner's 24-word recovery phrase, for the command that prints it. @throws AppError as the vault does */
export const exportPhrase = ({ config, log, ...secrets }: Omit<HostOptions, 'clock'>): Promise<string> =>
  phraseOf(vaultOf(config, log), secrets);

export { restoreBackup, restoredText } from '../backup/restore.ts';

/**
 * Starts a treasury on its data folder, in this order: look whether the port is free, lock the store, open the vault, check that the chain is the one
 * this treasury belongs to, restore missing records from it, look up every open transfer once, then answer requests.
 * @throws AppError with the next step in its message: `conflict` (folder or port in use), `chain_unreachable`, ...
 */
export const createHost = async (options: HostOptions): Promise<Host> => {
  const closers: Closers = [];
  const close = async (): Promise<void> => {
    for (const closeOne of closers.toReversed()) await closeOne();
  };
  try {
    await checkPort(options.config);
    const opened = await open(options, closers);
    const connected = await connect(options, opened, closers);
    const built = await build(options, opened, connected, closers);
    const stages = { ...opened, ...connected, ...built };
    const served = await serve(options, stages, closers);
    return { ...ready(options, { ...stages, ...served }, closers), close };
  } catch (error) {
    await close();
    throw error;
  }
};
