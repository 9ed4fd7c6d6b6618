// The disk that holds the records.
import type { Disk } from '../engine/ports.ts';
import { freeBytesAt } from '../lib/files/free-space.ts';

const readEveryMs = 1_000;

/** Free space is read at most once a second, since every payment asks for it. */
export const createDisk = (folder: string): Disk => {
  let [readAt, free] = [-Infinity, 0];
  return {
    freeBytes() {
      if (performance.now() - readAt < readEveryMs) return free;
      [readAt, free] = [performance.now(), freeBytesAt(folder)];
      return free;
    },
  };
};
