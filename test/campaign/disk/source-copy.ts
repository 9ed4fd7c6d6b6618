// A private copy of the host's source with a bug planted in it: what a gate must not let pass.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeFolder, temporaryFolder } from '../../harness/treasury.ts';
import { thisSource } from './host-process.ts';

export interface Edit {
  file: string;
  from: string;
  to: string;
}

export interface SourceCopy {
  source: string;
  remove(): void;
}

const parts = ['server', 'test/harness', 'test/campaign/disk', 'build/preload.mjs', 'package.json'];

/** @throws when an edit does not fit exactly once: a bug that is not planted would not be caught either */
export const copySource = (edits: readonly Edit[], of = thisSource): SourceCopy => {
  const source = temporaryFolder();
  for (const part of parts) {
    mkdirSync(dirname(join(source, part)), { recursive: true });
    cpSync(join(of, part), join(source, part), { recursive: true });
  }
  symlinkSync(join(of, 'node_modules'), join(source, 'node_modules'));
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
