// A real file system of a few megabytes that can be filled to its last block, if this user may mount one.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface SmallDisk {
  /** Fills it to the last block. */
  fill(): void;
  free(): void;
  /** Unmounts it: no process may have a file open on it. */
  close(): void;
}

/** More than the space that has to be free for a payment. */
const megabytes = 160;

/** Mounts it over the folder; null when that is not allowed. */
export const mountSmallDisk = (folder: string): SmallDisk | null => {
  const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', folder];
  if (spawnSync('mount', options, { stdio: 'ignore' }).status !== 0) return null;
  const filler = join(folder, 'filler');
  return {
    fill() {
      const file = openSync(filler, 'a');
      try {
        for (const size of [1_048_576, 4_096]) writeAll(file, Buffer.alloc(size));
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filler, { force: true }),
    close: () => void spawnSync('umount', ['-l', folder], { stdio: 'ignore' }),
  };
};

const writeAll = (file: number, chunk: Buffer): void => {
  try {
    while (writeSync(file, chunk) === chunk.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
};
