// Space on a disk, and how much of it payments need.
import { statfsSync } from 'node:fs';

/** Below this, no payment begins: payments under way, stops and the owner's own transfers need the rest. */
export const leastFreeBytes = 64 * 1024 * 1024;

/** Bytes that this user may still write to the disk of a folder. @throws Error when it is not there */
export const freeBytesAt = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};
