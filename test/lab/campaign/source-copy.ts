// A private copy of the source with a bug planted in it, which a gate must catch.
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder, temporaryFolder } from '../../harness/treasury.ts';

export const thisSource = fileURLToPath(new URL('../../..', import.meta.url));

export interface Edit {
  file: string;
  from: string;
  to: string;
}

export interface SourceCopy {
  source: string;
  remove(): void;
}

const folders = ['server', 'electron', 'renderer', 'test', 'build'];
const files = ['package.json', 'package-lock.json', 'tsconfig.json', 'LICENSE'];
/** Installed packages are linked from here. */
const links = ['node_modules', 'test/peers'];
/** What was built is copied, with its time: it is built again only if the bug is in its sources. */
const built = ['dashboard.stamp', 'renderer', 'desktop.stamp', 'desktop'].map((name) =>
  join('build/out', name),
);
const left = [...links, 'build/out'].map((path) => join(thisSource, path));

/** The files with the edits. @throws when one does not fit exactly once: nothing could catch a bug that is not there */
export const plant = (edits: readonly Edit[]): Map<string, string> => {
  const texts = new Map<string, string>();
  for (const { file, from, to } of edits) {
    const text = texts.get(file) ?? readFileSync(join(thisSource, file), 'utf8');
    if (text.split(from).length !== 2)
      throw new Error(`${file} holds ${JSON.stringify(from)} not exactly once`);
    texts.set(
      file,
      text.replace(from, () => to),
    );
  }
  return texts;
};

/** @throws as `plant` does */
export const copySource = (edits: readonly Edit[]): SourceCopy => {
  const texts = plant(edits);
  const source = temporaryFolder();
  for (const part of [...folders, ...files])
    cpSync(join(thisSource, part), join(source, part), {
      recursive: true,
      preserveTimestamps: true,
      filter: (path) => !left.includes(path),
    });
  for (const path of built.filter((one) => existsSync(join(thisSource, one))))
    cpSync(join(thisSource, path), join(source, path), { recursive: true, preserveTimestamps: true });
  for (const link of links) symlinkSync(join(thisSource, link), join(source, link));
  for (const [file, text] of texts) writeFileSync(join(source, file), text);
  return { source, remove: () => removeFolder(source) };
};
