// The disk that holds the records.
import { statfsSync } from 'node:fs';
import type { Disk } from '../engine/ports.ts';

const readEveryMs = 1_000;

/** Read at most once a second: every payment asks. */
export const createDisk = (folder: string): Disk => {
  let [readAt, free] = [-Infinity, 0];
  return {
    freeBytes() {
      if (performance.now() - readAt < readEveryMs) return free;
      const { bavail, bsize } = statfsSync(folder);
      [readAt, free] = [performance.now(), bavail * bsize];
      return free;
    },
  };
};
