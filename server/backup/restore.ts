// Restores a backup, while no host runs. The present database is moved aside and never deleted; at every moment one of
// the two is in place. What the copy lacks is read from the chain at the next start, before anything can be paid.
import {
  copyFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import type { Config } from '../config.ts';
import { isGenesisOf } from '../contract/treasury/networks.ts';
import { verifyJournal } from '../engine/records/audit.ts';
import type { Store } from '../engine/ports.ts';
import { nothingFound, setReconciliationMark } from '../engine/domain/reconciliation-mark.ts';
import { AppError } from '../errors.ts';
import { forgetStopMarker } from '../store/records/stop-marker.ts';
import { vaultOf } from '../vault/of-network.ts';
import { renameOver } from '../lib/files/rename-over.ts';
import type { Log } from '../log.ts';
import { openDatabase } from '../store/database.ts';
import { migrations } from '../store/schema.ts';
import { createStore } from '../store/store.ts';
import { syncFolder } from '../lib/files/durable-files.ts';
import { closeToOthers, makeDataFolder, makePrivateFolder } from '../lib/files/owner-only.ts';

interface Restored {
  /** Where the previous database is now; null when there was none. */
  aside: string | null;
}

/** The text for the owner. */
export const restoredText = ({ aside }: Restored): string =>
  [
    'The backup is in its place.',
    ...(aside === null ? [] : [`The records of before are in ${aside}.`]),
    'Start the treasury as usual. Everything is frozen until it has read from the chain what the backup lacks; the reason of the freeze then shows the result. Agents need new keys, and you lift the freeze.',
    '',
  ].join('\n');

/**
 * Puts a backup in the database's place.
 * @throws AppError `conflict` when a host runs; `bad_request` when the file is damaged, or of another treasury
 */
export const restoreBackup = async (
  { dataDir, network }: Pick<Config, 'dataDir' | 'network'>,
  from: string,
  log: Log,
): Promise<Restored> => {
  const file = resolve(from);
  const folder = join(dataDir, network);
  const database = join(folder, 'treasury.db');
  const draft = join(folder, 'treasury.db.restoring');
  makeDataFolder(dataDir);
  makePrivateFolder(folder);
  const present = lock(database);
  try {
    removeDraft(draft);
    takeCopy(file, draft);
    const owner = vaultOf({ dataDir, network }, log).treasuryAddress;
    if (owner === null)
      throw new AppError(
        'conflict',
        'There is no treasury here yet, and a backup holds no keys: start it once with the recovery phrase (--import-phrase), stop it, and restore then.',
      );
    checkFile(draft);
    const store = createStore({ file: draft, now: Date.now, onHalt: () => {} });
    try {
      checkContent(store, network, owner);
      store.atomically(() => {
        setReconciliationMark(store, { ...nothingFound, kind: 'older' });
        forgetStopMarker(store);
      });
    } finally {
      store.close();
    }
    syncFile(draft);
    const aside = existsSync(database) ? moveAside(database, present === null) : null;
    // Windows replaces no file that is open. A host that starts in this moment keeps its database, and the restore fails.
    if (process.platform === 'win32') present?.close();
    renameOver(draft, database);
    syncFolder(folder);
    return { aside };
  } catch (error) {
    removeDraft(draft);
    throw error;
  } finally {
    present?.close();
  }
};

const ends = ['', '-wal', '-shm', '-journal'];

const removeDraft = (draft: string): void => {
  for (const end of ends) rmSync(`${draft}${end}`, { force: true });
};

/**
 * Keeps every host out until it is closed, with all commits in the one file. Null when there is nothing to lock: no
 * database, or one so damaged that no host could open it either.
 */
const lock = (database: string): Database.Database | null => {
  if (!existsSync(database)) return null;
  try {
    const db = openDatabase({ file: database, lockWaitMs: 1_000 });
    db.pragma('journal_mode = DELETE');
    // From here on the lock is held until the database is closed.
    db.exec('BEGIN EXCLUSIVE; COMMIT');
    return db;
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict')
      throw new AppError(
        'conflict',
        `The treasury of ${database} is running. Stop it, then restore the backup.`,
      );
    return null;
  }
};

const takeCopy = (file: string, draft: string): void => {
  try {
    copyFileSync(file, draft);
    closeToOthers(draft);
    // A copy made by hand may have a part of its data in its WAL.
    if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${draft}-wal`);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new AppError('bad_request', `--restore: ${file} could not be copied (${code}).`);
  }
};

const notOurs = (why: string): AppError =>
  new AppError('bad_request', `--restore: this is not a backup that can be restored here: ${why}.`);

const checkFile = (draft: string): void => {
  let version: number;
  try {
    const db = new Database(draft, { fileMustExist: true });
    try {
      const found = db.pragma('integrity_check(1)', { simple: true });
      if (found !== 'ok') throw notOurs(`it is damaged (${String(found)})`);
      version = Number(db.pragma('user_version', { simple: true }));
      db.prepare('SELECT 1 FROM journal, wallet, meta LIMIT 1').get();
      db.pragma('journal_mode = DELETE');
    } finally {
      db.close();
    }
  } catch (error) {
    throw error instanceof AppError ? error : notOurs('it is not the database of a treasury');
  }
  if (version > migrations.length)
    throw notOurs('it was written by a newer Agent Treasury; install that version first');
};

const checkContent = (store: Store, network: Config['network'], owner: string): void => {
  const genesis = store.meta.get('genesis');
  if (genesis === undefined || !isGenesisOf(network, genesis)) throw notOurs(`it is not from ${network}`);
  const treasury = store.wallets.list().find(({ agentId }) => agentId === null);
  if (treasury?.address !== owner)
    throw notOurs(
      `it belongs to ${treasury === undefined ? 'no treasury' : `the treasury ${treasury.address}`}, and this one is ${owner}`,
    );
  const broken = verifyJournal(store);
  if (broken !== null) throw notOurs(`its records were changed (${broken})`);
};

const syncFile = (file: string): void => {
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** Adds a second name: the first stays until the copy replaces it in one step. */
const moveAside = (database: string, isDamaged: boolean): string => {
  const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const aside = database.replace(/\.db$/, `-before-restore-${stamp}.db`);
  try {
    linkSync(database, aside);
  } catch {
    // The file system has no hard links.
    copyFileSync(database, aside);
    syncFile(aside);
  }
  // The WAL may be all that is left to repair a database that could not be opened; it must not be applied to the copy.
  if (isDamaged)
    for (const end of ends.slice(1))
      if (existsSync(`${database}${end}`)) renameSync(`${database}${end}`, `${aside}${end}`);
  return aside;
};
