// Renames a file over another. On Windows that fails while any program, such as a scanner of viruses, has one of them open:
// it is tried again for a while.
import { renameSync } from 'node:fs';
import { rename } from 'node:fs/promises';

const passing = new Set(['EPERM', 'EACCES', 'EBUSY']);
const pausesMs = [5, 10, 20, 50, 100, 200, 400, 800];

const willPass = (error: unknown, platform: NodeJS.Platform): boolean =>
  platform === 'win32' && passing.has((error as NodeJS.ErrnoException).code ?? '');

/** @throws what `renameSync` throws, on Windows after 1.6 s of tries */
export const renameOver = (
  from: string,
  to: string,
  { platform, renames } = { platform: process.platform, renames: renameSync },
): void => {
  for (const ms of pausesMs) {
    try {
      return renames(from, to);
    } catch (error) {
      if (!willPass(error, platform)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    }
  }
  renames(from, to);
};

/** The same without blocking. @throws as `renameOver` does */
export const renameOverLater = async (
  from: string,
  to: string,
  { platform, renames } = { platform: process.platform, renames: rename },
): Promise<void> => {
  for (const ms of pausesMs) {
    try {
      return await renames(from, to);
    } catch (error) {
      if (!willPass(error, platform)) throw error;
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
  }
  await renames(from, to);
};
