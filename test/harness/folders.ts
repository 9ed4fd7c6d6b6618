// Temporary folders of a test file, removed once everything that the file has opened in them is closed.
import { afterAll } from 'vitest';
import { removeFolder, temporaryFolder } from './treasury.ts';

/** Call it before any `afterAll` of the file: vitest runs those in reverse. */
export const useFolders = (): (() => string) => {
  const folders: string[] = [];
  afterAll(() => folders.forEach(removeFolder));
  return () => {
    const folder = temporaryFolder();
    folders.push(folder);
    return folder;
  };
};
