// Backups of the records: on the owner's request, and automatically once a day.
import { mkdirSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Reply } from '../contract/schemas.ts';
import { done } from '../engine/calls/call.ts';
import type { Clock, Network, Operation, Store } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { syncFolder } from '../lib/files/durable-files.ts';
import { renameOver } from '../lib/files/rename-over.ts';

interface BackupDeps {
  store: Pick<Store, 'copyTo'>;
  network: Network;
  dataDir: string;
  /** The database file, for its size. */
  database: string;
  clock: Pick<Clock, 'wall'>;
  log: Log;
  /** The delay of the first check after a start, and the interval between checks, in milliseconds. */
  lookMs?: number;
}

export interface Backups {
  operations: { backup: Operation<'backup'> };
  /** Makes one a day from now on. */
  start(): void;
  /** Makes the day's backup if it is due, and removes the oldest; never rejects. */
  daily(): Promise<void>;
  /** When the newest copy was made, in Unix milliseconds, by hand or by itself; null: there is none. */
  newest(): number | null;
  /** A backup under way ends with the store. */
  close(): void;
}

const dayMs = 86_400_000;
const usualLookMs = 5 * 60_000;
/** How many daily backups are kept; fewer of a large database. */
const kept = { usual: 7, large: 2 };
const largeBytes = 256 * 1_048_576;
const note =
  'It contains no keys and no pictures. To restore it on another machine you also need your recovery phrase.';

export const createBackups = (deps: BackupDeps): Backups => {
  const { store, network, dataDir, database, clock, log, lookMs = usualLookMs } = deps;
  const folder = join(dataDir, 'backups');
  const isDaily = new RegExp(`^${network}-daily-(\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d-\\d{3}Z)\\.db$`);
  const isDraft = new RegExp(`^\\.${network}-(daily-)?[\\dTZ-]+\\.db\\.part(-journal|-wal|-shm)?$`);
  let running: Promise<Reply<'backup'>> | null = null;
  let timer: NodeJS.Timeout | undefined;

  const make = async (prefix: string): Promise<Reply<'backup'>> => {
    const takenAt = new Date(clock.wall()).toISOString();
    const name = `${prefix}${takenAt.replaceAll(/[:.]/g, '-')}.db`;
    const file = join(folder, name);
    const draft = join(folder, `.${name}.part`);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      for (const old of readdirSync(folder)) if (isDraft.test(old)) rmSync(join(folder, old));
      const { bytes } = await store.copyTo(draft);
      renameOver(draft, file);
      syncFolder(folder);
      log.info({ file, bytes }, 'a backup was made');
      return { file, bytes, takenAt, note };
    } catch (error) {
      throw explained(error, folder);
    }
  };

  /** One at a time: a request meanwhile gets the backup that is being made. */
  const once = (prefix: string): Promise<Reply<'backup'>> => {
    running ??= make(prefix).finally(() => (running = null));
    return running;
  };

  const dailies = (): { name: string; at: number }[] =>
    readdirSync(folder)
      .flatMap((name) => {
        const [date = '', time = ''] = isDaily.exec(name)?.[1]?.split('T') ?? [];
        const at = Date.parse(`${date}T${time.replace(/-(\d\d)-(\d\d)-/, ':$1:$2.')}`);
        return Number.isNaN(at) ? [] : [{ name, at }];
      })
      .toSorted((a, b) => b.at - a.at);

  const daily = async (): Promise<void> => {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const newest = dailies()[0]?.at ?? -Infinity;
      // A clock that was set back must not stop the backups.
      if (Math.abs(clock.wall() - newest) < dayMs) return;
      const { size } = statSync(database);
      const { bavail, bsize } = statfsSync(folder);
      if (bavail * bsize < 3 * size + largeBytes) {
        log.warn({ folder }, 'no daily backup: the disk is nearly full');
        return;
      }
      await once(`${network}-daily-`);
      const keep = size > largeBytes ? kept.large : kept.usual;
      for (const { name } of dailies().slice(keep)) rmSync(join(folder, name));
    } catch (error) {
      log.warn({ err: error }, 'the daily backup could not be made; it is tried again');
    }
  };

  return {
    operations: { backup: async () => done(await once(`${network}-`)) },
    start() {
      timer = setInterval(() => void daily(), lookMs);
      timer.unref();
    },
    daily,
    newest: () => newestIn(folder, network),
    close: () => clearInterval(timer),
  };
};

/** The newest backup of a network; null without one. */
export const newestIn = (folder: string, network: string): number | null => {
  try {
    const times = readdirSync(folder)
      .filter((file) => file.startsWith(`${network}-`) && file.endsWith('.db'))
      .map((file) => statSync(join(folder, file)).mtimeMs);
    return times.length === 0 ? null : Math.max(...times);
  } catch {
    return null;
  }
};

const explained = (error: unknown, folder: string): unknown => {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof AppError || code === undefined) return error;
  return new AppError(
    'conflict',
    `No backup was made: ${folder} cannot be written (${code}). Free space or fix its permissions, then try again.`,
    {},
    { cause: error },
  );
};
