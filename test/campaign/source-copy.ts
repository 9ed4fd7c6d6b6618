// A private copy of the host's source with a bug planted in it: what a gate must not let pass.
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder, temporaryFolder } from '../harness/treasury.ts';

export const thisSource = fileURLToPath(new URL('../..', import.meta.url));

export interface Edit {
  file: string;
  from: string;
  to: string;
}

export interface SourceCopy {
  source: string;
  remove(): void;
}

/** Installed and built things are taken from here as they are. */
const links = ['node_modules', 'build/out', 'test/peers'];
const parts = ['server', 'electron', 'renderer', 'test', 'build', 'package.json', 'tsconfig.json'];

const isLinked = (path: string): boolean => links.some((link) => path === join(thisSource, link));

/** @throws when an edit does not fit exactly once: a bug that is not planted would not be caught either */
export const copySource = (edits: readonly Edit[]): SourceCopy => {
  const source = temporaryFolder();
  for (const part of parts)
    cpSync(join(thisSource, part), join(source, part), {
      recursive: true,
      filter: (path) => !isLinked(path),
    });
  for (const link of links.filter((one) => existsSync(join(thisSource, one))))
    symlinkSync(join(thisSource, link), join(source, link));
  for (const { file, from, to } of edits) {
    const text = readFileSync(join(source, file), 'utf8');
    if (text.split(from).length !== 2)
      throw new Error(`${file} holds ${JSON.stringify(from)} not exactly once`);
    writeFileSync(
      join(source, file),
      text.replace(from, () => to),
    );
  }
  return { source, remove: () => removeFolder(source) };
};
