// A folder of whole files: a file gets its name only when all of it is on disk.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { renameOverLater } from './rename-over.ts';

interface DurableFolder {
  /** Resolves once the file and its name would survive a power cut. Replaces a file of this name. */
  write(name: string, bytes: Uint8Array): Promise<void>;
}

const unfinished = /^\.[\w-]+\.part$/;

/** Creates the folder with the first file. Only one process may write to it at a time. */
export const createDurableFolder = (folder: string): DurableFolder => {
  let prepared: Promise<void> | null = null;
  const prepare = async (): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Left by a process that ended while writing.
    for (const name of await readdir(folder)) if (unfinished.test(name)) await rm(join(folder, name));
  };

  return {
    async write(name, bytes) {
      prepared ??= prepare();
      await prepared.catch((error: unknown) => {
        prepared = null;
        throw error;
      });
      const temporary = join(folder, `.${randomUUID()}.part`);
      try {
        await writeThrough(temporary, bytes);
        await renameOverLater(temporary, join(folder, name));
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      await syncFolder(folder);
    },
  };
};

const writeThrough = async (path: string, bytes: Uint8Array): Promise<void> => {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
};

/** Makes a new name in the folder durable. Windows cannot sync a folder, and writes names through. */
export const syncFolder = async (folder: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
