// The data folder and its disk, as they are without a treasury.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { syncFolder } from '../../lib/files/durable-files.ts';
import { freeBytesAt, leastFreeBytes } from '../../lib/files/free-space.ts';
import { closingCommand, openTo } from '../../lib/files/owner-only.ts';
import type { Terminal } from '../terminal.ts';
import type { Check } from './check.ts';

type Place = Pick<Terminal, 'dataDir' | 'io'>;

/** A writable data folder, or an open runtime folder, defeats the file modes inside it. */
export const folderCheck = ({ dataDir, io: { platform } }: Place): Check => {
  const name = 'Data folder';
  if (statSync(dataDir, { throwIfNoEntry: false }) === undefined)
    return { name, state: 'failed', found: `${dataDir} is not there`, next: 'Name it with --data.' };
  try {
    const opening = openTo(dataDir, platform);
    if (opening === null) return { name, state: 'ok', found: dataDir };
    const runtime = join(dataDir, 'runtime');
    // Otherwise a warning: the runtime folder and each secret have their own modes, so others see only names and sizes.
    const isOpen =
      platform === 'win32' ||
      opening.mayWrite ||
      (statSync(runtime, { throwIfNoEntry: false }) !== undefined && openTo(runtime, platform) !== null);
    const found = `${dataDir} is open to ${opening.to}`;
    return { name, state: isOpen ? 'failed' : 'warning', found, next: closingCommand(dataDir, platform) };
  } catch (error) {
    return { name, state: 'failed', found: (error as Error).message, next: 'Choose another with --data.' };
  }
};

/** Warned of before payments stop. */
const littleBytes = 8 * leastFreeBytes;

interface DiskCalls {
  /** Bytes that are free on the disk of a folder. */
  freeAt(folder: string): number;
  sync(descriptor: number): void;
}

export const diskChecks = (
  { dataDir, io: { platform } }: Place,
  { freeAt, sync }: DiskCalls = { freeAt: freeBytesAt, sync: fsyncSync },
): Check[] => {
  if (statSync(dataDir, { throwIfNoEntry: false }) === undefined) return [];
  return [spaceCheck(dataDir, freeAt(dataDir)), writeCheck(dataDir, platform, sync)];
};

const megabytes = (bytes: number): string => `${Math.floor(bytes / 1_048_576)} MB`;

const spaceCheck = (dataDir: string, free: number): Check => {
  const name = 'Disk space';
  const next = `Free some space on the disk of ${dataDir}.`;
  const found = `${megabytes(free)} free`;
  if (free >= littleBytes) return { name, state: 'ok', found };
  if (free >= leastFreeBytes) return { name, state: 'warning', found, next };
  return {
    name,
    state: 'failed',
    found: `${found}: nothing is paid below ${megabytes(leastFreeBytes)}`,
    next,
  };
};

/** A file is written as the treasury writes: synced, renamed, and its name synced. */
const writeCheck = (dataDir: string, platform: NodeJS.Platform, sync: DiskCalls['sync']): Check => {
  const name = 'Disk';
  const file = join(dataDir, `.doctor-${randomUUID()}`);
  let step = 'cannot be written';
  try {
    const descriptor = openSync(file, 'wx', 0o600);
    step = 'does not keep what is written';
    try {
      writeSync(descriptor, 'doctor');
      sync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(file, `${file}.renamed`);
    syncFolder(dataDir);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    return {
      name,
      state: 'failed',
      found: `${dataDir} ${step} (${code})`,
      next: 'Let this user write to the folder, repair the disk, or choose another folder with --data.',
    };
  } finally {
    for (const end of ['', '.renamed']) rmSync(`${file}${end}`, { force: true });
  }
  return kindCheck(name, platform === 'linux' ? kinds[statfsSync(dataDir).type] : undefined);
};

interface Kind {
  name: string;
  why: string;
}
const memory = 'a restart of this machine loses all of it';
const shared = 'after a power cut it may lack what it said it had';

/** File systems that promise less than a treasury needs, by the numbers that Linux gives them. */
const kinds: Readonly<Record<number, Kind>> = {
  0x0102_1994: { name: 'tmpfs', why: memory },
  0x8584_58f6: { name: 'ramfs', why: memory },
  0x6969: { name: 'NFS', why: shared },
  0xff53_4d42: { name: 'SMB', why: shared },
  0xfe53_4d42: { name: 'SMB', why: shared },
  0x0102_1997: { name: '9p', why: shared },
};

const kindCheck = (name: string, kind: Kind | undefined): Check =>
  kind === undefined
    ? { name, state: 'ok', found: 'takes and keeps what is written' }
    : {
        name,
        state: 'warning',
        found: `${kind.name}: ${kind.why}`,
        next: 'Move the data folder to a disk of this machine, and name it with --data.',
      };
