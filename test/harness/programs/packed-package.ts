// A package of ours as its user has it: packed by npm, and installed by npm in an empty folder outside the repository,
// without a network, with the dependencies of its package.json alone. It is packed once for a whole run.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { newest } from '../../../build/build.ts';
import { removeFolder, temporaryFolder } from '../treasury.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface Project {
  folder: string;
  /** The folder of the installed package. */
  installed: string;
  /** Names of all packages that npm installed. */
  packages: readonly string[];
  /** Puts a package beside it, as if the seller had it already: ours, or the one at `from`. */
  link(name: string, from?: string): void;
  /** Runs a program of this project; resolves with the first line that it prints. */
  start(name: string, source: string, env: Record<string, string>): Promise<Running>;
  remove(): void;
}

export interface Running {
  line: string;
  child: ChildProcess;
}

export const installPacked = async (
  packageName: string,
  pack: (folder: string) => Promise<string>,
): Promise<Project> => {
  const tarballs = await packOnce(packageName, pack);
  const place = temporaryFolder();
  const folder = join(place, 'project');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"name":"a-user","private":true,"type":"module"}');
  await npm(folder, 'install', ...readdirSync(tarballs).map((name) => join(tarballs, name)));
  const modules = join(folder, 'node_modules');
  const packages = readdirSync(modules).filter((name) => !name.startsWith('.'));
  const started: ChildProcess[] = [];

  return {
    folder,
    installed: join(modules, packageName),
    packages,
    link(name, from = join(root, 'node_modules', name)) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(from, join(modules, name), 'dir');
    },
    async start(name, source, env) {
      const script = join(folder, name);
      writeFileSync(script, source);
      const child = spawn(process.execPath, [script], {
        cwd: folder,
        env: { PATH: process.env['PATH'], ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      started.push(child);
      const ready = once(createInterface(child.stdout), 'line');
      const [line] = (await Promise.race([ready, once(child, 'exit')])) as unknown[];
      if (typeof line !== 'string') throw new Error(`${name} ended`);
      return { line, child };
    },
    remove() {
      for (const child of started) child.kill('SIGKILL');
      removeFolder(place);
    },
  };
};

/** What a package of ours is made of. */
const sources = ['server', 'build/docs', 'build/npm-package.ts', 'build/client.ts', 'build/paywall.ts'];

/** A folder with the tarballs of the package and of its dependencies. */
const packOnce = (name: string, pack: (folder: string) => Promise<string>): Promise<string> =>
  madeOnce(name, [...sources, 'package-lock.json'], async (folder) => {
    const packed = await pack(join(folder, '../package'));
    await npm(folder, 'pack', packed, ...dependenciesOf(packed));
  });

/**
 * A folder that is made once for a whole run, and anew after a change of what it is made of.
 * @param make fills it
 */
export const madeOnce = async (
  name: string,
  from: readonly string[],
  make: (folder: string) => Promise<unknown>,
): Promise<string> => {
  const kept = join(root, 'build/out/packed', `${name}-${newest(from)}`);
  if (existsSync(kept)) return kept;
  mkdirSync(dirname(kept), { recursive: true });
  const place = mkdtempSync(`${kept}-`);
  const made = join(place, 'made');
  mkdirSync(made);
  await make(made);
  try {
    renameSync(made, kept);
  } catch (error) {
    // Another process of the run was faster.
    if (!existsSync(kept)) throw error;
  }
  removeFolder(place);
  const all = dirname(kept);
  for (const one of readdirSync(all))
    if (one.startsWith(`${name}-`) && !one.startsWith(basename(kept))) removeFolder(join(all, one));
  return kept;
};

const npm = (cwd: string, command: string, ...args: string[]): Promise<unknown> =>
  promisify(execFile)('npm', [command, '--offline', '--ignore-scripts', '--no-audit', '--no-fund', ...args], {
    cwd,
  });

/** The folders of a package's dependencies, and of theirs. */
const dependenciesOf = (folder: string, known = new Set<string>()): string[] => {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    const found = join(root, 'node_modules', name);
    if (known.has(found)) continue;
    known.add(found);
    dependenciesOf(found, known);
  }
  return [...known];
};
