// The first stage of a start: the data folder, its store and its vault, all locked against a second host.
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Disk, StopMarker, Store } from '../engine/ports.ts';
import { beginRecords } from '../engine/records/restore.ts';
import { AppError, invariant } from '../errors.ts';
import { makeDataFolder, makePrivateFolder } from '../lib/files/owner-only.ts';
import { createStore } from '../store/store.ts';
import type { Vault } from '../vault/vault.ts';
import { wholeClock } from '../engine/domain/time.ts';
import { createMachineClock } from './clock.ts';
import { createDisk } from './disk.ts';
import { notePhraseKept } from './kept-phrase.ts';
import type { Closers, HostOptions } from './options.ts';
import { openStopMarker } from '../store/records/stop-marker.ts';
import { vaultOf } from '../vault/of-network.ts';
import { openVault } from './vault.ts';

/** The halt of a treasury whose disk failed. */
export interface Halt {
  /** Null until it fails. */
  reason: string | null;
  /** Called once, when it fails. */
  listeners: ((reason: string) => void)[];
}

export interface Opened {
  folder: string;
  database: string;
  store: Store;
  clock: Clock;
  disk: Disk;
  stopMarker: StopMarker;
  vault: Vault;
  /** The treasury's address. */
  owner: string;
  halted: Halt;
}

/** @throws AppError `conflict` when another host has the folder, and as the store and the vault do */
export const open = async (options: HostOptions, closers: Closers): Promise<Opened> => {
  const { config, log } = options;
  const folder = join(config.dataDir, config.network);
  const isFirst = !existsSync(folder);
  makeDataFolder(config.dataDir);
  makePrivateFolder(folder);
  const halted: Halt = { reason: null, listeners: [] };
  const onHalt = (error: Error): void => {
    const lost = error instanceof AppError ? error.details?.['reason'] : undefined;
    halted.reason = typeof lost === 'string' ? lost : 'its disk failed';
    log.fatal({ err: error }, 'the treasury has stopped: nothing more is paid until a restart');
    for (const tell of halted.listeners) tell(halted.reason);
  };
  const database = join(folder, 'treasury.db');
  const store = createStore({ file: database, now: Date.now, onHalt });
  closers.push(['the records', store.close]);
  const clock = wholeClock(options.clock ?? createMachineClock());
  const stopMarker = openStopMarker(folder, store, clock.wall);
  closers.push(['the stop marker', stopMarker.close]);

  const { scryptCost } = options;
  const vault = vaultOf(config, log, scryptCost === undefined ? {} : { scryptCost });
  // A first start that was ended before there were keys leaves nothing.
  const removeUnused = (): void => void (vault.state() === 'empty' && removeFresh(config.dataDir, folder));
  if (isFirst) closers.unshift(['a folder without keys', removeUnused]);
  if (await openVault(vault, options)) beginRecords(store);
  // The owner has just typed the words.
  if (options.phrase !== undefined) notePhraseKept(store);
  const owner = vault.treasuryAddress;
  invariant(owner !== null, 'an opened vault has a treasury');
  const disk = options.disk ?? createDisk(folder);
  return { folder, database, store, clock, disk, stopMarker, vault, owner, halted };
};

const removeFresh = (dataDir: string, folder: string): void => {
  rmSync(folder, { recursive: true });
  if (readdirSync(dataDir).length === 0) rmdirSync(dataDir);
};
