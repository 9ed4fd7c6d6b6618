// The one composition root of everything headless, in five stages: open, connect, build, serve, ready.
// server/main.ts, electron/main.ts and the tests start it.
import type { Config } from '../config.ts';
import type { OwnerApi } from '../contract/owner-api.ts';
import type { Engine } from '../engine/engine.ts';
import type { Clock, Disk, Network } from '../engine/ports.ts';
import type { RootLog } from '../log.ts';
import type { Vault } from '../vault/vault.ts';
import { build } from './build.ts';
import { connect } from './connect.ts';
import { open } from './open.ts';
import { ready } from './ready.ts';
import { serve } from './serve.ts';
import { phraseOf, vaultOf, type Secrets } from './vault.ts';

export interface HostOptions extends Secrets {
  config: Config;
  log: RootLog;
  /** Default: the machine's clock. */
  clock?: Clock;
  /** Default: the machine's disk. */
  disk?: Disk;
  /** The folder of the built dashboard; without it only /v1 is served. */
  dashboard?: string;
  /** Timeout of an image provider, in milliseconds. */
  pictureWithinMs?: number;
  /** How an MCP host starts the bridge: the command and its first arguments. */
  bridge?: { command: string; args: readonly string[] };
}

export interface Host {
  url: string;
  owner: string;
  network: Network;
  rpcUrl: string;
  /** Null where no owner token is written to a file. */
  cookieFile: string | null;
  engine: Engine;
  vault: Vault;
  /** The owner's calls, for the desktop that runs this host. */
  api: OwnerApi;
  /** A URL that signs a browser in to the dashboard once, within ten minutes; null where no dashboard is served. */
  newLoginUrl(): string | null;
  /** Ends the work under way, then closes everything in reverse order. */
  close(): Promise<void>;
}

/** What a stage opened, and what closes it: called in reverse order. */
export type Closers = (() => void | Promise<void>)[];

/** The owner's 24-word recovery phrase, for the command that prints it. @throws AppError as the vault does */
export const exportPhrase = ({ config, log, ...secrets }: Omit<HostOptions, 'clock'>): Promise<string> =>
  phraseOf(vaultOf(config, log), secrets);

export { restoreBackup, restoredText } from '../backup/restore.ts';

/**
 * Starts a treasury on its data folder, in this order: lock the store, open the vault, check that the chain is the one
 * this treasury belongs to, restore missing records from it, look up every open transfer once, then answer requests.
 * @throws AppError with the next step in its message: `conflict` (folder or port in use), `chain_unreachable`, ...
 */
export const createHost = async (options: HostOptions): Promise<Host> => {
  const closers: Closers = [];
  const close = async (): Promise<void> => {
    for (const closeOne of closers.toReversed()) await closeOne();
  };
  try {
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
