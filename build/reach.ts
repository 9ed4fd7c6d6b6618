// Which tests a change can reach: by imports, and by each path of the repository that a file has in quotes, so that a host,
// a bridge or a command that a test starts as a program of its own is found too.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const git = (...args: string[]): string[] =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 })
    .split('\n')
    .filter((line) => line !== '');

/** What these say holds for every test. */
const ofAll = /^(package(-lock)?\.json|tsconfig\.json|build\/(vitest\.config|test|setup)\.ts)$/;
const isCode = /\.(tsx?|mjs|cjs|js|py)$/;
const quoted = /(['"`])([^'"`\n$]+)\1/g;
const script = /\bnpm run (?:-s )?([a-z][\w:-]*)/g;

/** The files that differ from the last commit, and those that git does not know yet. */
const changedFiles = (): string[] => [
  ...git('diff', '--name-only', 'HEAD'),
  ...git('ls-files', '--others', '--exclude-standard'),
];

/** The files of tests that what differs from the last commit can reach; null: all of them. */
export const reachedTests = (changed: readonly string[] = changedFiles()): string[] | null => {
  if (changed.some((file) => ofAll.test(file))) return null;
  const files = git('ls-files', '--cached', '--others', '--exclude-standard').filter((file) =>
    existsSync(`${root}/${file}`),
  );
  const readers = readersOf(files);
  const reached = new Set(changed);
  for (const file of reached) for (const reader of readers.get(file) ?? []) reached.add(reader);
  return [...reached].filter((file) => file.startsWith('test/') && file.endsWith('.test.ts')).toSorted();
};

/** For each file, those that name it or a folder that it is in. */
const readersOf = (files: readonly string[]): Map<string, Set<string>> => {
  const below = new Map<string, string[]>(files.map((file) => [file, [file]]));
  for (const file of files)
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder))
      below.set(folder, [...(below.get(folder) ?? []), file]);
  const scripts = (
    JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { scripts: Record<string, string> }
  ).scripts;
  const readers = new Map<string, Set<string>>();
  for (const reader of files.filter((file) => isCode.test(file))) {
    const text = readFileSync(`${root}/${reader}`, 'utf8');
    const started = [...text.matchAll(script)].flatMap(([, name]) => scripts[name ?? '']?.split(' ') ?? []);
    const named = [...text.matchAll(quoted)].flatMap(([, , path]) => placesOf(reader, path ?? ''));
    for (const file of [...started, ...named].flatMap((path) => below.get(path) ?? []))
      readers.set(file, (readers.get(file) ?? new Set()).add(reader));
  }
  return readers;
};

/** Where a path in quotes may lie: beside the file that has it, or in the repository. The build names whole folders at the top. */
const placesOf = (reader: string, path: string): string[] => {
  if (!path.includes('/') && reader !== 'build/build.ts') return [];
  const place = path.startsWith('.') ? posix.join(dirname(reader), path) : posix.normalize(path);
  return [place.replace(/\/$/, '')];
};
