// Writes the verifier of statements as one file, for readers who have Node 20 and no treasury.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, packedFolder, packWhenStarted } from './npm-package.ts';

/** Returns the path of the file. */
export const makeVerifier = async (folder = packedFolder('verifier')): Promise<string> => {
  mkdirSync(folder, { recursive: true });
  const file = 'verify.mjs';
  await bundle({ node: 20, dependencies: [] }, { entry: 'server/books/verify/main.ts', file }, folder);
  return join(folder, file);
};

await packWhenStarted(import.meta.url, makeVerifier);
